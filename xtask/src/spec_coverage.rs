//! Which rules of the protocol have a test: `docs/spec-coverage.md`.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use anyhow::{Context, Result, ensure};
use xshell::Shell;

use crate::tests_in::tests_in;
use crate::workspace::{files, say};

const PAGE: &str = "docs/spec-coverage.md";
const SECTIONS: [&str; 8] = [
    "rpc", "proto", "life", "stdio", "http", "auth", "int", "agt",
];

/// Rule id -> how binding it is.
type Rules<'a> = Vec<(&'a str, &'a str)>;
/// Rule id -> the tests that carry it in their name: `rpc_01_...` proves `RPC-01`.
type Tests = BTreeMap<String, BTreeSet<String>>;

pub(crate) fn run(sh: &Shell, check: bool) -> Result<()> {
    let ids = sh.read_file("tests/spec-ids.txt")?;
    let rules = rules(&ids)?;
    let sources = files(sh, &["*.rs"])?;
    let tests = tests(sources.iter().flat_map(|(_, content)| tests_in(content)));
    verdict(&rules, &tests)?;
    let page = page(&rules, &tests);
    if check {
        let is_fresh = sh.read_file(PAGE).unwrap_or_default() == page;
        ensure!(is_fresh, "{PAGE} is stale: run `cargo xtask spec-coverage`");
        return Ok(());
    }
    Ok(sh.write_file(PAGE, page)?)
}

fn rules(ids: &str) -> Result<Rules<'_>> {
    ids.lines()
        .map(|line| {
            line.split_once(' ')
                .with_context(|| format!("no level: {line}"))
        })
        .collect()
}

fn tests<'a>(names: impl Iterator<Item = &'a str>) -> Tests {
    let mut tests = Tests::new();
    for name in names {
        for id in rules_of(name) {
            tests.entry(id).or_default().insert(name.to_owned());
        }
    }
    tests
}

/// The rules at the beginning of a test's name. It may prove several, and cases of other lists
/// may stand between them: `rpc_01_h13_rpc_02_...`.
fn rules_of(name: &str) -> Vec<String> {
    let mut ids = Vec::new();
    let mut rest = name;
    while let Some((word, after)) = rest.split_once('_') {
        let rule = SECTIONS
            .contains(&word)
            .then(|| after.split_once('_'))
            .flatten()
            .filter(|(number, _)| is_number(number));
        match rule {
            Some((number, after)) => {
                ids.push(format!("{}-{number}", word.to_uppercase()));
                rest = after;
            }
            None if is_case(word) => rest = after,
            None => break,
        }
    }
    ids
}

fn is_number(word: &str) -> bool {
    word.len() == 2 && word.bytes().all(|b| b.is_ascii_digit())
}

/// A letter and two digits.
fn is_case(word: &str) -> bool {
    word.strip_prefix(|c: char| c.is_ascii_lowercase())
        .is_some_and(is_number)
}

fn page(rules: &Rules<'_>, tests: &Tests) -> String {
    let mut page = String::from(
        "# Coverage of the protocol's rules\n\n\
         Written by `cargo xtask spec-coverage` from `tests/spec-ids.txt` and the names of the\n\
         tests. A test that carries a rule's id fails when the rule is broken.\n\n\
         | rule | level | tests |\n|---|---|---|\n",
    );
    for (id, level) in rules {
        let names = tests.get(*id).into_iter().flatten();
        let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
        let names = if names.is_empty() {
            "none".to_owned()
        } else {
            names.join(", ")
        };
        // Writing to a string cannot fail.
        let _ = writeln!(page, "| {id} | {level} | {names} |");
    }
    page
}

fn verdict(rules: &Rules<'_>, tests: &Tests) -> Result<()> {
    let ids: BTreeSet<&str> = rules.iter().map(|(id, _)| *id).collect();
    ensure!(ids.len() == rules.len(), "a rule stands twice in the list");
    let unknown: Vec<&String> = tests
        .keys()
        .filter(|id| !ids.contains(id.as_str()))
        .collect();
    ensure!(
        unknown.is_empty(),
        "tests name rules that there are not: {unknown:?}"
    );
    let open: Vec<&str> = rules
        .iter()
        .filter(|(id, level)| level.starts_with("MUST") && !id.starts_with("AUTH-"))
        .map(|(id, _)| *id)
        .filter(|id| !tests.contains_key(*id))
        .collect();
    say(&format!(
        "spec-coverage: {} of {} rules have a test",
        tests.len(),
        rules.len()
    ));
    ensure!(
        open.is_empty(),
        "{} rules of level MUST have no test: {}",
        open.len(),
        open.join(", ")
    );
    Ok(())
}
