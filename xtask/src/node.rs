//! Packages of Node.js in a folder below `target`, installed once.

use std::path::Path;

use anyhow::Result;
use xshell::{Shell, cmd};

/// Installs what the lock file in `sources` names into `target`, unless it is there already.
pub(crate) fn install(sh: &Shell, sources: &Path, target: &Path) -> Result<()> {
    let lock = sh.read_file(sources.join("package-lock.json"))?;
    // Written last, so it is there only after an installation that went well.
    let done = target.join("installed-lock.json");
    if sh.read_file(&done).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    sh.create_dir(target)?;
    for file in ["package.json", "package-lock.json"] {
        sh.copy_file(sources.join(file), target)?;
    }
    let _there = sh.push_dir(target);
    cmd!(sh, "npm ci --no-audit --no-fund --loglevel=error").run()?;
    Ok(sh.write_file(done, lock)?)
}
