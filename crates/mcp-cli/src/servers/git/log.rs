//! Commits, newest first.

use serde::Serialize;

use super::bytes;
use super::error::GitError;
use super::revision::checked_path;
use super::run::Git;

/// A commit in short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Commit {
    pub(crate) hash: String,
    pub(crate) author: String,
    /// When it was written, as in ISO 8601.
    pub(crate) date: String,
    /// The first line of its message.
    pub(crate) subject: String,
}

impl Git {
    /// The last `limit` commits that `revision` (or else what is checked out) leads to, newest
    /// first; only those that touch `path`, if it is given. Before the first commit: none.
    ///
    /// # Errors
    /// When the revision names no commit, or git fails.
    pub(crate) async fn log(
        &self,
        revision: Option<&str>,
        path: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Commit>, GitError> {
        let start = match revision {
            Some(revision) => self.commit(revision).await?,
            None => match self.head().await? {
                Some(hash) => hash,
                None => return Ok(Vec::new()),
            },
        };
        let count = format!("--max-count={limit}");
        // Fields end with a byte that git takes out of names and subjects itself.
        let mut arguments = vec![
            "log",
            "-z",
            "--no-color",
            "--no-show-signature",
            "--no-ext-diff",
            "--no-textconv",
            "--submodule=short",
            "--format=%H%x1f%an%x1f%aI%x1f%s",
            &count,
            &start,
            "--",
        ];
        if let Some(path) = path {
            arguments.push(checked_path(path)?);
        }
        let written = self.run(&arguments, b"").await?;
        let records = written
            .split(|byte| *byte == 0)
            .filter(|record| !record.is_empty());
        records.map(commit).collect()
    }
}

fn commit(record: &[u8]) -> Result<Commit, GitError> {
    let text = bytes::text(record);
    let mut fields = text.splitn(4, '\u{1f}').map(str::to_owned);
    let mut next = || {
        fields
            .next()
            .ok_or(GitError::Answer("a log record of an unknown form"))
    };
    Ok(Commit {
        hash: next()?.trim_start_matches('\n').to_owned(),
        author: next()?,
        date: next()?,
        subject: next()?,
    })
}
