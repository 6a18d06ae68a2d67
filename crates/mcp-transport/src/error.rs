//! What can go wrong between here and the peer, and whose fault it was.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use http::{HeaderMap, StatusCode};
use mcp_jsonrpc::{DecodeError, ErrorObject};

/// Whether a call that failed can have had an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "it provably has not run, or one cannot know"
)]
pub enum Delivery {
    /// It did not leave, or was refused before it ran; sending it again is safe.
    NotSent,
    /// It may have been received and run; the outcome is unknown.
    Unknown,
}

/// Why a call has no result.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The peer answered with an error.
    #[error("the peer answered: {0}")]
    Remote(ErrorObject),
    /// An HTTP server refused the request.
    #[error(transparent)]
    Rejected(Box<Rejection>),
    /// No answer in time. The peer was told that nobody waits any more.
    #[error("no answer within {after:?}")]
    TimedOut {
        /// How long the call had waited.
        after: Duration,
    },
    /// The answer is not a valid response.
    #[error("the answer could not be read")]
    Malformed(#[source] DecodeError),
    /// The connection failed or had ended.
    #[error("{}", match .delivery {
        Delivery::NotSent => "the connection is closed, the call was not sent",
        Delivery::Unknown => "the connection ended before the answer, the outcome is unknown",
    })]
    Closed {
        /// Why it ended.
        #[source]
        reason: Arc<TransportError>,
        /// Whether the call may have run.
        delivery: Delivery,
    },
    /// Too many calls of this connection wait for their answers.
    #[error("more than {limit} calls wait for an answer")]
    Busy {
        /// The limit.
        limit: usize,
    },
}

impl CallError {
    /// Whether the call can have had an effect on the peer.
    ///
    /// An HTTP status of the 400s is a refusal; one of the 500s may come from a proxy that had
    /// already passed the call on.
    #[must_use]
    pub fn delivery(&self) -> Delivery {
        match self {
            Self::Closed { delivery, .. } => *delivery,
            Self::Busy { .. } => Delivery::NotSent,
            Self::Rejected(rejection) if rejection.status.is_client_error() => Delivery::NotSent,
            Self::Rejected(_) | Self::Remote(_) | Self::TimedOut { .. } | Self::Malformed(_) => {
                Delivery::Unknown
            }
        }
    }
}

/// An HTTP status that is no success.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Rejection {
    /// The status.
    pub status: StatusCode,
    /// The response's headers.
    pub headers: HeaderMap,
    /// The JSON-RPC error in the body, if it holds one.
    pub error: Option<ErrorObject>,
    /// The beginning of the body as text, at most 4 KiB.
    pub body: String,
    /// Whether the server no longer knows the session that the request named: the request was
    /// not run, and a new handshake is needed.
    pub session_lost: bool,
    /// How an older transport has failed, where the refusal was a reason to try one.
    pub fallback: Option<Arc<CallError>>,
}

impl Rejection {
    /// A refusal with this status, without headers and body.
    #[must_use]
    pub fn new(status: StatusCode) -> Self {
        Self {
            status,
            headers: HeaderMap::new(),
            error: None,
            body: String::new(),
            session_lost: false,
            fallback: None,
        }
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the server answered HTTP {}", self.status)?;
        match &self.error {
            Some(error) => write!(f, ": {error}"),
            None if self.body.is_empty() => Ok(()),
            None => write!(f, ": {}", self.body.chars().take(200).collect::<String>()),
        }
    }
}

impl std::error::Error for Rejection {}

/// A failure of what carries the messages.
#[derive(Debug)]
pub struct TransportError {
    kind: TransportErrorKind,
    message: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// What kind of failure it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TransportErrorKind {
    /// The peer ended the connection, or its process exited.
    Ended,
    /// We ended the connection.
    ClosedHere,
    /// The peer could not be started or reached.
    Unreachable,
    /// Reading or writing failed.
    Io,
    /// The peer broke the rules of the transport.
    Violation,
}

impl TransportError {
    /// An error with a sentence that says what happened, lower case, without full stop.
    pub fn new(kind: TransportErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            source: None,
        }
    }

    /// The same error with what caused it.
    #[must_use]
    pub fn with_source(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        self.source = Some(source.into());
        self
    }

    /// What kind of failure it was.
    #[must_use]
    pub const fn kind(&self) -> TransportErrorKind {
        self.kind
    }
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for TransportError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|e| e as _)
    }
}

impl From<std::io::Error> for TransportError {
    fn from(e: std::io::Error) -> Self {
        Self::new(TransportErrorKind::Io, "reading or writing failed").with_source(e)
    }
}
