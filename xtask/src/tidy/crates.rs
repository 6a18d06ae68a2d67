//! Rules for crates: a README that is the documentation, and one binary of tests.

use serde_json::Value;
use xshell::Shell;

use crate::workspace::{list, text};

const README_IS_THE_DOC: &str = "#![doc = include_str!(\"../README.md\")]";

pub(super) fn check(sh: &Shell, name: &str, package: &Value) -> Vec<String> {
    let folder = text(package, "manifest_path").trim_end_matches("Cargo.toml");
    let read = |file: &str| sh.read_file(format!("{folder}{file}")).unwrap_or_default();
    let mut problems = Vec::new();
    if folder.contains("/crates/") && read("README.md").is_empty() {
        problems.push(format!("{name} has no README.md"));
    }
    let is_library = targets(package, "lib").next().is_some();
    if folder.contains("/crates/")
        && is_library
        && !read("src/lib.rs").starts_with(README_IS_THE_DOC)
    {
        problems.push(format!(
            "{name}: the README is not the crate's documentation"
        ));
    }
    let others = targets(package, "test").filter(|test| *test != "it");
    problems.extend(
        others
            .map(|test| format!("{name}: tests go into the one binary tests/it, not into {test}")),
    );
    problems
}

fn targets<'a>(package: &'a Value, kind: &'static str) -> impl Iterator<Item = &'a str> {
    list(package, "targets")
        .filter(move |target| list(target, "kind").any(|k| k.as_str() == Some(kind)))
        .map(|target| text(target, "name"))
}
