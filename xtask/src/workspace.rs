//! Where the workspace is, and what cargo knows of it.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;
use xshell::{Shell, cmd};

/// A shell in the root of the repository.
pub(crate) fn shell() -> Result<Shell> {
    let sh = Shell::new()?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .context("xtask lies in the root of the repository")?;
    sh.change_dir(root);
    Ok(sh)
}

/// What `cargo metadata` says; `resolve` adds the graph of all dependencies.
pub(crate) fn metadata(sh: &Shell, resolve: bool) -> Result<Value> {
    let no_deps = (!resolve).then_some("--no-deps");
    let text = cmd!(
        sh,
        "cargo metadata --format-version 1 --locked {no_deps...}"
    )
    .quiet()
    .read()?;
    Ok(serde_json::from_str(&text)?)
}

/// The members of the workspace, by name.
pub(crate) fn members(metadata: &Value) -> BTreeMap<&str, &Value> {
    let ids: Vec<&Value> = list(metadata, "workspace_members").collect();
    list(metadata, "packages")
        .filter(|package| package.get("id").is_some_and(|id| ids.contains(&id)))
        .map(|package| (text(package, "name"), package))
        .collect()
}

/// The text files of the repository that match, with what is in them: what git tracks or would.
pub(crate) fn files(sh: &Shell, patterns: &[&str]) -> Result<Vec<(String, String)>> {
    let paths = cmd!(
        sh,
        "git ls-files --cached --others --exclude-standard -- {patterns...}"
    )
    .quiet()
    .read()?;
    // Some are deleted but still in the index, or no text.
    let read = |path: &str| Some((path.to_owned(), sh.read_file(path).ok()?));
    Ok(paths.lines().filter_map(read).collect())
}

/// A member of the JSON as text; empty where it is none.
pub(crate) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The elements of an array; none where it is none.
pub(crate) fn list<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value
        .get(key)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

/// Whether this runs where everything is expected to be there.
pub(crate) fn in_ci() -> bool {
    std::env::var_os("CI").is_some_and(|v| v == "true")
}

/// Fails with all problems, one a line; says `fine` if there are none.
pub(crate) fn verdict(problems: &[String], fine: &str) -> Result<()> {
    if problems.is_empty() {
        say(fine);
        return Ok(());
    }
    anyhow::bail!(
        "{} problem(s):\n  {}",
        problems.len(),
        problems.join("\n  ")
    )
}

/// Prints a line for the person who runs the command.
#[expect(clippy::print_stderr, reason = "this is a command for people")]
pub(crate) fn say(line: &str) {
    eprintln!("{line}");
}
