//! Which rules a test's name names, and when a list of rules is covered.

use super::{Rules, Tests, rules_of, tests, verdict};

fn covered(rules: &Rules<'_>, names: &[&str]) -> bool {
    let tests: Tests = tests(names.iter().copied());
    verdict(rules, &tests).is_ok()
}

#[test]
fn a_name_begins_with_its_rules_and_cases_may_stand_between() {
    let cases: [(&str, &[&str]); 6] = [
        ("rpc_01_says_so", &["RPC-01"]),
        ("rpc_01_rpc_02_says_so", &["RPC-01", "RPC-02"]),
        ("j24_life_17_says_so", &["LIFE-17"]),
        ("http_17_h07_rpc_02_says_so", &["HTTP-17", "RPC-02"]),
        ("says_rpc_01_too", &[]),
        ("http_1_1_is_spoken", &[]),
    ];
    for (name, rules) in cases {
        assert_eq!(rules_of(name), rules, "{name}");
    }
}

#[test]
fn rules_that_bind_need_a_test_and_tests_need_a_rule() {
    let rules: Rules<'_> = vec![("RPC-01", "MUST"), ("RPC-02", "OURS"), ("AUTH-01", "MUST")];
    assert!(covered(&rules, &["rpc_01_a", "some_other_test"]));
    assert!(!covered(&rules, &["rpc_02_a"]), "no test for a MUST");
    assert!(!covered(&rules, &["rpc_01_a", "life_99_a"]), "no such rule");
    let twice: Rules<'_> = vec![("RPC-01", "MUST"), ("RPC-01", "OURS")];
    assert!(!covered(&twice, &["rpc_01_a"]), "a rule stands twice");
}
