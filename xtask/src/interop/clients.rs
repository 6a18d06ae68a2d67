//! Their clients against our servers.

use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use xshell::{Shell, cmd};

use super::install::Place;
use super::program::Program;
use super::{Outcome, Row};
use crate::workspace::text;

pub(crate) fn drive(sh: &Shell, place: &Place) -> Result<Vec<Row>> {
    let mcp = place.programs.join("mcp");
    let wiki = Program::start(
        Command::new(mcp)
            .args(["serve", "wiki", "--http", "127.0.0.1:0", "--dir"])
            .arg(&place.scratch),
        true,
    )?;
    let files = json!({
        "command": place.programs.join("mcp"),
        "args": ["serve", "files", "--root", place.scratch],
        "calls": [
            {"tool": "list_directory", "arguments": {"path": "."}, "expect": "hello.txt"},
            {"tool": "read_file", "arguments": {"path": "hello.txt"}, "expect": "interop"},
        ],
    });
    let pages = json!({
        "url": wiki.url,
        "calls": [
            {"tool": "search_pages", "arguments": {"query": "interop"}, "expect": "notes"},
            {"tool": "read_page", "arguments": {"page": "notes"}, "expect": "hello"},
        ],
        "resource": true,
        "prompt": "notes",
    });
    let mut rows = Vec::new();
    for (server, plan) in [("files", &files), ("wiki", &pages)] {
        for mode in ["auto", "legacy"] {
            let done = python(sh, place, mode, plan);
            rows.push(row("Python SDK", server, "", done));
        }
        for version in ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] {
            let done = typescript(sh, place, version, plan);
            rows.push(row("TypeScript SDK", server, version, done));
        }
        for version in REVISIONS {
            let done = rmcp(sh, place, version, plan);
            rows.push(row("rmcp", server, version, done));
        }
    }
    Ok(rows)
}

/// What rmcp can ask for.
const REVISIONS: [&str; 5] = [
    "2026-07-28",
    "2025-11-25",
    "2025-06-18",
    "2025-03-26",
    "2024-11-05",
];

fn row(client: &str, server: &str, version: &str, done: Result<(String, String)>) -> Row {
    let pair = format!("{client} -> mcp serve {server}");
    let (version, outcome) = match done {
        Ok((version, done)) => (version, Outcome::Done(done)),
        Err(why) => (version.to_owned(), Outcome::Failed(format!("{why:#}"))),
    };
    Row {
        pair,
        version,
        outcome,
    }
}

fn python(sh: &Shell, place: &Place, mode: &str, plan: &Value) -> Result<(String, String)> {
    let (program, plan) = (&place.python, plan.to_string());
    let _there = sh.push_dir(place.modules.with_file_name(""));
    summary(
        &cmd!(sh, "timeout 60 {program} client.py {mode} {plan}")
            .quiet()
            .read()?,
    )
}

fn typescript(sh: &Shell, place: &Place, version: &str, plan: &Value) -> Result<(String, String)> {
    let (program, plan) = (&place.node, plan.to_string());
    let _there = sh.push_dir(place.modules.with_file_name(""));
    summary(
        &cmd!(sh, "timeout 60 {program} client.mjs {version} {plan}")
            .quiet()
            .read()?,
    )
}

fn rmcp(sh: &Shell, place: &Place, version: &str, plan: &Value) -> Result<(String, String)> {
    let (program, plan) = (place.rmcp.join("rmcp-client"), plan.to_string());
    summary(
        &cmd!(sh, "timeout 60 {program} {version} {plan}")
            .quiet()
            .read()?,
    )
}

/// The revision and what was done, from the line that a client prints.
fn summary(line: &str) -> Result<(String, String)> {
    let report: Value =
        serde_json::from_str(line).with_context(|| format!("not a report: {line}"))?;
    let number = |key: &str| report.get(key).and_then(Value::as_u64).unwrap_or_default();
    let calls = report
        .get("calls")
        .and_then(Value::as_array)
        .map_or(0, Vec::len);
    if calls == 0 {
        bail!("nothing was called");
    }
    let done = format!(
        "{} tools, {calls} called, {} resources, {} prompts",
        number("tools"),
        number("resources"),
        number("prompts"),
    );
    Ok((text(&report, "version").to_owned(), done))
}
