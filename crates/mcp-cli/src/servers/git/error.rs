//! Why git gave no answer.

use std::io;
use std::time::Duration;

/// Why git gave no answer. The text goes to the model, so it says what to do.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GitError {
    #[error("git is not installed: there is no program \"git\" in PATH")]
    NotInstalled,
    #[error("{folder} is not in the working tree of a git repository: {reason}")]
    NoRepository { folder: String, reason: String },
    #[error("no revision {revision:?}: {reason}")]
    Revision {
        revision: String,
        reason: &'static str,
    },
    #[error("the path {path:?} cannot be used: {reason}")]
    Path { path: String, reason: &'static str },
    #[error("git {command} failed: {reason}")]
    Failed { command: String, reason: String },
    #[error("git {command} did not end within {limit:?}")]
    TimedOut { command: String, limit: Duration },
    #[error("git {command} wrote more than {limit} bytes")]
    TooMuch { command: String, limit: usize },
    #[error("git could not be run: {0}")]
    Io(#[from] io::Error),
    #[error("git answered what this program does not understand: {0}")]
    Answer(&'static str),
}
