//! Each rule finds what breaks it, and leaves alone what only looks like it.

use std::collections::BTreeSet;

use super::{file, limits, links, text, top_level};

/// The problems of a file with this code in it.
fn found(path: &str, code: &str) -> Vec<String> {
    file::check(path, &format!("//! A file.\n\n{code}\n")).problems
}

/// What is wrong, in which crate, and code that does it.
const WRONG: [(&str, &str, &[&str]); 5] = [
    (
        "spawns a task",
        "mcp-client",
        &[
            "tokio::spawn(work);",
            "let h = handle.spawn(async move {",
            "self.tasks.spawn(work)",
            "spawn_blocking(|| 1)",
            "thread::Builder::new().spawn(|| 1)",
        ],
    ),
    (
        "makes an unbounded channel",
        "mcp-peer",
        &["mpsc::unbounded_channel()", "std::sync::mpsc::channel()"],
    ),
    (
        "touches standard input or output",
        "mcp-server",
        &["io::stdout().write_all(b)", "tokio::io::stdin()"],
    ),
    (
        "waits, or asks the system",
        "mcp-jsonrpc",
        &[
            "async fn read() {",
            "let now = Instant::now();",
            "use std::{fs, net};",
            "std::thread::sleep(d);",
        ],
    ),
    (
        "compares revisions",
        "mcp-agent",
        &[
            "if v >= ProtocolVersion::V2025_06_18 {",
            "ProtocolVersion::V2025_06_18 => 1,",
            "use ProtocolVersion::{V2025_06_18};",
            "v == ProtocolVersion::LATEST",
            "matches!(v, V::LATEST_HANDSHAKE)",
        ],
    ),
];

#[test]
fn each_thing_has_its_places() {
    for (what, krate, lines) in WRONG {
        for code in lines {
            let problems = found(&format!("crates/{krate}/src/a.rs"), code);
            assert_eq!(problems.len(), 1, "{code}: {problems:?}");
            assert!(problems[0].contains(what), "{code}: {problems:?}");
        }
    }
}

#[test]
fn what_is_in_its_place_or_only_looks_alike_is_left_alone() {
    let cases = [
        ("crates/mcp-peer/src/a.rs", "tokio::spawn(work);"),
        ("crates/mcp/src/a.rs", "let child = self.child.spawn()?;"),
        ("crates/mcp/src/a.rs", "fn spawn(work: Work) {}"),
        ("crates/mcp/src/a.rs", "let (a, b) = oneshot::channel();"),
        ("crates/mcp/src/a.rs", "let (a, b) = mpsc::channel(8);"),
        ("crates/mcp/src/a.rs", "// tokio::spawn(work);"),
        ("crates/mcp/src/a.rs", "source.stderr().map(str::to_owned)"),
        ("crates/mcp/src/a.rs", "const ASSUMED: V = V::V2025_03_26;"),
        (
            "crates/mcp/src/a.rs",
            "self.offer(ProtocolVersion::LATEST);",
        ),
        ("crates/mcp-protocol/src/revision.rs", "v < V::V2025_03_26"),
        (
            "crates/mcp-jsonrpc/tests/it/a.rs",
            "let now = Instant::now();",
        ),
        (
            "crates/mcp/src/a.rs",
            "#[cfg(test)]\nmod tests {\n    tokio::spawn(work);\n}",
        ),
    ];
    for (path, code) in cases {
        assert_eq!(found(path, code), [""; 0], "{path}: {code}");
    }
}

#[test]
fn what_is_public_and_waits_says_what_dropping_its_future_does() {
    let said = "/// Waits.\n///\n/// # Cancel safety\n/// Nothing is lost.\n#[must_use]\n";
    let waiting = [
        "pub async fn a() {}",
        "pub fn a(\n    &self,\n) -> BoxFuture<'_, ()> {",
        "pub trait A {\n    /// Waits.\n    fn a(&self) -> impl Future<Output = ()> + Send;\n}",
    ];
    for code in waiting {
        assert_eq!(found("crates/mcp/src/a.rs", code).len(), 1, "{code}");
        let other = format!("pub fn b() {{}}\n\n{said}{code}");
        assert_eq!(found("crates/mcp/src/a.rs", &other), [""; 0], "{other}");
        let of_another = format!("{said}pub fn b() {{}}\n\n{code}");
        assert_eq!(
            found("crates/mcp/src/a.rs", &of_another).len(),
            1,
            "{of_another}"
        );
    }
    for quick in [
        "async fn a() {}",
        "pub fn a() -> usize {",
        "pub(crate) async fn a() {}",
    ] {
        assert_eq!(found("crates/mcp/src/a.rs", quick), [""; 0], "{quick}");
    }
}

#[test]
fn code_behind_a_declaration_of_tests_is_looked_at() {
    let code = "#[cfg(test)]\nmod tests;\n\nfn a() { tokio::spawn(work); }";
    assert_eq!(found("crates/mcp/src/a.rs", code).len(), 1);
}

#[test]
fn files_have_a_first_line_a_size_and_a_name() {
    let bad_start = file::check("crates/mcp/src/a.rs", "use std::fmt;\n");
    assert_eq!(bad_start.problems.len(), 1);
    assert_eq!(found("crates/mcp/src/utils.rs", "").len(), 1);
    assert_eq!(found("crates/mcp/src/helpers/a.rs", "").len(), 1);
    let long = "let a = 1;\n".repeat(600);
    assert_eq!(found("crates/mcp/tests/it/a.rs", &long).len(), 1);
}

#[test]
fn a_limit_has_a_test_that_exists_or_says_why_not() {
    let tests = BTreeSet::from(["a_test".to_owned()]);
    let check = |row: &str| limits::check(&format!("| limit | test |\n|---|---|\n{row}\n"), &tests);
    assert_eq!(check("| bytes | 1 | | cut | `a_test` |"), [""; 0]);
    assert_eq!(check("| bytes | 1 | | cut | needs a year |"), [""; 0]);
    assert_eq!(check("| bytes | 1 | | cut | `a_test`, `gone` |").len(), 1);
    assert_eq!(check("| bytes | 1 | | cut | |").len(), 1);
}

#[test]
fn pages_point_to_what_is_there() {
    let there = ["docs/cli.md", "crates/mcp/src/lib.rs", "README.md"];
    let check = |page: &str| links::check("docs/a.md", page, |target| there.contains(&target));
    for good in [
        "[a](cli.md#exit-codes)",
        "[a](../README.md)",
        "[a](https://example.com/x.md)",
        "[a](mcp::Config)",
        "[a](fn@store_contract)",
        "`mcp/src/gone.rs`",
    ] {
        assert_eq!(check(good), [""; 0], "{good}");
    }
    for bad in [
        "[a](gone.md)",
        "[a](../docs/gone.md)",
        "`mcp-gone/src/a.rs`",
    ] {
        assert_eq!(check(bad).len(), 1, "{bad}");
    }
}

#[test]
fn text_is_clean_and_the_root_is_small() {
    for bad in ["a \n", "\ta\n", "a"] {
        assert_eq!(text::check("a.rs", bad).len(), 1, "{bad:?}");
    }
    assert_eq!(text::check("a.rs", "a\n"), [""; 0]);
    let paths = ["README.md", ".gitignore", "crates/a", "notes/a", "notes/b"];
    assert_eq!(top_level(paths.into_iter()).len(), 1);
}
