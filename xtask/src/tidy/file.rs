//! Rules for Rust files: size, first line, names, and what only a few places may do.

mod places;
mod waits;

pub(crate) struct Report {
    pub(crate) problems: Vec<String>,
    pub(crate) warnings: Vec<String>,
}

/// Module names that say nothing.
const VAGUE: [&str; 8] = [
    "utils", "common", "helpers", "types", "core", "base", "manager", "impl",
];
const WARN: usize = 400;
const FAIL: usize = 600;

pub(crate) fn check(path: &str, content: &str) -> Report {
    let is_test = path.contains("/tests/")
        || path.contains("/examples/")
        || path.contains("/benches/")
        || path.ends_with("/tests.rs");
    let body = body(content);
    let lines = body.lines().count();
    let mut problems: Vec<String> = first_line(content).into_iter().chain(name(path)).collect();
    if lines > FAIL {
        problems.push(format!("{lines} lines, more than {FAIL}"));
    }
    if !is_test && path.starts_with("crates/") {
        problems.extend(places::check(path, body));
    }
    // What is only for tests, and a program, is not dropped half-way.
    if !is_test && path.starts_with("crates/") && !path.starts_with("crates/mcp-testkit/") {
        problems.extend(waits::check(body));
    }
    let is_long = (WARN..=FAIL).contains(&lines) && !is_test;
    Report {
        problems: problems.iter().map(|p| format!("{path}: {p}")).collect(),
        warnings: is_long
            .then(|| format!("{path}: {lines} lines"))
            .into_iter()
            .collect(),
    }
}

fn first_line(content: &str) -> Option<String> {
    let first = content.lines().next().unwrap_or_default();
    let is_doc = first.starts_with("//!") || first.starts_with("#![doc = include_str!");
    (!is_doc).then(|| "the first line is no //! line".to_owned())
}

/// What stands before the inline tests.
fn body(content: &str) -> &str {
    content
        .split("#[cfg(test)]\nmod tests {\n")
        .next()
        .unwrap_or(content)
}

fn name(path: &str) -> Option<String> {
    path.split('/')
        .map(|part| part.strip_suffix(".rs").unwrap_or(part))
        .find(|part| VAGUE.contains(part))
        .map(|part| format!("`{part}` is a name that says nothing"))
}
