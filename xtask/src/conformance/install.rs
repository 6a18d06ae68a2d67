//! Brings the suite, and the Node.js that it needs, into `target/conformance`.

use std::path::PathBuf;

use anyhow::Result;
use xshell::{Shell, cmd};

use crate::node;

/// The suite, ready to run.
pub(crate) struct Suite {
    /// Node.js 22; the suite does not load in older ones.
    pub(crate) node: PathBuf,
    /// The suite's program.
    pub(crate) program: PathBuf,
    /// Where it writes what it found.
    pub(crate) results: PathBuf,
    /// The programs of this workspace.
    pub(crate) ours: PathBuf,
}

/// The tool that this machine lacks.
pub(crate) fn missing(sh: &Shell) -> Option<&'static str> {
    let npm = cmd!(sh, "npm --version").quiet().ignore_stderr().read();
    npm.is_err().then_some("npm")
}

pub(crate) fn run(sh: &Shell) -> Result<Suite> {
    let root = sh.current_dir();
    let target = root.join("target/conformance");
    node::install(sh, &root.join("tests/conformance"), &target)?;
    Ok(Suite {
        node: target.join("node_modules/.bin/node"),
        program: target.join("node_modules/@modelcontextprotocol/conformance/dist/index.js"),
        results: target.join("results"),
        ours: root.join("target/debug"),
    })
}
