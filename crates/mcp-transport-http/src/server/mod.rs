//! The server end: one endpoint that speaks every revision with Streamable HTTP.

mod answers;
mod ask;
mod batch;
mod body;
mod delete;
mod exchange;
mod get;
mod greeted;
mod handshake;
mod initialize;
mod listener;
mod notices;
mod options;
mod origin;
mod outbox;
mod place;
mod post;
mod read;
mod replay;
mod reply;
mod ring;
mod running;
mod session;
mod sessions;
mod stateless;
mod until;

use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
    CONNECTION, TRANSFER_ENCODING, VARY,
};
use http::request::Parts;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body::Body;
use mcp_protocol::lifecycle::ServerIdentity;
use mcp_protocol::{Feature, RequestContext};
use mcp_transport::{BoxFuture, Handler};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::origin::Foreign;
use self::reply::Reply;
use self::ring::{Budget, Keep};
use self::sessions::Sessions;

pub use body::AnswerBody;
pub use listener::HttpServer;
pub use options::HttpOptions;
pub use replay::StreamControl;

/// What browsers may send and see, where a page of an allowed origin asks.
const CORS_METHODS: HeaderValue = HeaderValue::from_static("POST, GET, DELETE");
const CORS_EXPOSED: HeaderValue = HeaderValue::from_static("mcp-session-id, www-authenticate");

/// The endpoint of a server, as a tower and a hyper service. Clones are the same endpoint.
///
/// Each POST is answered where it is read: as JSON when the handler has sent nothing before its
/// answer, as a stream of events when it has.
#[derive(Clone)]
pub struct HttpService {
    shared: Arc<Shared>,
}

/// What all requests share.
pub(crate) struct Shared {
    identity: Arc<ServerIdentity>,
    handler: Arc<dyn Handler<RequestContext>>,
    options: HttpOptions,
    sessions: Sessions,
    replay: Arc<Budget>,
    /// What the bodies of all requests may have together.
    bodies: Budget,
    in_flight: AtomicUsize,
    /// What goes on without a client.
    tasks: TaskTracker,
    closing: CancellationToken,
}

impl Shared {
    /// Whether the server speaks a revision that has this.
    fn speaks(&self, feature: Feature) -> bool {
        self.identity
            .versions
            .iter()
            .any(|version| version.has(feature))
    }

    fn has_sessions(&self) -> bool {
        self.options.sessions && self.speaks(Feature::HttpSessions)
    }

    /// What a stream of the handshake era keeps, where it keeps anything.
    fn keep(&self) -> Option<Keep> {
        let limit = self.options.replay_per_stream;
        (limit > 0).then(|| Keep {
            limit,
            budget: Arc::clone(&self.replay),
        })
    }

    fn principal(&self, parts: &Parts) -> Option<String> {
        self.options.principal.as_ref().and_then(|of| of(parts))
    }
}

impl HttpService {
    /// An endpoint that answers with `handler`.
    #[must_use]
    pub fn new(
        identity: Arc<ServerIdentity>,
        handler: Arc<dyn Handler<RequestContext>>,
        options: HttpOptions,
    ) -> Self {
        Self {
            shared: Arc::new(Shared {
                identity,
                handler,
                sessions: Sessions::new(options.max_sessions, options.session_idle),
                replay: Arc::new(Budget::new(options.replay_total)),
                bodies: Budget::new(options.max_bodies.max(options.max_body)),
                options,
                in_flight: AtomicUsize::new(0),
                tasks: TaskTracker::new(),
                closing: CancellationToken::new(),
            }),
        }
    }

    /// How many sessions there are.
    #[must_use]
    pub fn session_count(&self) -> usize {
        self.shared.sessions.sweep();
        self.shared.sessions.len()
    }

    /// Ends all sessions with their streams, and subscriptions, and lets no session begin. Other
    /// requests that are being answered are not cut off.
    pub fn close(&self) {
        self.shared.closing.cancel();
        self.shared.sessions.close();
        self.shared.tasks.close();
    }

