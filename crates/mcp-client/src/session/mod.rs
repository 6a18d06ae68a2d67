//! One server, agreed with and ready to be called.

mod calls;
mod mirror;
mod send;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use mcp_protocol::lifecycle::{Negotiated, Wire};
use mcp_protocol::{Implementation, LoggingLevel, ProtocolVersion, ServerCapabilities};
use mcp_transport::{CallError, Channel, Timeouts, TransportError};

use crate::inward::Inward;
use crate::negotiate::negotiate;
use crate::{ClientOptions, Connect, ConnectError, Error, StderrTail};

/// A session with one server.
///
/// It is cheap to clone; all clones share the connection, which ends with
/// [`close`](Self::close) or when the last of them is dropped. In the revisions without
/// handshake a session is no more than what the client remembers of the server.
#[derive(Clone)]
pub struct Session {
    inner: Arc<Inner>,
}

struct Inner {
    channel: Arc<dyn Channel>,
    wire: Wire,
    stderr: Option<StderrTail>,
    negotiated: Negotiated,
    inward: Arc<Inward>,
    timeouts: Timeouts,
    log_level: Option<LoggingLevel>,
    max_rounds: usize,
    max_pages: usize,
    next_token: AtomicU64,
}

impl Session {
    /// Opens a connection and agrees on a revision with the server.
    ///
    /// It waits for as long as `connect` and the limits in `options` allow; put a time limit
    /// around it to wait less.
    ///
    /// # Errors
    /// [`ConnectError`], with how far it got.
    ///
    /// # Cancel safety
    /// Dropping the future ends the connection.
    pub async fn connect(
        connect: &dyn Connect,
        options: ClientOptions,
    ) -> Result<Self, ConnectError> {
        let server = Arc::clone(&options.server);
        let inward = Arc::new(Inward::new(server, options.handlers.clone()));
        let (link, negotiated) = negotiate(connect, Arc::clone(&inward) as _, &options).await?;
        let session = Self {
            inner: Arc::new(Inner {
                channel: link.channel,
                wire: link.wire,
                stderr: link.stderr,
                negotiated,
                inward,
                timeouts: options.timeouts,
                log_level: options.log_level,
                max_rounds: options.max_rounds,
                max_pages: options.max_pages,
                next_token: AtomicU64::new(1),
            }),
        };
        session.ask_for_logs().await;
        Ok(session)
    }

    /// The revision in use.
    #[must_use]
    pub fn version(&self) -> ProtocolVersion {
        self.inner.negotiated.version
    }

    /// What the server offers.
    #[must_use]
    pub fn capabilities(&self) -> &ServerCapabilities {
        &self.inner.negotiated.capabilities
    }

    /// What the server says it is. Never a ground for a decision.
    #[must_use]
    pub fn server_info(&self) -> Option<&Implementation> {
        self.inner.negotiated.server_info.as_ref()
    }

    /// How to use the server, in its own words: text from outside.
    #[must_use]
    pub fn instructions(&self) -> Option<&str> {
        self.inner.negotiated.instructions.as_deref()
    }

    /// All that was agreed on.
    #[must_use]
    pub fn negotiated(&self) -> &Negotiated {
        &self.inner.negotiated
    }

    /// The server's name here.
    #[must_use]
    pub fn server(&self) -> &Arc<str> {
        &self.inner.inward.server
    }

    /// The last lines that the server's process wrote to its standard error.
    #[must_use]
    pub fn stderr(&self) -> Option<String> {
        self.inner.stderr.as_ref()?.read()
    }

    /// Ends the connection in good order: calls in flight are cancelled, a process is given time
    /// to end and is then made to.
    ///
    /// # Cancel safety
    /// Dropping the future does not keep the connection open; it ends without being waited for.
    pub async fn close(&self) {
        self.inner.channel.close().await;
    }

    /// Waits until the connection has ended, and says why. Never resolves where there is no
    /// lasting connection.
    ///
    /// # Cancel safety
    /// Dropping the future changes nothing.
    pub async fn closed(&self) -> Arc<TransportError> {
        self.inner.channel.closed().await
    }

    /// Whether an error says that the session is over: the stream has ended, or the server has
    /// forgotten the session. Over HTTP a connection that fails is no more than that.
    pub(crate) fn is_lost(&self, error: &Error) -> bool {
        match error {
            Error::Call(CallError::Closed { .. }) => self.inner.wire == Wire::Stream,
            Error::Call(CallError::Rejected(rejection)) => rejection.session_lost,
            _ => false,
        }
    }

    /// Whether both are the same session.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    pub(crate) fn max_pages(&self) -> usize {
        self.inner.max_pages
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("server", self.server())
            .field("version", &self.version())
            .field("wire", &self.inner.wire)
            .finish_non_exhaustive()
    }
}
