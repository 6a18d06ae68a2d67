//! The rules of the house that no lint knows.

mod file;
mod limits;
mod text;

use std::collections::BTreeSet;

use anyhow::Result;
use xshell::{Shell, cmd};

use crate::workspace::{list, metadata, say, text as member, verdict};

pub(crate) fn run(sh: &Shell) -> Result<()> {
    let tracked = cmd!(sh, "git ls-files --cached --others --exclude-standard")
        .quiet()
        .read()?;
    let mut problems = Vec::new();
    let mut files = 0;
    let mut functions = BTreeSet::new();
    for path in tracked.lines() {
        // Deleted but still in the index, or not text.
        let Ok(content) = sh.read_file(path) else {
            continue;
        };
        files += 1;
        problems.extend(text::check(path, &content));
        if path.ends_with(".rs") {
            functions.extend(limits::functions(&content));
            let report = file::check(path, &content);
            report
                .warnings
                .iter()
                .for_each(|w| say(&format!("warning: {w}")));
            problems.extend(report.problems);
        }
    }
    let page = sh.read_file("docs/limits.md")?;
    problems.extend(limits::check(&page, &functions));
    problems.extend(crates(sh)?);
    problems.extend(top_level(&tracked));
    verdict(&problems, &format!("tidy: {files} files"))
}

/// Every crate has a README that is its documentation, and one integration test binary.
fn crates(sh: &Shell) -> Result<Vec<String>> {
    let metadata = metadata(sh, false)?;
    let mut problems = Vec::new();
    for package in list(&metadata, "packages") {
        let name = member(package, "name");
        let manifest = member(package, "manifest_path");
        let Some(folder) = manifest.strip_suffix("/Cargo.toml") else {
            continue;
        };
        let is_library = list(package, "targets")
            .any(|t| list(t, "kind").any(|kind| kind.as_str() == Some("lib")));
        if manifest.contains("/crates/") && !sh.path_exists(format!("{folder}/README.md")) {
            problems.push(format!("{name} has no README.md"));
        }
        if manifest.contains("/crates/") && is_library {
            let lib = sh
                .read_file(format!("{folder}/src/lib.rs"))
                .unwrap_or_default();
            if !lib.starts_with("#![doc = include_str!(\"../README.md\")]") {
                problems.push(format!(
                    "{name}: the README is not the crate's documentation"
                ));
            }
        }
        let tests: Vec<&str> = list(package, "targets")
            .filter(|t| list(t, "kind").any(|kind| kind.as_str() == Some("test")))
            .map(|t| member(t, "name"))
            .collect();
        if tests.iter().any(|test| *test != "it") {
            problems.push(format!(
                "{name}: tests go into the one binary tests/it, not {tests:?}"
            ));
        }
    }
    Ok(problems)
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

fn top_level(tracked: &str) -> Vec<String> {
    let mut names: Vec<&str> = tracked
        .lines()
        .filter_map(|path| path.split('/').next())
        .filter(|name| !name.starts_with('.') && !TOP.contains(name))
        .collect();
    names.dedup();
    names
        .into_iter()
        .map(|name| format!("{name} does not belong in the root of the repository"))
        .collect()
}
