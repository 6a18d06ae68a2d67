//! The rules of the house that no lint knows.

mod crates;
mod file;
mod limits;
mod links;
#[cfg(test)]
mod tests;
mod text;

use std::collections::BTreeSet;

use anyhow::Result;
use xshell::Shell;

use crate::tests_in::tests_in;
use crate::workspace::{files, members, metadata, say, verdict};

pub(crate) fn run(sh: &Shell) -> Result<()> {
    let files = files(sh, &[])?;
    let mut problems = Vec::new();
    let mut tests = BTreeSet::new();
    for (path, content) in &files {
        problems.extend(text::check(path, content));
        if path.ends_with(".rs") {
            tests.extend(tests_in(content).map(str::to_owned));
            let report = file::check(path, content);
            report
                .warnings
                .iter()
                .for_each(|w| say(&format!("warning: {w}")));
            problems.extend(report.problems);
        }
        if path.ends_with(".md") {
            problems.extend(links::check(path, content, |target| sh.path_exists(target)));
        }
    }
    problems.extend(limits::check(&sh.read_file("docs/limits.md")?, &tests));
    for (name, package) in members(&metadata(sh, false)?) {
        problems.extend(crates::check(sh, name, package));
    }
    problems.extend(top_level(files.iter().map(|(path, _)| path.as_str())));
    verdict(&problems, &format!("tidy: {} files", files.len()))
}

/// What may lie in the root of the repository besides files whose name begins with a dot.
const TOP: [&str; 13] = [
    "CHANGELOG.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "clippy.toml",
    "crates",
    "docs",
    "rust-toolchain.toml",
    "rustfmt.toml",
    "tests",
    "xtask",
];

fn top_level<'a>(paths: impl Iterator<Item = &'a str>) -> Vec<String> {
    let names: BTreeSet<&str> = paths.filter_map(|path| path.split('/').next()).collect();
    names
        .into_iter()
        .filter(|name| !name.starts_with('.') && !TOP.contains(name))
        .map(|name| format!("{name} does not belong in the root of the repository"))
        .collect()
}
