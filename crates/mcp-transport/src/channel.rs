//! The way out: what one may send to the peer.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use http::Extensions;
use mcp_jsonrpc::{Id, MethodName, Notification, RawJson};

use crate::{BoxFuture, CallError, TransportError};

/// A connection seen from above: calls with their answers, and notifications.
///
/// Over a byte stream a channel shares one pump with all its clones; over HTTP each call is an
/// exchange of its own.
///
/// One of one's own:
///
/// ```
/// use std::sync::Arc;
/// use mcp_jsonrpc::{ErrorObject, Notification, RawJson, Request};
/// use mcp_transport::{BoxFuture, Call, CallError, Channel, Handler, Incoming, TransportError};
///
/// /// Answers every request with its own params.
/// #[derive(Debug)]
/// struct Echo;
///
/// impl Handler<()> for Echo {
///     fn request(
///         self: Arc<Self>,
///         request: Incoming<Request, ()>,
///     ) -> BoxFuture<'static, Result<RawJson, ErrorObject>> {
///         Box::pin(async move { Ok(request.message.params.unwrap_or(RawJson::EMPTY)) })
///     }
///
///     fn notification(self: Arc<Self>, _: Incoming<Notification, ()>) -> BoxFuture<'static, ()> {
///         Box::pin(async {})
///     }
/// }
///
/// /// Leads to a handler of this process, with no bytes in between.
/// #[derive(Clone, Debug)]
/// struct Here(Arc<Echo>);
///
/// impl Channel for Here {
///     fn call(&self, call: Call) -> BoxFuture<'_, Result<RawJson, CallError>> {
///         let request = Request::new(1, call.method, call.params);
///         let incoming = Incoming::new(request, (), Arc::new(self.clone()));
///         let answering = Arc::clone(&self.0).request(incoming);
///         Box::pin(async move { answering.await.map_err(CallError::Remote) })
///     }
///
///     fn notify(&self, notification: Notification) -> BoxFuture<'_, Result<(), CallError>> {
///         let incoming = Incoming::new(notification, (), Arc::new(self.clone()));
///         let taking = Arc::clone(&self.0).notification(incoming);
///         Box::pin(async move { Ok(taking.await) })
///     }
///
///     fn close(&self) -> BoxFuture<'_, ()> {
///         Box::pin(async {})
///     }
///
///     fn closed(&self) -> BoxFuture<'_, Arc<TransportError>> {
///         Box::pin(std::future::pending())
///     }
///
///     fn negotiated(&self, _: &str) {}
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), CallError> {
/// let here = Here(Arc::new(Echo));
/// assert_eq!(here.call(Call::new("ping", None)).await?.as_str(), "{}");
/// # Ok(())
/// # }
/// ```
pub trait Channel: fmt::Debug + Send + Sync + 'static {
    /// Sends a request and waits for its answer.
    ///
    /// # Cancel safety
    /// Dropping the future cancels the call: the peer is told where the revision has a message
    /// for that, and a late answer is dropped.
    fn call(&self, call: Call) -> BoxFuture<'_, Result<RawJson, CallError>>;

    /// Sends a notification; done when it is handed to the transport.
    ///
    /// # Cancel safety
    /// Dropping the future may leave the notification unsent.
    fn notify(&self, notification: Notification) -> BoxFuture<'_, Result<(), CallError>>;

    /// Ends the connection in good order and waits until it has ended.
    ///
    /// # Cancel safety
    /// Dropping the future does not keep the connection open; it ends without being waited for.
    fn close(&self) -> BoxFuture<'_, ()>;

    /// Waits until the connection is about to end: nothing new is taken, and what is owed may
    /// still be answered.
    ///
    /// # Cancel safety
    /// Dropping the future changes nothing.
    fn ending(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            self.closed().await;
        })
    }

    /// Waits until the connection has ended, and says why. Never resolves where there is no
    /// lasting connection.
    ///
    /// # Cancel safety
    /// Dropping the future changes nothing.
    fn closed(&self) -> BoxFuture<'_, Arc<TransportError>>;

    /// Pins the revision that was negotiated, for the rules of framing that depend on it.
    fn negotiated(&self, version: &str);
}

/// One request to be sent.
#[derive(Debug)]
#[non_exhaustive]
pub struct Call {
    /// The method.
    pub method: MethodName,
    /// The params, with `_meta` in place.
    pub params: Option<RawJson>,
    /// How long to wait.
    pub timeouts: Timeouts,
    /// Where the transport notes the id that it gives the request, if somebody asks for it.
    pub id: Option<CallId>,
    /// Where progress goes, with the token that `_meta` carries.
    pub progress: Option<(Id, ProgressSink)>,
    /// Whether a cancellation is announced to the peer. Never for `initialize`.
    pub cancellable: bool,
    /// What HTTP shows intermediaries in headers since 2026-07-28; other transports ignore it.
    pub mirror: Mirror,
    /// What a transport may want besides: for HTTP a [`http::HeaderMap`] of extra headers, and
    /// [`WithoutHeaders`] and [`Attached`].
    pub extensions: Extensions,
}

