//! How the command ends.

use std::fmt;
use std::process::ExitCode;

pub(crate) use mcp::protocol::chain;

/// How the command ends, for whoever called it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Answered.
    Done,
    /// The run failed.
    Failed,
    /// Wrong usage or configuration.
    Usage,
    /// Interrupted.
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Interrupted => 130,
        })
    }
}

/// Why a command has no result: one line for a person, and how the command ends.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    message: String,
}

impl Failure {
    /// The caller has to change something.
    pub(crate) fn usage(error: impl fmt::Display) -> Self {
        Self {
            exit: Exit::Usage,
            message: error.to_string(),
        }
    }

    /// It did not work.
    pub(crate) fn failed(error: impl fmt::Display) -> Self {
        Self {
            exit: Exit::Failed,
            message: error.to_string(),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
