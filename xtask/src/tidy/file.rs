//! Rules for Rust files: size, first line, names, and what only a few places may do.

pub(crate) struct Report {
    pub(crate) problems: Vec<String>,
    pub(crate) warnings: Vec<String>,
}

/// Module names that say nothing.
const VAGUE: [&str; 8] = [
    "utils", "common", "helpers", "types", "core", "base", "manager", "impl",
];
/// Where tasks may be spawned: the peer, the transports' drivers, the graph's driver, programs.
const SPAWNS: [&str; 6] = [
    "crates/mcp-peer/src/",
    "crates/mcp-transport-stdio/src/",
    "crates/mcp-transport-http/src/",
    "crates/mcp-agent/src/graph/run.rs",
    "crates/mcp-cli/",
    "tests/",
];
/// What is an error in a library, with where it is allowed.
const ONLY_THERE: [(&[&str], &str, &[&str]); 2] = [
    (
        &["tokio::spawn(", "spawn_blocking(", ".spawn_local("],
        "spawns a task",
        &SPAWNS,
    ),
    (
        &["unbounded_channel", "mpsc::unbounded"],
        "makes an unbounded channel",
        &[],
    ),
];
const WARN: usize = 400;
const FAIL: usize = 600;

pub(crate) fn check(path: &str, content: &str) -> Report {
    let mut report = Report {
        problems: Vec::new(),
        warnings: Vec::new(),
    };
    let is_test =
        path.contains("/tests/") || path.contains("/examples/") || path.contains("/tests.rs");
    first_line(path, content, &mut report);
    let body = body(content);
    size(path, body, is_test, &mut report);
    name(path, &mut report);
    if !is_test && path.starts_with("crates/") {
        only_there(path, body, &mut report);
        revisions(path, body, &mut report);
    }
    report
}

fn first_line(path: &str, content: &str, report: &mut Report) {
    let first = content.lines().next().unwrap_or_default();
    if !first.starts_with("//!") && !first.starts_with("#![doc = include_str!") {
        report
            .problems
            .push(format!("{path}: the first line is no //! line"));
    }
}

/// What stands before the inline tests.
fn body(content: &str) -> &str {
    content
        .find("#[cfg(test)]\nmod ")
        .map_or(content, |end| content.get(..end).unwrap_or(content))
}

fn size(path: &str, body: &str, is_test: bool, report: &mut Report) {
    let lines = body.lines().count();
    if lines > FAIL && !is_test {
        report
            .problems
            .push(format!("{path}: {lines} lines, more than {FAIL}"));
    } else if lines > WARN && !is_test {
        report.warnings.push(format!("{path}: {lines} lines"));
    }
}

fn name(path: &str, report: &mut Report) {
    let vague = path
        .split('/')
        .any(|part| VAGUE.contains(&part.strip_suffix(".rs").unwrap_or(part)));
    if vague {
        report
            .problems
            .push(format!("{path}: a name that says nothing"));
    }
}

fn only_there(path: &str, body: &str, report: &mut Report) {
    for (words, what, places) in ONLY_THERE {
        let here = || code(body).any(|line| words.iter().any(|word| line.contains(word)));
        if !places.iter().any(|place| path.starts_with(place)) && here() {
            report.problems.push(format!("{path}: {what}"));
        }
    }
}

/// Only `revision.rs` compares revisions; everyone else asks it for a feature.
fn revisions(path: &str, body: &str, report: &mut Report) {
    if path == "crates/mcp-protocol/src/revision.rs" || path == "crates/mcp-protocol/src/version.rs"
    {
        return;
    }
    let compares = |line: &str| {
        line.contains("::V20")
            && ["< ", "> ", "<= ", ">= ", "== ", "!= ", "matches!("]
                .iter()
                .any(|op| line.contains(op))
            && !line.contains("=> ")
    };
    if let Some(line) = code(body).find(|line| compares(line)) {
        report
            .problems
            .push(format!("{path}: compares revisions: {}", line.trim()));
    }
}

/// The lines that are code.
fn code(body: &str) -> impl Iterator<Item = &str> {
    body.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
}