/// The headers of an HTTP connection that one call is sent without: an extension of [`Call`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a list with a name of its own")]
pub struct WithoutHeaders(pub Vec<http::HeaderName>);

/// What the caller has attached to a call, for whatever makes its headers: an extension of
/// [`Call`].
#[derive(Clone, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "a value with a meaning")]
pub struct Attached(pub Arc<Extensions>);

/// Where a transport notes the id that it gives a call, before the call is sent. Clones are the
/// same place.
#[derive(Clone, Debug, Default)]
pub struct CallId(Arc<OnceLock<Id>>);

impl CallId {
    /// A place without an id.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The id; `None` before the call is sent.
    #[must_use]
    pub fn get(&self) -> Option<&Id> {
        self.0.get()
    }

    /// For transports: notes the id. Only the first one counts.
    pub fn set(&self, id: &Id) {
        self.0.get_or_init(|| id.clone());
    }
}

/// The call of ours in whose answer stream a message of the peer came, where a transport has such
/// streams: an extension of [`Incoming`](crate::Incoming).
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "an id with a meaning")]
pub struct PartOf(pub Id);

/// The parts of a request that Streamable HTTP repeats in headers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mirror {
    /// The revision that `_meta` names; `None` in the handshake era.
    pub version: Option<&'static str>,
    /// `params.name` or `params.uri`, where the method has one.
    pub name: Option<String>,
    /// Header name parts and plain values of arguments marked with `x-mcp-header`.
    pub params: Vec<(String, String)>,
}

impl Call {
    /// A call with default timeouts and nothing else.
    pub fn new(method: impl Into<MethodName>, params: Option<RawJson>) -> Self {
        Self {
            method: method.into(),
            params,
            timeouts: Timeouts::default(),
            id: None,
            progress: None,
            cancellable: true,
            mirror: Mirror::default(),
            extensions: Extensions::new(),
        }
    }
}

/// How long a call may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timeouts {
    /// Without an answer or, where it counts, progress. `None` waits without limit.
    pub idle: Option<Duration>,
    /// In all, whatever progress says. `None` sets no limit.
    pub total: Option<Duration>,
    /// Whether progress starts `idle` anew.
    pub reset_on_progress: bool,
}

impl Timeouts {
    /// At most this long, progress or not.
    #[must_use]
    pub const fn within(limit: Duration) -> Self {
        Self {
            idle: Some(limit),
            total: Some(limit),
            reset_on_progress: false,
        }
    }
}

/// 60 s without progress, 10 min in all.
impl Default for Timeouts {
    fn default() -> Self {
        Self {
            idle: Some(Duration::from_secs(60)),
            total: Some(Duration::from_secs(600)),
            reset_on_progress: true,
        }
    }
}

/// The params of a progress notification that belongs to a call.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Progress {
    /// How far; only ever rises within a call.
    pub progress: f64,
    /// Out of how much, if known.
    pub total: Option<f64>,
    /// What is going on, for people.
    pub message: Option<String>,
}

impl Progress {
    /// A report without total and message.
    #[must_use]
    pub const fn new(progress: f64) -> Self {
        Self {
            progress,
            total: None,
            message: None,
        }
    }

    /// The same report, out of so much.
    #[must_use]
    pub const fn with_total(mut self, total: f64) -> Self {
        self.total = Some(total);
        self
    }

    /// The same report with what is going on, for people.
    #[must_use]
    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }
}

impl From<f64> for Progress {
    fn from(progress: f64) -> Self {
        Self::new(progress)
    }
}

/// Takes progress as it comes in. It is called from the reader and must not block.
#[derive(Clone)]
pub struct ProgressSink(Option<Arc<dyn Fn(Progress) + Send + Sync>>);

impl ProgressSink {
    /// A sink that calls `f`.
    pub fn new(f: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(f)))
    }

    /// A sink that ignores all, for a call whose progress only puts off its time limit.
    #[must_use]
    pub const fn ignore() -> Self {
        Self(None)
    }

    /// Hands over one report.
    pub fn report(&self, progress: Progress) {
        if let Some(report) = &self.0 {
            report(progress);
        }
    }
}

impl fmt::Debug for ProgressSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProgressSink")
    }
}
