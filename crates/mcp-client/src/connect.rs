//! How a connection to a server is opened: the seam to the transports.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

use mcp_interceptors::Phase;
use mcp_jsonrpc::MethodName;
use mcp_protocol::RequestContext;
use mcp_protocol::lifecycle::{NegotiationError, Wire};
use mcp_transport::{BoxFuture, CallError, Channel, Handler};

/// Opens connections to one server: starts its process, or prepares to reach its URL.
///
/// It may be asked more than once: for another try, for a fresh connection after one has ended,
/// and because some servers do not survive the question which revision they speak.
pub trait Connect: fmt::Debug + Send + Sync + 'static {
    /// Opens a connection. What the server sends of its own accord goes to `handler`.
    ///
    /// # Errors
    /// [`ConnectError`], with how far it got.
    ///
    /// # Cancel safety
    /// Dropping the future leaves nothing behind: no process, no socket.
    fn connect(
        &self,
        handler: Arc<dyn Handler<RequestContext>>,
    ) -> BoxFuture<'_, Result<Link, ConnectError>>;

    /// As [`connect`](Self::connect), for a single call: what the server would say apart from
    /// its answer is not asked for. Over HTTP that is a stream less. Default: no difference.
    ///
    /// # Errors
    /// As [`connect`](Self::connect).
    ///
    /// # Cancel safety
    /// As [`connect`](Self::connect).
    fn connect_once(
        &self,
        handler: Arc<dyn Handler<RequestContext>>,
    ) -> BoxFuture<'_, Result<Link, ConnectError>> {
        self.connect(handler)
    }
}

/// An open connection on which nothing has been said.
#[derive(Debug)]
#[non_exhaustive]
pub struct Link {
    /// The way out. Dropping the last handle ends the connection.
    pub channel: Arc<dyn Channel>,
    /// What carries the messages.
    pub wire: Wire,
    /// What the server's process wrote to its standard error, where there is one.
    pub stderr: Option<StderrTail>,
    /// What to do if the server takes too long to start, where there is advice to give.
    pub hint: Option<Arc<str>>,
}

impl Link {
    /// A connection without standard error.
    #[must_use]
    pub fn new(channel: Arc<dyn Channel>, wire: Wire) -> Self {
        Self {
            channel,
            wire,
            stderr: None,
            hint: None,
        }
    }

    /// The same connection with a way to read the end of the process's standard error.
    #[must_use]
    pub fn with_stderr(mut self, stderr: StderrTail) -> Self {
        self.stderr = Some(stderr);
        self
    }

    /// The same connection with advice for a start that takes too long: lower case, no full stop.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<Arc<str>>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// Reads the last lines that a server's process wrote to its standard error.
#[derive(Clone)]
pub struct StderrTail(Arc<dyn Fn() -> String + Send + Sync>);

impl StderrTail {
    /// A tail that `read` returns.
    pub fn new(read: impl Fn() -> String + Send + Sync + 'static) -> Self {
        Self(Arc::new(read))
    }

    /// The last lines so far; `None` if there are none.
    #[must_use]
    pub fn read(&self) -> Option<String> {
        let tail = (self.0)();
        let tail = tail.trim_end();
        (!tail.is_empty()).then(|| tail.to_owned())
    }
}

impl fmt::Debug for StderrTail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StderrTail")
    }
}

/// Why there is no session with a server.
#[derive(Debug)]
pub struct ConnectError {
    phase: Phase,
    message: String,
    stderr: Option<String>,
    permanent: bool,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl ConnectError {
    /// An error in this phase, with a sentence that says what happened: lower case, no full
    /// stop. A failure to start a process counts as [`permanent`](Self::is_permanent).
    pub fn new(phase: Phase, message: impl Into<String>) -> Self {
        Self {
            phase,
            message: message.into(),
            stderr: None,
            permanent: phase == Phase::Spawn,
            source: None,
        }
    }

    /// The same error with what caused it.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// The same error with the end of the process's standard error.
    #[must_use]
    pub fn with_stderr(mut self, stderr: Option<String>) -> Self {
        self.stderr = stderr;
        self
    }

    /// The same error, marked as one that another try cannot cure, or as one that it may.
    #[must_use]
    pub const fn with_permanent(mut self, permanent: bool) -> Self {
        self.permanent = permanent;
        self
    }

    /// A negotiation that failed, with the calls that it failed on.
    pub(crate) fn negotiation(
        error: NegotiationError,
        mut failed: Vec<(MethodName, CallError)>,
    ) -> Self {
        let permanent = match &error {
            NegotiationError::NoCommonVersion { .. }
            | NegotiationError::Refused { .. }
            | NegotiationError::Malformed { .. } => true,
            NegotiationError::Rejected { status, .. } => {
                matches!(status, 400..=499) && !matches!(status, 408 | 425 | 429)
            }
            _ => false,
        };
        let phase = match &error {
            NegotiationError::Unreachable { .. } => Phase::Connect,
            _ => Phase::Handshake,
        };
        let message = error.to_string();
        let attempts = Attempts::of(&failed);
        let cause = failed.pop().map(|(_, error)| error);
        let source: Box<dyn StdError + Send + Sync> = match (error, cause) {
            // It has more than one way in, and all are closed.
            (NegotiationError::Rejected { .. }, _) if attempts.0.len() > 1 => Box::new(attempts),
            // The reason says more than that the connection ended.
            (
                NegotiationError::Ended { .. } | NegotiationError::Unreachable { .. },
                Some(CallError::Closed { reason, .. }),
            ) => Box::new(Shared(reason)),
            (
                NegotiationError::Refused { error, .. }
                | NegotiationError::Rejected {
                    error: Some(error), ..
                },
                _,
            ) => Box::new(error),
            _ => return Self::new(phase, message).with_permanent(permanent),
        };
        Self::new(phase, message)
            .with_permanent(permanent)
            .with_source(source)
    }

    /// How far it got.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// The last lines that the server's process wrote to its standard error.
    #[must_use]
    pub fn stderr(&self) -> Option<&str> {
        self.stderr.as_deref()
    }

    /// Whether another try would fail the same way: no such command, no common revision, no
    /// permission.
    #[must_use]
    pub const fn is_permanent(&self) -> bool {
        self.permanent
    }

    /// This error and everything that caused it, in one line: `a: b: c`.
    #[must_use]
    pub fn chain(&self) -> String {
        mcp_protocol::chain(self)
    }
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl StdError for ConnectError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|e| e as _)
    }
}

/// All that was tried to get in, each with what came of it.
#[derive(Debug)]
struct Attempts(Vec<String>);

impl Attempts {
    fn of(failed: &[(MethodName, CallError)]) -> Self {
        let mut attempts = Vec::new();
        for (method, error) in failed {
            attempts.push(format!("{method}: {}", mcp_protocol::chain(error)));
            if let CallError::Rejected(rejection) = error
                && let Some(other) = &rejection.fallback
            {
                let other = mcp_protocol::chain(&**other);
                attempts.push(format!("event stream of 2024-11-05: {other}"));
            }
        }
        Self(attempts)
    }
}

impl fmt::Display for Attempts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.join("; "))
    }
}

impl StdError for Attempts {}

/// An error that others hold too.
#[derive(Debug)]
pub(crate) struct Shared<E>(pub(crate) Arc<E>);

impl<E: fmt::Display> fmt::Display for Shared<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<E: StdError> StdError for Shared<E> {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source()
    }
}
