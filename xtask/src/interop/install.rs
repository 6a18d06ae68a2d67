//! Brings the other side here, into `target/interop`.

use std::path::PathBuf;

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

use crate::node;

/// Where everything is after the installation.
pub(crate) struct Place {
    /// Node.js 22.
    pub(crate) node: PathBuf,
    /// The packages of Node.js.
    pub(crate) modules: PathBuf,
    /// Python in its own environment.
    pub(crate) python: PathBuf,
    /// The programs of the official Rust SDK.
    pub(crate) rmcp: PathBuf,
    /// The programs of this workspace.
    pub(crate) programs: PathBuf,
    /// A git repository with one committed and one untracked file.
    pub(crate) scratch: PathBuf,
}

/// The tool that this machine lacks.
pub(crate) fn missing(sh: &Shell) -> Option<&'static str> {
    ["npm", "python3", "git"].into_iter().find(|tool| {
        cmd!(sh, "{tool} --version")
            .quiet()
            .ignore_stderr()
            .read()
            .is_err()
    })
}

pub(crate) fn run(sh: &Shell) -> Result<Place> {
    let root = sh.current_dir();
    let target = root.join("target/interop");
    let sources = root.join("tests/interop");
    node::install(sh, &sources, &target)?;
    for file in ["client.mjs", "client.py"] {
        sh.copy_file(sources.join(file), &target)?;
    }
    {
        let _there = sh.push_dir(&target);
        if !sh.path_exists("python/bin/python") {
            cmd!(sh, "python3 -m venv python").run()?;
        }
        let list = sources.join("requirements.txt");
        cmd!(
            sh,
            "python/bin/python -m pip install --quiet --disable-pip-version-check -r {list}"
        )
        .run()
        .context("installing Python packages")?;
    }
    rmcp(sh)?;
    Ok(Place {
        rmcp: root.join("target/rmcp/debug"),
        node: target.join("node_modules/.bin/node"),
        modules: target.join("node_modules"),
        python: target.join("python/bin/python"),
        programs: root.join("target/debug"),
        scratch: scratch(sh, target.join("scratch"))?,
    })
}

fn rmcp(sh: &Shell) -> Result<()> {
    // Its own target folder: the lock of ours is not held, and nothing is built twice.
    let _target = sh.push_env("CARGO_TARGET_DIR", sh.current_dir().join("target/rmcp"));
    Ok(cmd!(
        sh,
        "cargo build --quiet --locked --manifest-path tests/rmcp/Cargo.toml --bins"
    )
    .run()?)
}

fn scratch(sh: &Shell, folder: PathBuf) -> Result<PathBuf> {
    sh.remove_path(&folder)?;
    sh.create_dir(&folder)?;
    let _there = sh.push_dir(&folder);
    cmd!(sh, "git init --quiet --initial-branch=main").run()?;
    sh.write_file("notes.md", "# Notes\n\nThe interop notes say hello.\n")?;
    cmd!(sh, "git add notes.md").run()?;
    let identity = [
        "-c",
        "user.name=interop",
        "-c",
        "user.email=interop@localhost",
    ];
    cmd!(sh, "git {identity...} commit --quiet -m first").run()?;
    sh.write_file("hello.txt", "hello from interop\n")?;
    Ok(folder)
}
