//! Their clients against our servers.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStderr, Command, Stdio};

use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Value, json};
use xshell::{Shell, cmd};

use super::{Row, install::Place};
use crate::workspace::text;

pub(crate) fn drive(sh: &Shell, place: &Place) -> Result<Vec<Row>> {
    let wiki = Wiki::start(place)?;
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
            rows.push(Row {
                who: format!("Python SDK ({mode}) -> {server}"),
                outcome: python(sh, place, mode, plan),
            });
        }
        rows.push(Row {
            who: format!("TypeScript SDK -> {server}"),
            outcome: typescript(sh, place, plan),
        });
    }
    Ok(rows)
}

fn python(sh: &Shell, place: &Place, mode: &str, plan: &Value) -> Result<String> {
    let (program, plan) = (&place.python, plan.to_string());
    let _there = sh.push_dir(place.modules.with_file_name(""));
    summary(
        &cmd!(sh, "timeout 60 {program} client.py {mode} {plan}")
            .quiet()
            .read()?,
    )
}

fn typescript(sh: &Shell, place: &Place, plan: &Value) -> Result<String> {
    let (program, plan) = (&place.node, plan.to_string());
    let _there = sh.push_dir(place.modules.with_file_name(""));
    summary(
        &cmd!(sh, "timeout 60 {program} client.mjs {plan}")
            .quiet()
            .read()?,
    )
}

fn summary(line: &str) -> Result<String> {
    let report: Value =
        serde_json::from_str(line).with_context(|| format!("not a report: {line}"))?;
    let number = |key: &str| report.get(key).and_then(Value::as_u64).unwrap_or_default();
    let calls = report
        .get("calls")
        .and_then(Value::as_array)
        .map_or(0, Vec::len);
    if calls == 0 {
        return Err(anyhow!("nothing was called"));
    }
    Ok(format!(
        "{}: {} tools, {calls} called, {} resources, {} prompts",
        text(&report, "version"),
        number("tools"),
        number("resources"),
        number("prompts"),
    ))
}

/// `mcp serve wiki` on a free port, for as long as this lives.
struct Wiki {
    url: String,
    child: Child,
    /// Kept open: a server whose stderr is gone may stop.
    _stderr: BufReader<ChildStderr>,
}

impl Wiki {
    fn start(place: &Place) -> Result<Self> {
        let mut child = Command::new(place.programs.join("mcp"))
            .args(["serve", "wiki", "--http", "127.0.0.1:0", "--dir"])
            .arg(&place.scratch)
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        let mut stderr = BufReader::new(child.stderr.take().context("stderr is piped")?);
        let mut line = String::new();
        while stderr.read_line(&mut line)? > 0 {
            if let Some(at) = line.find("http://") {
                let url = line.get(at..).unwrap_or_default().trim().to_owned();
                return Ok(Self {
                    url,
                    child,
                    _stderr: stderr,
                });
            }
            line.clear();
        }
        child.kill().ok();
        child.wait()?;
        bail!("mcp serve wiki printed no URL")
    }
}

impl Drop for Wiki {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
