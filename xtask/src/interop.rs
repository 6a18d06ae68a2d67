//! Servers and clients that other people wrote, against ours.

mod clients;
mod install;
mod page;
mod program;
mod servers;

use anyhow::{Result, bail};
use xshell::{Shell, cmd};

use crate::workspace::{in_ci, say};

/// One line of the table.
pub(crate) struct Row {
    /// Who speaks to whom.
    pair: String,
    /// The revision they agreed on, or that was asked for.
    version: String,
    outcome: Outcome,
}

pub(crate) enum Outcome {
    /// What was done.
    Done(String),
    /// The other side does not speak this revision, and says so.
    NotOffered(String),
    /// Why not.
    Failed(String),
}

pub(crate) fn run(sh: &Shell) -> Result<()> {
    if let Some(missing) = install::missing(sh) {
        let text = format!("interop: {missing} is not here");
        if in_ci() {
            bail!(text);
        }
        say(&format!("{text}; skipped"));
        return Ok(());
    }
    cmd!(
        sh,
        "cargo build --locked --package mcp-tests --package mcp-cli --bins"
    )
    .run()?;
    let place = install::run(sh)?;
    let mut rows = servers::drive(sh, &place)?;
    rows.extend(clients::drive(sh, &place)?);
    report(sh, &rows)?;
    doctor(sh)
}

/// Has `mcp doctor` look at the servers; what is installed is not skipped.
fn doctor(sh: &Shell) -> Result<()> {
    let _installed = sh.push_env("MCP_INTEROP", "1");
    cmd!(
        sh,
        "cargo test --quiet --locked --package mcp-cli --test it -- interop::"
    )
    .run()?;
    Ok(())
}

fn report(sh: &Shell, rows: &[Row]) -> Result<()> {
    let width = rows
        .iter()
        .map(|row| row.pair.len())
        .max()
        .unwrap_or_default();
    for row in rows {
        let (mark, what) = match &row.outcome {
            Outcome::Done(done) => ("ok  ", done),
            Outcome::NotOffered(why) => ("--  ", why),
            Outcome::Failed(why) => ("FAIL", why),
        };
        say(&format!(
            "{mark}  {:width$}  {:10}  {what}",
            row.pair, row.version
        ));
    }
    let failed = rows
        .iter()
        .filter(|row| matches!(row.outcome, Outcome::Failed(_)))
        .count();
    if failed > 0 {
        bail!("{failed} of {} tries failed", rows.len());
    }
    page::write(sh, rows)?;
    say(&format!("interop: {} tries", rows.len()));
    Ok(())
}
