//! Why a graph cannot be built, or a run has no result.

use std::error::Error as StdError;
use std::fmt;

pub(crate) use mcp_protocol::chain;

/// Any error, on the heap.
pub(crate) type BoxError = Box<dyn StdError + Send + Sync>;

/// Why a graph cannot be built, or a run has no result.
///
/// [`kind`](Self::kind) says what one can do about it, `source()` what caused it.
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    message: String,
    node: Option<String>,
    source: Option<BoxError>,
}

/// What kind of failure an [`Error`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The graph is wired wrongly; nothing ran.
    Wiring,
    /// A node or an edge names a node that is not in the graph.
    UnknownTarget,
    /// The run took more steps than its limit.
    StepLimit,
    /// A node failed.
    Node,
    /// A node took longer than it may, or was silent for longer; see
    /// [`NodeTimeout`](crate::NodeTimeout).
    Timeout,
    /// An update does not fit the state.
    State,
    /// The run was cancelled.
    Cancelled,
    /// A node waits for an answer from outside, and nothing keeps the run until it comes.
    NothingKeepsTheRun,
    /// What was asked for does not fit the thread: no such checkpoint, no such question.
    Resume,
    /// Another run of the thread is still at work here; try again when it has ended.
    ThreadBusy,
    /// The checkpointer failed.
    Checkpoint,
    /// The model gave no answer.
    Model,
    /// Two tools have the same name.
    Tools,
    /// Model or tools were asked as often as is allowed, and that is to be an error.
    CallLimit,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            message: message.into(),
            node: None,
            source: None,
        }))
    }

    pub(crate) fn cancelled() -> Self {
        Self::new(ErrorKind::Cancelled, "the run was cancelled")
    }

    #[must_use]
    pub(crate) fn with_source(mut self, source: impl Into<BoxError>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    #[must_use]
    pub(crate) fn in_node(mut self, node: &str) -> Self {
        self.0.node.get_or_insert_with(|| node.to_owned());
        self
    }

    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The node in which it happened, if it was in one.
    #[must_use]
    pub fn node(&self) -> Option<&str> {
        self.0.node.as_deref()
    }

    /// This error and everything that caused it, in one line: `a: b: c`.
    #[must_use]
    pub fn chain(&self) -> String {
        chain(self)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_deref().map(|e| e as _)
    }
}
