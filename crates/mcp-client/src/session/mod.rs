//! One server, agreed with and ready to be called.

mod calls;
mod headers;
mod layered;
mod listening;
mod mirror;
mod post;
mod reports;
mod send;
mod task;
mod tools;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use mcp_protocol::error_code::UNSUPPORTED_PROTOCOL_VERSION;
use mcp_protocol::lifecycle::{Negotiated, Wire};
use mcp_protocol::{
    ClientCapabilities, Implementation, LoggingLevel, ProtocolVersion, ServerCapabilities, tasks,
};
use mcp_transport::{CallError, Channel, Timeouts, TransportError};
use serde_json::json;
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};

pub use task::TaskHandle;
pub use tools::Called;

use crate::inward::Inward;
use crate::listen::{Listening, Wanted};
use crate::negotiate::negotiate;
use crate::several::is_ready;
use crate::{ClientOptions, Connect, ConnectError, Error, Link, StderrTail};
use headers::WithoutHttp;

/// A session with one server.
///
/// It is cheap to clone; all clones share the connection, which ends with
/// [`close`](Self::close) or when the last of them is dropped. In the revisions without
/// handshake a session is no more than what the client remembers of the server.
#[derive(Clone)]
pub struct Session {
    inner: Arc<Inner>,
    /// Not held by what the session itself runs, so that this does not keep it open.
    _open: Option<Arc<DropGuard>>,
}

struct Inner {
    channel: Arc<dyn Channel>,
    wire: Wire,
    stderr: Option<StderrTail>,
    negotiated: Negotiated,
    inward: Arc<Inward>,
    timeouts: Timeouts,
    log_level: Option<LoggingLevel>,
    /// Whether every call may become a task, and what is declared for one that may.
    tasks: bool,
    with_tasks: Arc<ClientCapabilities>,
    listens: bool,
    wanted: Arc<Wanted>,
    listening: watch::Sender<Listening>,
    /// Cancelled when the session is closed or nobody has it any more.
    over: CancellationToken,
    max_rounds: usize,
    max_pages: usize,
    max_entries: usize,
    without_http: WithoutHttp,
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
        Self::connect_wanting(connect, options, Arc::default()).await
    }

    /// As [`connect`](Self::connect), with what sessions before it wanted to be told of.
    pub(crate) async fn connect_wanting(
        connect: &dyn Connect,
        options: ClientOptions,
        wanted: Arc<Wanted>,
    ) -> Result<Self, ConnectError> {
        let server = Arc::clone(&options.server);
        let inward = Arc::new(Inward::new(server, options.layered_handlers()));
        let (link, negotiated) = negotiate(connect, Arc::clone(&inward) as _, &options).await?;
        let session = Self::open((link, negotiated), inward, options, wanted);
        session.ask_for_logs().await;
        session.want_changes();
        Ok(session)
    }

    /// Opens a connection to a server that was agreed with before and does without handshake:
    /// nothing is sent.
    pub(crate) async fn resume(
        connect: &dyn Connect,
        options: ClientOptions,
        negotiated: Negotiated,
    ) -> Result<Self, ConnectError> {
        let server = Arc::clone(&options.server);
        let inward = Arc::new(Inward::new(server, options.layered_handlers()));
        let link = connect.connect(Arc::clone(&inward) as _).await?;
        link.channel.negotiated(negotiated.version.as_str());
        let known = (link, negotiated);
        Ok(Self::open(known, inward, options, Arc::default()))
    }

    fn open(
        (link, negotiated): (Link, Negotiated),
        inward: Arc<Inward>,
        options: ClientOptions,
        wanted: Arc<Wanted>,
    ) -> Self {
        let over = CancellationToken::new();
        Self {
            _open: Some(Arc::new(over.clone().drop_guard())),
            inner: Arc::new(Inner {
                channel: link.channel,
                wire: link.wire,
                stderr: link.stderr,
                inward,
                timeouts: options.timeouts,
                log_level: options.log_level,
                tasks: options.tasks,
                with_tasks: Arc::new(with_tasks(&negotiated.client.capabilities)),
                negotiated,
                listens: options.listen,
                wanted,
                listening: watch::Sender::default(),
                over,
                max_rounds: options.max_rounds,
                max_pages: options.max_pages,
                max_entries: options.max_entries,
                without_http: WithoutHttp::new(options.headers_in_meta),
                next_token: AtomicU64::new(1),
            }),
        }
    }

    /// The same session for what it runs by itself: it does not keep the connection open.
    fn inside(&self) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
            _open: None,
        }
    }

    /// Runs something for as long as the session lasts.
    fn run_inside<F>(&self, work: impl FnOnce(Self) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let (over, work) = (self.inner.over.clone(), work(self.inside()));
        mcp_peer::background(async move {
            over.run_until_cancelled(work).await;
        });
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
        self.inner.over.cancel();
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
        match error.on_the_way() {
            Some(CallError::Closed { .. }) => self.inner.wire == Wire::Stream || self.has_ended(),
            Some(CallError::Rejected(rejection)) => rejection.session_lost,
            _ => false,
        }
    }

    /// Whether there was a lasting connection that has ended.
    fn has_ended(&self) -> bool {
        is_ready(self.inner.channel.closed())
    }

    /// Whether an error says that the server is another one than it was: it no longer speaks the
    /// revision that was agreed on, and so has refused the call. Without handshake nothing else
    /// would show it.
    pub(crate) fn is_outdated(&self, error: &Error) -> bool {
        let Error::Call(call) = error else {
            return false;
        };
        let refused = match call {
            CallError::Rejected(rejection) => match &rejection.error {
                None => matches!(rejection.status.as_u16(), 400 | 404 | 405),
                Some(error) => error.code == UNSUPPORTED_PROTOCOL_VERSION,
            },
            CallError::Remote(error) => error.code == UNSUPPORTED_PROTOCOL_VERSION,
            _ => false,
        };
        refused && self.version().is_stateless()
    }

    /// Whether the session was closed.
    pub(crate) fn is_over(&self) -> bool {
        self.inner.over.is_cancelled()
    }

    /// Whether both are the same session.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    pub(crate) fn max_pages(&self) -> usize {
        self.inner.max_pages
    }

    pub(crate) fn max_entries(&self) -> usize {
        self.inner.max_entries
    }
}

/// What is declared with a call that may become a task.
fn with_tasks(capabilities: &ClientCapabilities) -> ClientCapabilities {
    let mut capabilities = capabilities.clone();
    let extensions = capabilities.extensions.get_or_insert_default();
    extensions.insert(tasks::EXTENSION.to_owned(), json!({}));
    capabilities
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
