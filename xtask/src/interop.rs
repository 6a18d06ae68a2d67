//! Servers and clients that other people wrote, against ours.

mod clients;
mod install;
mod servers;

use anyhow::{Result, bail};
use xshell::{Shell, cmd};

use crate::workspace::{in_ci, say};

/// One line of the table.
pub(crate) struct Row {
    /// Who speaks to whom.
    who: String,
    /// The revision they agreed on and what was done, or why it failed.
    outcome: Result<String>,
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
    report(&rows)
}

fn report(rows: &[Row]) -> Result<()> {
    let width = rows
        .iter()
        .map(|row| row.who.len())
        .max()
        .unwrap_or_default();
    for Row { who, outcome } in rows {
        match outcome {
            Ok(done) => say(&format!("ok    {who:width$}  {done}")),
            Err(why) => say(&format!("FAIL  {who:width$}  {why:#}")),
        }
    }
    let failed = rows.iter().filter(|row| row.outcome.is_err()).count();
    if failed > 0 {
        bail!("{failed} of {} pairs failed", rows.len());
    }
    say(&format!("interop: {} pairs", rows.len()));
    Ok(())
}
