//! Formatting.

use anyhow::Result;
use xshell::{Shell, cmd};

pub(crate) fn run(sh: &Shell) -> Result<()> {
    Ok(cmd!(sh, "cargo fmt --all --check").run()?)
}
