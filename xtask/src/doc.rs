//! Documentation.

use anyhow::Result;
use xshell::{Shell, cmd};

pub(crate) fn run(sh: &Shell) -> Result<()> {
    let _flags = sh.push_env("RUSTDOCFLAGS", "-D warnings");
    Ok(cmd!(
        sh,
        "cargo doc --workspace --no-deps --locked --document-private-items"
    )
    .run()?)
}
