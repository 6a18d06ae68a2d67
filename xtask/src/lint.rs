//! Lints.

use anyhow::Result;
use xshell::{Shell, cmd};

pub(crate) fn run(sh: &Shell) -> Result<()> {
    Ok(cmd!(
        sh,
        "cargo clippy --workspace --all-targets --locked -- -D warnings"
    )
    .run()?)
}
