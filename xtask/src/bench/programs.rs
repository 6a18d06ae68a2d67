//! The programs that are compared: how they are built and where they are.

use anyhow::{Result, bail};
use xshell::{Shell, cmd};

/// Workspaces with programs of the benchmark.
const WORKSPACES: [&str; 3] = ["tests/bench", "tests/bench/rmcp", "tests/bench/tower"];

/// Builds all, as a user would: with the defaults of `--release`.
pub(crate) fn build(sh: &Shell) -> Result<()> {
    for workspace in WORKSPACES {
        let _there = sh.push_dir(workspace);
        cmd!(sh, "cargo build --quiet --release --locked --bins").run()?;
    }
    Ok(cmd!(
        sh,
        "cargo build --quiet --release --locked --package mcp-cli"
    )
    .run()?)
}

/// A client program and what it is told besides the scenario.
pub(crate) fn contender(name: &str) -> Result<(String, &'static str)> {
    let (client, own) = match name {
        "ours" => ("ours-client", ""),
        "ours, 1,000 tools" => ("ours-client", "tools=1000"),
        "raw" => ("reference-client", "imp=raw"),
        "serde" => ("reference-client", "imp=serde"),
        "rmcp" => ("rmcp-client", ""),
        "rmcp, pipes" => ("rmcp-client", "imp=pipes"),
        "tower-mcp" => ("tower-client", ""),
        "agent, pooled" => ("agent-pooled", ""),
        "sessions" => ("reference-client", ""),
        "serde, counted" => ("reference-allocations", ""),
        "ours, counted" => ("ours-allocations", ""),
        "rmcp, counted" => ("rmcp-allocations", ""),
        "tower-mcp, counted" => ("tower-allocations", ""),
        _ => bail!("nobody is called {name}"),
    };
    Ok((path(client), own))
}

/// Where a program of the benchmark is.
pub(crate) fn path(program: &str) -> String {
    let workspace = match program.split('-').next() {
        Some(sdk @ ("rmcp" | "tower")) => format!("tests/bench/{sdk}"),
        _ => "tests/bench".to_owned(),
    };
    format!("{workspace}/target/release/{program}")
}
