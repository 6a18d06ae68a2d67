//! The page of limits names tests that exist, and at least one for each limit.

use std::collections::BTreeSet;

const PAGE: &str = "docs/limits.md";

/// What is wrong with the page: rows without a test, and names of none.
pub(super) fn check(page: &str, tests: &BTreeSet<String>) -> Vec<String> {
    page.lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| limit |"))
        .flat_map(|row| check_row(row, tests))
        .collect()
}

fn check_row(row: &str, tests: &BTreeSet<String>) -> Vec<String> {
    let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
    let (first, last) = (cells.first().unwrap_or(&""), cells.last().unwrap_or(&""));
    if last.is_empty() {
        return vec![format!(
            "{PAGE}: {first}: neither a test nor why there is none"
        )];
    }
    last.split('`')
        .skip(1)
        .step_by(2)
        .filter(|name| !tests.contains(*name))
        .map(|name| format!("{PAGE}: there is no test {name}"))
        .collect()
}
