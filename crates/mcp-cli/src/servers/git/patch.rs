//! Patches as text: of a comparison, of a commit.

use super::bytes;
use super::compare::{Comparison, SAFE};
use super::error::GitError;
use super::revision::checked_path;
use super::run::Git;

/// The longest patch, in bytes.
pub(crate) const MAX_PATCH: usize = 1024 * 1024;

impl Git {
    /// The patch of a comparison, with `context` lines around each change; only of `paths`,
    /// unless there are none.
    ///
    /// # Errors
    /// When a revision names no commit, a path cannot be used, or git fails.
    pub(crate) async fn diff(
        &self,
        comparison: &Comparison,
        paths: &[String],
        context: u32,
    ) -> Result<String, GitError> {
        let sides = self.sides(comparison).await?;
        let context = format!("--unified={context}");
        let mut arguments = vec!["diff"];
        arguments.extend(SAFE);
        arguments.extend(["--src-prefix=a/", "--dst-prefix=b/", &context]);
        arguments.extend(sides.arguments.iter().map(String::as_str));
        arguments.push("--");
        for path in paths {
            arguments.push(checked_path(path)?);
        }
        self.patch(&arguments).await
    }

    /// A commit with its message and its patch; only of `path`, if it is given.
    ///
    /// # Errors
    /// When the revision names no commit, or git fails.
    pub(crate) async fn show(
        &self,
        revision: &str,
        path: Option<&str>,
    ) -> Result<String, GitError> {
        let commit = self.commit(revision).await?;
        let mut arguments = vec!["show"];
        arguments.extend(SAFE);
        arguments.extend(["--src-prefix=a/", "--dst-prefix=b/", "--format=fuller"]);
        arguments.extend(["--no-show-signature", &commit, "--"]);
        if let Some(path) = path {
            arguments.push(checked_path(path)?);
        }
        self.patch(&arguments).await
    }

    async fn patch(&self, arguments: &[&str]) -> Result<String, GitError> {
        let written = self.run_up_to(arguments, b"", MAX_PATCH).await?;
        let mut text = bytes::text(&written.bytes);
        if written.is_cut {
            let end = text.rfind('\n').map_or(0, |at| at + 1);
            text.truncate(end);
            text.push_str("[cut here: the patch is longer than 1 MiB; ask for single paths]\n");
        }
        Ok(text)
    }
}
