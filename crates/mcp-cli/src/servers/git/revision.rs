//! Revisions and paths from outside: checked before git sees them.

use super::error::GitError;
use super::run::Git;

/// The longest revision that is looked up, in bytes.
const MAX_REVISION: usize = 1024;

impl Git {
    /// The commit that a revision names, as a full hash.
    ///
    /// # Errors
    /// When it is empty, could be taken for an option, or names no commit.
    pub(super) async fn commit(&self, revision: &str) -> Result<String, GitError> {
        let bad = |reason| GitError::Revision {
            revision: revision.to_owned(),
            reason,
        };
        if revision.is_empty() {
            return Err(bad("it is empty"));
        }
        if revision.starts_with('-') {
            return Err(bad("it begins with a dash"));
        }
        if revision.len() > MAX_REVISION || revision.chars().any(char::is_control) {
            return Err(bad("it is too long or has control characters"));
        }
        if revision.contains("..") {
            return Err(bad("it is a range; give its two ends as `from` and `to`"));
        }
        let wanted = format!("{revision}^{{commit}}");
        let lookup = [
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &wanted,
        ];
        match self.run(&lookup, b"").await {
            Ok(hash) => hash_of(&hash).ok_or(GitError::Answer("rev-parse gave no hash")),
            Err(GitError::Failed { .. }) => Err(bad("there is no such commit")),
            Err(e) => Err(e),
        }
    }

    /// The commit that is checked out; `None` before the first commit.
    ///
    /// # Errors
    /// When git cannot be run.
    pub(super) async fn head(&self) -> Result<Option<String>, GitError> {
        match self.commit("HEAD").await {
            Ok(hash) => Ok(Some(hash)),
            Err(GitError::Revision { .. }) => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// The tree without a file, to compare with before the first commit.
    ///
    /// # Errors
    /// When git cannot be run.
    pub(super) async fn empty_tree(&self) -> Result<String, GitError> {
        let hash = self
            .run(&["hash-object", "-t", "tree", "--stdin"], b"")
            .await?;
        hash_of(&hash).ok_or(GitError::Answer("hash-object gave no hash"))
    }
}

fn hash_of(written: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(written).ok()?.trim();
    let is_hash = text.len() >= 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| text.to_owned())
}

/// A path for git, which follows a `--`: below the working tree, no pattern.
///
/// # Errors
/// When it is empty or has a zero byte.
pub(super) fn checked_path(path: &str) -> Result<&str, GitError> {
    let bad = |reason| GitError::Path {
        path: path.to_owned(),
        reason,
    };
    if path.is_empty() {
        return Err(bad("it is empty"));
    }
    if path.contains('\0') {
        return Err(bad("it has a zero byte"));
    }
    Ok(path)
}
