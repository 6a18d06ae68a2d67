//! The page of limits names tests that exist.

use std::collections::BTreeSet;

/// What the page names that is no test.
pub(super) fn check(page: &str, tests: &BTreeSet<String>) -> Vec<String> {
    let rows = page.lines().filter(|line| line.starts_with("| "));
    let last_cells = rows.filter_map(|row| row.trim_end_matches(" |").rsplit(" | ").next());
    let names = last_cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    names
        .filter(|name| !tests.contains(*name))
        .map(|name| format!("docs/limits.md: there is no test {name}"))
        .collect()
}

/// The names of the functions in a file.
pub(super) fn functions(content: &str) -> impl Iterator<Item = String> {
    content.lines().filter_map(|line| {
        let line = line.trim_start().trim_start_matches("async ");
        let name = line.strip_prefix("fn ")?.split(['(', '<']).next()?;
        Some(name.to_owned())
    })
}
