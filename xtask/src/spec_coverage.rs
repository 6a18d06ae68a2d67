//! Which rules of the protocol have a test: `docs/spec-coverage.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use anyhow::{Context, Result, bail};
use xshell::{Shell, cmd};

use crate::workspace::say;

const PAGE: &str = "docs/spec-coverage.md";

/// A rule: its id, and how binding it is.
struct Rule<'a> {
    id: &'a str,
    level: &'a str,
}

pub(crate) fn run(sh: &Shell, check: bool) -> Result<()> {
    let ids = sh.read_file("tests/spec-ids.txt")?;
    let rules = ids
        .lines()
        .map(|line| {
            let (id, level) = line
                .split_once(' ')
                .with_context(|| format!("no level: {line}"))?;
            Ok(Rule { id, level })
        })
        .collect::<Result<Vec<_>>>()?;
    let tests = tests(sh)?;
    let page = page(&rules, &tests);
    if check && sh.read_file(PAGE).unwrap_or_default() != page {
        bail!("{PAGE} is stale: run `cargo xtask spec-coverage`");
    }
    sh.write_file(PAGE, page)?;
    verdict(&rules, &tests)
}

/// Rule id -> the tests that carry it in their name: `rpc_01_...` proves `RPC-01`.
type Tests = BTreeMap<String, BTreeSet<String>>;

fn tests(sh: &Shell) -> Result<Tests> {
    let files = cmd!(sh, "git ls-files --cached --others --exclude-standard *.rs")
        .quiet()
        .read()?;
    let mut tests = Tests::new();
    for path in files.lines() {
        let content = sh.read_file(path).unwrap_or_default();
        let names = content
            .lines()
            .filter_map(|line| {
                line.trim_start()
                    .trim_start_matches("async ")
                    .strip_prefix("fn ")
            })
            .filter_map(|line| line.split(['(', '<']).next());
        for name in names {
            // A test may prove more than one: `rpc_01_rpc_02_...`.
            let mut rest = name;
            while let Some((id, after)) = rule_id(rest) {
                tests.entry(id).or_default().insert(name.to_owned());
                rest = after;
            }
        }
    }
    Ok(tests)
}

fn rule_id(name: &str) -> Option<(String, &str)> {
    let (section, rest) = name.split_once('_')?;
    let (number, after) = rest.split_once('_')?;
    let is_rule = number.len() == 2
        && number.bytes().all(|b| b.is_ascii_digit())
        && [
            "rpc", "proto", "life", "stdio", "http", "auth", "int", "agt",
        ]
        .contains(&section);
    is_rule.then(|| (format!("{}-{number}", section.to_uppercase()), after))
}

fn page(rules: &[Rule<'_>], tests: &Tests) -> String {
    let mut page = String::from(
        "# Coverage of the protocol's rules\n\n\
         Written by `cargo xtask spec-coverage` from `tests/spec-ids.txt` and the names of the\n\
         tests. A test that carries a rule's id fails when the rule is broken.\n\n\
         | rule | level | tests |\n|---|---|---|\n",
    );
    for Rule { id, level } in rules {
        let names = tests.get(*id).map_or_else(
            || "none".to_owned(),
            |names| {
                names
                    .iter()
                    .map(|n| format!("`{n}`"))
                    .collect::<Vec<_>>()
                    .join(", ")
            },
        );
        // Writing to a string cannot fail.
        let _ = writeln!(page, "| {id} | {level} | {names} |");
    }
    page
}

fn verdict(rules: &[Rule<'_>], tests: &Tests) -> Result<()> {
    let covered = rules
        .iter()
        .filter(|rule| tests.contains_key(rule.id))
        .count();
    let open: Vec<&str> = rules
        .iter()
        .filter(|rule| rule.level.starts_with("MUST") && !rule.id.starts_with("AUTH-"))
        .map(|rule| rule.id)
        .filter(|id| !tests.contains_key(*id))
        .collect();
    say(&format!(
        "spec-coverage: {covered} of {} rules have a test",
        rules.len()
    ));
    if !open.is_empty() {
        bail!(
            "{} rules of level MUST have no test: {}",
            open.len(),
            open.join(", ")
        );
    }
    Ok(())
}
