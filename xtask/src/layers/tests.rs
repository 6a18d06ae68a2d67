//! Each rule finds who breaks it, in a small workspace that keeps all others.

use serde_json::{Value, json};

use super::pages::Page;
use super::{lints, problems};
use crate::workspace::members;

/// A workspace of four crates of ours, the lowest without I/O, and one of somebody else.
fn metadata() -> Value {
    json!({
        "workspace_members": ["jsonrpc", "transport", "agent", "cli"],
        "packages": [
            package("jsonrpc", "mcp-jsonrpc", 0, false),
            package("transport", "mcp-transport", 2, true),
            package("agent", "mcp-agent", 4, true),
            package("cli", "mcp-cli", 7, true),
            {"id": "libc", "name": "libc"},
            {"id": "tokio", "name": "tokio"},
            {"id": "log", "name": "log"},
        ],
        "resolve": {"nodes": [
            {"id": "jsonrpc", "deps": [need("log")]},
            {"id": "agent", "deps": [need("jsonrpc")]},
            {"id": "transport", "deps": [need("tokio")]},
            {"id": "tokio", "deps": [need("libc")]},
        ]},
    })
}

fn package(id: &str, name: &str, layer: u64, io: bool) -> Value {
    json!({
        "id": id,
        "name": name,
        "manifest_path": format!("/here/crates/{name}/Cargo.toml"),
        "metadata": {"mcp": {"layer": layer, "io": io}},
        "dependencies": [],
        "features": {},
    })
}

fn need(id: &str) -> Value {
    json!({"pkg": id, "name": "renamed", "dep_kinds": [{"kind": null}]})
}

/// What is found once the value at `pointer` is another one.
fn found(pointer: &str, value: Value) -> Vec<String> {
    let mut metadata = metadata();
    *metadata.pointer_mut(pointer).expect(pointer) = value;
    problems(&metadata, &members(&metadata))
}

#[test]
fn a_workspace_that_keeps_the_rules_has_no_problems() {
    let metadata = metadata();
    assert_eq!(problems(&metadata, &members(&metadata)), [""; 0]);
}

#[test]
fn each_broken_rule_is_found_and_nothing_else() {
    let edge = |name: &str, kind: Value| json!([{"name": name, "kind": kind}]);
    let cases = [
        (
            "/packages/0/dependencies",
            edge("mcp-transport", Value::Null),
            "mcp-jsonrpc (layer 0) depends on mcp-transport (layer 2)",
        ),
        (
            "/packages/1/dependencies",
            edge("mcp-agent", "build".into()),
            "mcp-transport (layer 2) depends on mcp-agent (layer 4)",
        ),
        (
            "/packages/1/metadata",
            Value::Null,
            "mcp-transport has no [package.metadata.mcp] layer",
        ),
        (
            "/packages/0/metadata/mcp/io",
            true.into(),
            "mcp-jsonrpc is on a level without I/O but does not say io = false",
        ),
        (
            "/resolve/nodes/0/deps/0/pkg",
            "libc".into(),
            "mcp-jsonrpc must not have libc below it",
        ),
        (
            "/resolve/nodes/1/deps/0/pkg",
            "transport".into(),
            "mcp-agent must not have mcp-transport below it",
        ),
        (
            "/packages/2/features",
            json!({"default": [], "streams": []}),
            "mcp-agent has the optional feature streams",
        ),
    ];
    for (pointer, value, problem) in cases {
        assert_eq!(found(pointer, value), [problem], "{pointer}");
    }
}

#[test]
fn what_is_far_below_counts_and_what_only_tests_need_does_not() {
    let deep = found("/resolve/nodes/0/deps/0/pkg", "tokio".into());
    assert_eq!(deep.len(), 2, "tokio and what it needs: {deep:?}");
    let mut dev = need("tokio");
    dev["dep_kinds"] = json!([{"kind": "dev"}]);
    assert_eq!(found("/resolve/nodes/0/deps/0", dev), [""; 0]);
    let edge = json!([{"name": "mcp-agent", "kind": "dev"}]);
    assert_eq!(found("/packages/0/dependencies", edge), [""; 0]);
}

#[test]
fn a_manifest_takes_the_lints_of_the_workspace() {
    let takes = "[package]\nname = \"a\"\n\n[lints]\nworkspace = true\n";
    assert_eq!(lints("a", takes), None);
    for refuses in ["[package]\n", "[package]\n\n#[lints]\nworkspace = true\n"] {
        assert!(lints("a", refuses).is_some(), "{refuses}");
    }
}

#[test]
fn a_table_of_crates_says_what_the_manifests_say() {
    let mut metadata = metadata();
    metadata["packages"][3]["dependencies"] =
        json!([{"name": "mcp-agent", "kind": null}, {"name": "log", "kind": null}]);
    let page = "| level | crate | for | on |\n|---:|---|---|---|\n\
        | 0 | `mcp-jsonrpc` | ids | nothing |\n\
        | 2 | `mcp-transport` | seam | nothing |\n\
        | 4 | `mcp-agent` | graph | nothing |\n\
        | 7 | [`mcp-cli`](crates/mcp-cli) | command | agent |\n";
    let architecture = &Page::ALL[1];
    let ours = members(&metadata);
    assert_eq!(architecture.check(page, &ours), [""; 0]);
    let changes = [
        ("| 2 | `mcp-transport` | seam | nothing |\n", ""),
        ("| 4 |", "| 5 |"),
        ("| command | agent |", "| command | agent, transport |"),
        ("| command | agent |", "| command | nothing |"),
        ("| 0 |", "| 1 | `mcp-gone` | - | nothing |\n| 0 |"),
    ];
    for (what, with) in changes {
        let page = page.replace(what, with);
        assert_eq!(architecture.check(&page, &ours).len(), 1, "{page}");
    }
}
