//! Why a tool call has no outcome.

use std::error::Error as StdError;
use std::fmt;

use serde::{Deserialize, Serialize};

/// Any error, on the heap.
pub type BoxError = Box<dyn StdError + Send + Sync>;

/// What kind of failure a [`CallError`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CallErrorKind {
    /// There is no such tool.
    UnknownTool,
    /// The arguments do not fit the tool; nothing was sent.
    InvalidArguments,
    /// The server could not be started or reached.
    Connect,
    /// The connection failed or ended during the call.
    Transport,
    /// No answer in time.
    TimedOut,
    /// The server answered with a protocol error, or with what is no valid answer.
    Protocol,
    /// The call was given up by its caller.
    Cancelled,
    /// The call waits for an answer from outside; see [`CallError::payload`].
    Interrupted,
    /// Too many calls, or a server that is known to be down: refused here, nothing was sent.
    Refused,
    /// A person or a rule does not want the call to be made; nothing was sent.
    Rejected,
    /// A layer failed by itself.
    Layer,
    /// The tool's own code failed: it panicked.
    Tool,
}

impl CallErrorKind {
    /// The server could not be used; it may be another time.
    pub(crate) const fn is_outage(self) -> bool {
        matches!(
            self,
            Self::Connect | Self::Transport | Self::TimedOut | Self::Refused
        )
    }

    /// What somebody wants to be as it is: neither to be repeated nor to be covered up.
    pub(crate) const fn is_decided(self) -> bool {
        matches!(self, Self::Cancelled | Self::Interrupted | Self::Rejected)
    }

    /// The kind in one word, as for logs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UnknownTool => "unknown_tool",
            Self::InvalidArguments => "invalid_arguments",
            Self::Connect => "connect",
            Self::Transport => "transport",
            Self::TimedOut => "timed_out",
            Self::Protocol => "protocol",
            Self::Cancelled => "cancelled",
            Self::Interrupted => "interrupted",
            Self::Refused => "refused",
            Self::Rejected => "rejected",
            Self::Layer => "layer",
            Self::Tool => "tool",
        }
    }
}

/// Whether a call that failed can have had an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "it was sent, or it was not")]
pub enum Delivery {
    /// Nothing was sent; trying again is safe.
    NotSent,
    /// It may have been received and run; the outcome is unknown.
    Unknown,
}

/// Why a tool call has no outcome.
///
/// A tool that reports a failure has an outcome ([`ToolOutcome::is_error`]); this is for what
/// went wrong around it.
///
/// [`ToolOutcome::is_error`]: crate::ToolOutcome::is_error
pub struct CallError(Box<Inner>);

struct Inner {
    kind: CallErrorKind,
    message: String,
    delivery: Delivery,
    code: Option<i64>,
    payload: Option<serde_json::Value>,
    source: Option<BoxError>,
}

impl CallError {
    /// An error with a sentence that says what happened: lower case, no full stop.
    pub fn new(kind: CallErrorKind, message: impl Into<String>) -> Self {
        let delivery = match kind {
            CallErrorKind::UnknownTool
            | CallErrorKind::InvalidArguments
            | CallErrorKind::Connect
            | CallErrorKind::Refused
            | CallErrorKind::Rejected
            | CallErrorKind::Interrupted => Delivery::NotSent,
            CallErrorKind::Transport
            | CallErrorKind::TimedOut
            | CallErrorKind::Protocol
            | CallErrorKind::Cancelled
            | CallErrorKind::Layer
            | CallErrorKind::Tool => Delivery::Unknown,
        };
        Self(Box::new(Inner {
            kind,
            message: message.into(),
            delivery,
            code: None,
            payload: None,
            source: None,
        }))
    }

    /// A layer's own error: what [`From<BoxError>`] makes of an error that is none of ours.
    pub fn layer(error: impl Into<BoxError>) -> Self {
        Self::from(error.into())
    }

    /// The call waits for an answer from outside to the question in `payload`.
    pub fn interrupted(payload: impl Into<serde_json::Value>) -> Self {
        let mut error = Self::new(
            CallErrorKind::Interrupted,
            "the call waits for an answer from outside",
        );
        error.0.payload = Some(payload.into());
        error
    }

    /// The same error with what caused it.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<BoxError>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// The same error with whether the call may have run.
    #[must_use]
    pub fn with_delivery(mut self, delivery: Delivery) -> Self {
        self.0.delivery = delivery;
        self
    }

    /// The same error with the JSON-RPC code that the server answered.
    #[must_use]
    pub fn with_code(mut self, code: i64) -> Self {
        self.0.code = Some(code);
        self
    }

    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> CallErrorKind {
        self.0.kind
    }

    /// Whether the call can have had an effect on the server.
    #[must_use]
    pub fn delivery(&self) -> Delivery {
        self.0.delivery
    }

    /// The JSON-RPC code that the server answered.
    #[must_use]
    pub fn code(&self) -> Option<i64> {
        self.0.code
    }

    /// The question that the call waits for, if it was interrupted.
    #[must_use]
    pub fn payload(&self) -> Option<&serde_json::Value> {
        self.0.payload.as_ref()
    }

    /// What caused it, without a copy.
    #[must_use]
    pub fn into_source(self) -> Option<BoxError> {
        self.0.source
    }

    /// This error and everything that caused it, in one line: `a: b: c`.
    #[must_use]
    pub fn chain(&self) -> String {
        mcp_protocol::chain(self)
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallError")
            .field("kind", &self.0.kind)
            .field("message", &self.0.message)
            .field("delivery", &self.0.delivery)
            .field("code", &self.0.code)
            .field("source", &self.0.source)
            .finish_non_exhaustive()
    }
}

impl StdError for CallError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_deref().map(|e| e as _)
    }
}

impl From<BoxError> for CallError {
    /// Gives a `CallError` back as it is. With the feature `tower`, tower's own errors get the
    /// kind that they are of; an error of any other type becomes one of kind
    /// [`Layer`](CallErrorKind::Layer).
    fn from(error: BoxError) -> Self {
        let error = match error.downcast::<Self>() {
            Ok(own) => return *own,
            Err(other) => other,
        };
        let kind = kind_at_tower(&error).unwrap_or(CallErrorKind::Layer);
        let own = Self::new(kind, error.to_string());
        match error.source() {
            Some(_) => own.with_source(error),
            None => own,
        }
    }
}

/// The kind of an error of tower's own layers.
#[cfg(feature = "tower")]
fn kind_at_tower(error: &BoxError) -> Option<CallErrorKind> {
    if error.is::<tower::timeout::error::Elapsed>() {
        Some(CallErrorKind::TimedOut)
    } else if error.is::<tower::load_shed::error::Overloaded>() {
        Some(CallErrorKind::Refused)
    } else {
        None
    }
}

/// Nobody has said that there are tower's own layers.
#[cfg(not(feature = "tower"))]
const fn kind_at_tower(_: &BoxError) -> Option<CallErrorKind> {
    None
}
