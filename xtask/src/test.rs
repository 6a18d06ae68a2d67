//! Tests and the documentation's examples.

use anyhow::Result;
use xshell::{Shell, cmd};

pub(crate) fn run(sh: &Shell, package: Option<&str>) -> Result<()> {
    let what = &package.map_or_else(|| vec!["--workspace"], |package| vec!["--package", package]);
    // A test that starts the `mcp` command needs it built, whoever owns the test.
    cmd!(sh, "cargo build --locked --bins {what...}").run()?;
    if cmd!(sh, "cargo nextest --version")
        .quiet()
        .ignore_stderr()
        .read()
        .is_ok()
    {
        cmd!(sh, "cargo nextest run --locked --no-tests=pass {what...}").run()?;
        cmd!(sh, "cargo test --locked --doc {what...}").run()?;
    } else {
        cmd!(sh, "cargo test --locked {what...}").run()?;
    }
    Ok(())
}