    /// Answers one request.
    ///
    /// # Cancel safety
    /// Dropping the future is what a server does whose client has gone: in 2026-07-28 it cancels
    /// the request, in earlier revisions the request goes on.
    pub async fn handle<B>(&self, request: Request<B>) -> Response<AnswerBody>
    where
        B: Body<Data = Bytes> + Send,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let (parts, body) = request.into_parts();
        self.answer(Arc::new(parts), body).await
    }

    /// As [`handle`](Self::handle). The parts are shared at once: they are large, and each step
    /// would move them.
    async fn answer<B>(&self, parts: Arc<Parts>, body: B) -> Reply
    where
        B: Body<Data = Bytes> + Send,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        // Who stands between may have gone by another length, and taken for the beginning of
        // somebody else's request what is left then.
        let last = parts.headers.contains_key(TRANSFER_ENCODING);
        let mut reply = self.reply(parts, body).await;
        if last {
            let close = HeaderValue::from_static("close");
            reply.headers_mut().insert(CONNECTION, close);
        }
        reply
    }

    async fn reply<B>(&self, parts: Arc<Parts>, body: B) -> Reply
    where
        B: Body<Data = Bytes> + Send,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let shared = &self.shared;
        if shared
            .options
            .path
            .as_deref()
            .is_some_and(|path| path != parts.uri.path())
        {
            return reply::refuse(StatusCode::NOT_FOUND, "there is nothing at this path");
        }
        let origin = match shared.options.allowed.check(&parts) {
            Ok(origin) => origin,
            Err(Foreign::Host) => {
                return reply::refuse(StatusCode::FORBIDDEN, "this host is not allowed");
            }
            Err(Foreign::Origin) => {
                return reply::refuse(StatusCode::FORBIDDEN, "this origin is not allowed");
            }
        };
        let mut reply = match parts.method {
            Method::POST => post::handle(shared, parts, body).await,
            Method::GET => get::handle(shared, &parts),
            Method::DELETE => delete::handle(shared, &parts),
            Method::OPTIONS if origin.is_some() => preflight(&parts),
            _ => reply::not_allowed(shared.allow()),
        };
        if let Some(origin) = origin {
            let headers = reply.headers_mut();
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, CORS_EXPOSED);
            headers.insert(VARY, HeaderValue::from_static("origin"));
        }
        reply
    }
}

impl Shared {
    fn allow(&self) -> &'static str {
        if self.has_sessions() {
            "POST, GET, DELETE"
        } else {
            "POST"
        }
    }
}

/// A page of an allowed origin may send what it asks for: the names of headers for arguments
/// are not known beforehand.
fn preflight(parts: &Parts) -> Reply {
    let mut reply = reply::empty(StatusCode::NO_CONTENT);
    let headers = reply.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, CORS_METHODS);
    if let Some(asked) = parts.headers.get(ACCESS_CONTROL_REQUEST_HEADERS) {
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, asked.clone());
    }
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    reply
}

impl fmt::Debug for HttpService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpService")
            .field("options", &self.shared.options)
            .field("sessions", &self.shared.sessions.len())
            .finish_non_exhaustive()
    }
}

impl<B> tower_service::Service<Request<B>> for HttpService
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Response = Response<AnswerBody>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response<AnswerBody>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let service = self.clone();
        let (parts, body) = request.into_parts();
        let parts = Arc::new(parts);
        Box::pin(async move { Ok(service.answer(parts, body).await) })
    }
}

impl<B> hyper::service::Service<Request<B>> for HttpService
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Response = Response<AnswerBody>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response<AnswerBody>, Infallible>>;

    fn call(&self, request: Request<B>) -> Self::Future {
        let service = self.clone();
        let (parts, body) = request.into_parts();
        let parts = Arc::new(parts);
        Box::pin(async move { Ok(service.answer(parts, body).await) })
    }
}
