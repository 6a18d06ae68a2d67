//! The long soak: the short one is among the tests.

use anyhow::Result;
use xshell::{Shell, cmd};

pub(crate) fn run(sh: &Shell, requests: Option<u64>, seed: Option<u64>) -> Result<()> {
    let requests = requests.unwrap_or(100_000).to_string();
    let seed = seed.unwrap_or(1).to_string();
    cmd!(
        sh,
        "cargo run --locked --release --package mcp-tests --bin soak -- {requests} {seed}"
    )
    .run()?;
    Ok(())
}
