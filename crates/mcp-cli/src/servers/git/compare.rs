//! What is compared with what.

use super::error::GitError;
use super::run::Git;

/// What a client may ask to compare.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Comparison {
    /// The older side; the last commit if absent.
    pub(crate) from: Option<String>,
    /// The newer side; the working tree if absent.
    pub(crate) to: Option<String>,
    /// Compares with what is staged instead of the working tree.
    pub(crate) staged: bool,
}

/// A comparison with its revisions looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sides {
    /// For `git diff`, before the `--`.
    pub(super) arguments: Vec<String>,
    /// What a reader is told.
    pub(super) description: String,
    /// Whether the newer side is the working tree, so that untracked files count.
    pub(super) is_working_tree: bool,
    /// The older side.
    pub(super) old: String,
}

/// Options of `git diff` that make its output the same everywhere and start nothing.
pub(super) const SAFE: &[&str] = &[
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-relative",
    "--ignore-submodules=dirty",
    // Other forms run git in the submodule, by the submodule's configuration.
    "--submodule=short",
    "--find-renames",
];

impl Git {
    /// Looks up the revisions of a comparison.
    ///
    /// # Errors
    /// When a revision names no commit, or the parts contradict each other.
    pub(super) async fn sides(&self, comparison: &Comparison) -> Result<Sides, GitError> {
        let (old, old_name) = match &comparison.from {
            Some(revision) => (self.commit(revision).await?, revision.clone()),
            None => match self.head().await? {
                Some(hash) => (hash, "HEAD".to_owned()),
                None => (self.empty_tree().await?, "the empty tree".to_owned()),
            },
        };
        let mut arguments = vec![old.clone()];
        let description = match &comparison.to {
            Some(revision) if comparison.staged => {
                return Err(GitError::Revision {
                    revision: revision.clone(),
                    reason: "`to` and `staged` exclude each other",
                });
            }
            Some(revision) => {
                arguments.push(self.commit(revision).await?);
                format!("{revision} with {old_name}")
            }
            None if comparison.staged => {
                arguments.insert(0, "--cached".to_owned());
                format!("what is staged with {old_name}")
            }
            None => format!("the working tree with {old_name}"),
        };
        Ok(Sides {
            is_working_tree: comparison.to.is_none() && !comparison.staged,
            description,
            arguments,
            old,
        })
    }
}
