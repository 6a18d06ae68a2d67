//! From nothing to a session.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::json;
use xshell::cmd;

use super::Bench;
use super::line::{Line, Target};
use super::programs;
use super::race::{Race, median};

/// What `mcp tools` may take longer than the server takes to start.
const ALLOWED: f64 = 0.025;

const STARTS: [(&str, &str); 4] = [
    (
        "a session from nothing to its end, stdio, 2025-11-25",
        "kind=stdio-start",
    ),
    (
        "a session from nothing to its end, stdio, 2026-07-28",
        "kind=stdio-start era=2026-07-28",
    ),
    (
        "a session from nothing to its end, HTTP, 2025-11-25",
        "kind=http-start",
    ),
    (
        "a session from nothing to its end, HTTP, 2026-07-28",
        "kind=http-start era=2026-07-28",
    ),
];

pub(crate) fn run(bench: &Bench<'_>) -> Result<Vec<Line>> {
    let mut lines = Vec::new();
    for (row, scenario) in STARTS.into_iter().filter(|(row, _)| bench.wants(row)) {
        let race = Race {
            scenario,
            contenders: &["ours", "raw", "rmcp", "tower-mcp"],
            calls: None,
        };
        let figures = race.run(bench.sh, bench.pace)?;
        let rates: Vec<f64> = figures
            .iter()
            .filter_map(|figures| figures.get("calls_per_second").copied())
            .collect();
        if let [ours, others @ ..] = rates.as_slice() {
            let names = ["raw", "rmcp", "tower-mcp"];
            let compared = names.into_iter().zip(others);
            lines.extend(
                compared.map(|(name, rate)| Line::new(row, name, ours / rate, Target::None)),
            );
        }
    }
    let row = "`mcp tools`, one stdio server, beyond the server's own start";
    if bench.wants(row) {
        let share = command(bench)? / ALLOWED;
        lines.push(Line::new(
            row,
            "the 25 ms allowed",
            share,
            Target::AtMost(1.0),
        ));
    }
    Ok(lines)
}

/// By how much the command takes longer than its server.
fn command(bench: &Bench<'_>) -> Result<f64> {
    let root = bench.sh.current_dir();
    let server = root.join(programs::path("ours-server"));
    let config = root.join("target/bench/mcp.json");
    let servers = json!({ "mcpServers": { "echo": { "command": server, "args": [] } } });
    bench.sh.write_file(&config, servers.to_string())?;
    let mcp = root.join("target/release/mcp");
    let (mut whole, mut own) = (Vec::new(), Vec::new());
    for _ in 0..bench.pace.rounds * 5 {
        let start = Instant::now();
        cmd!(bench.sh, "{mcp} tools --config {config}")
            .quiet()
            .ignore_stdout()
            .run()?;
        whole.push(start.elapsed().as_secs_f64());
        let start = Instant::now();
        start_alone(Command::new(&server))?;
        own.push(start.elapsed().as_secs_f64());
    }
    Ok(median(whole) - median(own))
}

/// Starts a server, sees one answer, ends it.
fn start_alone(mut server: Command) -> Result<()> {
    let mut child = server
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut stdin = child.stdin.take().context("its stdin is a pipe")?;
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    writeln!(stdin, "{ping}")?;
    let stdout = child.stdout.take().context("its stdout is a pipe")?;
    BufReader::new(stdout).read_line(&mut String::new())?;
    drop(stdin);
    child.wait()?;
    Ok(())
}
