//! Why a call has no result, or was not made.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use crate::{DecodeError, ErrorObject};

/// Why a call has no result.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "an answer says no, is unreadable, or does not come"
)]
pub enum Failure {
    /// The peer answered with an error.
    Remote(ErrorObject),
    /// No answer in time.
    TimedOut {
        /// How long the call had waited.
        after: Duration,
    },
    /// The answer is no valid response.
    Malformed(DecodeError),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Remote(_) => f.write_str("the peer answered with an error"),
            Self::TimedOut { after } => write!(f, "no answer within {after:?}"),
            Self::Malformed(_) => f.write_str("the answer cannot be read"),
        }
    }
}

impl Error for Failure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Remote(error) => Some(error),
            Self::TimedOut { .. } => None,
            Self::Malformed(flaw) => Some(flaw),
        }
    }
}

/// Why a call was not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refused {
    /// Too many of our calls wait for their answers; try again when one has ended.
    Busy {
        /// The limit.
        limit: usize,
    },
    /// [`Exchange::close`](crate::Exchange::close) was called.
    Closed,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy { limit } => write!(f, "{limit} calls wait for their answers already"),
            Self::Closed => f.write_str("the connection is closed"),
        }
    }
}

impl Error for Refused {}
