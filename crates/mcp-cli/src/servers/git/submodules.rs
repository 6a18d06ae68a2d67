//! Submodules with changes of their own.
//!
//! Git itself would look into them with the settings of the repository around. Here each is
//! opened as a repository, so that nothing which it configures is run either.

use std::fs;
use std::path::PathBuf;

use super::bytes;
use super::error::GitError;
use super::run::Git;

/// The most submodules that are looked into.
const MOST: usize = 50;

impl Git {
    /// The paths of the submodules, at most 50, whose own working trees have changed. Those
    /// within submodules do not count.
    ///
    /// # Errors
    /// When git cannot be run.
    pub(super) async fn changed_submodules(&self) -> Result<Vec<Vec<u8>>, GitError> {
        let mut changed = Vec::new();
        for path in self.submodules().await? {
            if self.is_changed_inside(&path).await? {
                changed.push(path);
            }
        }
        Ok(changed)
    }

    /// The paths that `.gitmodules` names.
    async fn submodules(&self) -> Result<Vec<Vec<u8>>, GitError> {
        let list = self.top().join(".gitmodules");
        if !fs::symlink_metadata(list).is_ok_and(|m| m.is_file()) {
            return Ok(Vec::new());
        }
        let keys = "^submodule\\..*\\.path$";
        let list = [
            "config",
            "--file",
            ".gitmodules",
            "-z",
            "--get-regexp",
            keys,
        ];
        let written = match self.run(&list, b"").await {
            Ok(written) => written,
            // No key of that name, or no configuration at all.
            Err(GitError::Failed { .. }) => return Ok(Vec::new()),
            Err(e) => return Err(e),
        };
        let records = written.split(|byte| *byte == 0);
        let paths = records.filter_map(|record| record.splitn(2, |byte| *byte == b'\n').nth(1));
        Ok(paths.take(MOST).map(<[u8]>::to_vec).collect())
    }

    async fn is_changed_inside(&self, path: &[u8]) -> Result<bool, GitError> {
        let Some(folder) = self.checked_out(path) else {
            return Ok(false);
        };
        let git = match Self::open(&folder).await {
            Ok(git) if git.top() == folder => git,
            // It lies in the repository around it, or in none.
            Ok(_) | Err(GitError::NoRepository { .. }) => return Ok(false),
            Err(e) => return Err(e),
        };
        let arguments = ["status", "--porcelain", "-z", "--ignore-submodules=dirty"];
        match git.run(&arguments, b"").await {
            Ok(written) => Ok(!written.is_empty()),
            Err(GitError::Failed { .. }) => Ok(false),
            Err(e) => Err(e),
        }
    }

    /// The folder of a submodule, if it is there and no link leads to it.
    fn checked_out(&self, path: &[u8]) -> Option<PathBuf> {
        let top = fs::canonicalize(self.top()).ok()?;
        let folder = top.join(bytes::path(path));
        let is_real = fs::canonicalize(&folder).is_ok_and(|real| real == folder);
        (is_real && folder != top && folder.starts_with(top)).then_some(folder)
    }
}
