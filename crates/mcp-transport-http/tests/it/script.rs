//! A server that says exactly what a test wants, and remembers what it was asked.

use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{HeaderMap, Method, Response, Uri};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// A request as it came in.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) method: Method,
    pub(crate) uri: Uri,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|v| v.to_str().unwrap())
    }

    /// What it is, for a test to match on: `GET`, `DELETE`, or the method of the message.
    pub(crate) fn kind(&self) -> &str {
        match self.body["method"].as_str() {
            Some(method) => method,
            None if self.method == Method::POST => "response",
            None => self.method.as_str(),
        }
    }
}

pub(crate) type Reply = Response<BoxBody<Bytes, Infallible>>;

/// A running script. Dropped, it takes its connections with it.
pub(crate) struct Script {
    pub(crate) url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
    news: mpsc::UnboundedReceiver<Seen>,
    shared: Arc<Shared>,
    _tasks: JoinSet<()>,
}

/// Feeds a stream of events while it is read.
pub(crate) type Feed = mpsc::UnboundedSender<String>;

impl Script {
    /// A server that answers once with a stream that the test feeds, whatever `before` leaves.
    pub(crate) async fn live(
        before: impl Fn(&Seen) -> Option<Reply> + Send + Sync + 'static,
    ) -> (Self, Feed) {
        let (feed, reply) = live();
        let reply = Mutex::new(Some(reply));
        let once = move || reply.lock().unwrap().take().unwrap();
        let script = Self::start(move |seen| before(seen).unwrap_or_else(&once)).await;
        (script, feed)
    }

    pub(crate) async fn start(answer: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (sender, news) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared {
            log: Arc::clone(&seen),
            sender,
            answer: Box::new(answer),
            connections: AtomicUsize::new(0),
        });
        let counts = Arc::clone(&shared);
        let mut tasks = JoinSet::new();
        tasks.spawn(accept(listener, shared));
        Self {
            url,
            seen,
            news,
            shared: counts,
            _tasks: tasks,
        }
    }

    /// How many connections there have been.
    pub(crate) fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::Relaxed)
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    pub(crate) fn kinds(&self) -> Vec<String> {
        self.seen()
            .iter()
            .map(|seen| seen.kind().to_owned())
            .collect()
    }

    /// The next request of this kind.
    pub(crate) async fn next(&mut self, kind: &str) -> Seen {
        loop {
            let seen = self.news.recv().await.unwrap();
            if seen.kind() == kind {
                return seen;
            }
        }
    }
}

type Answer = Box<dyn Fn(&Seen) -> Reply + Send + Sync>;

struct Shared {
    log: Arc<Mutex<Vec<Seen>>>,
    sender: mpsc::UnboundedSender<Seen>,
    answer: Answer,
    connections: AtomicUsize,
}

/// Serves connections; they end with this future.
async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        shared.connections.fetch_add(1, Ordering::Relaxed);
        let shared = Arc::clone(&shared);
        let service = hyper::service::service_fn(move |request| {
            let shared = Arc::clone(&shared);
            async move { Ok::<_, Infallible>(shared.handle(request).await) }
        });
        let io = TokioIo::new(stream);
        connections.spawn(hyper::server::conn::http1::Builder::new().serve_connection(io, service));
    }
}

impl Shared {
    async fn handle(&self, request: http::Request<Incoming>) -> Reply {
        let seen = read(request).await;
        self.log.lock().unwrap().push(seen.clone());
        let reply = (self.answer)(&seen);
        let _ = self.sender.send(seen);
        reply
    }
}

async fn read(request: http::Request<Incoming>) -> Seen {
    let (parts, body) = request.into_parts();
    let body = body
        .collect()
        .await
        .map(http_body_util::Collected::to_bytes)
        .unwrap_or_default();
    Seen {
        method: parts.method,
        uri: parts.uri,
        headers: parts.headers,
        body: serde_json::from_slice(&body).unwrap_or_default(),
    }
}

pub(crate) fn status(status: u16) -> Reply {
    text(status, "", "")
}

pub(crate) fn text(status: u16, content_type: &str, body: impl Into<Bytes>) -> Reply {
    let mut response = Response::new(Full::new(body.into()).boxed());
    *response.status_mut() = http::StatusCode::from_u16(status).unwrap();
    if !content_type.is_empty() {
        response
            .headers_mut()
            .insert("content-type", content_type.parse().unwrap());
    }
    response
}

pub(crate) fn json_body(code: u16, body: &Value) -> Reply {
    text(code, "application/json", body.to_string())
}

/// The result of the request, as JSON.
pub(crate) fn result(seen: &Seen, result: &Value) -> Reply {
    json_body(
        200,
        &json!({"jsonrpc": "2.0", "id": seen.body["id"], "result": result}),
    )
}

/// The result of the request, as an event.
pub(crate) fn result_event(id: &Value, result: &Value) -> String {
    event(&json!({"jsonrpc": "2.0", "id": id, "result": result}))
}

pub(crate) fn event(message: &Value) -> String {
    format!("data: {message}\n\n")
}

/// A whole event stream.
pub(crate) fn stream(text_of_it: impl Into<Bytes>) -> Reply {
    text(200, "text/event-stream", text_of_it)
}

/// An event stream that the test goes on writing; dropping the sender ends it.
pub(crate) fn live() -> (Feed, Reply) {
    let (sender, receiver) = mpsc::unbounded_channel::<String>();
    let frames = futures_util::stream::unfold(receiver, |mut receiver| async move {
        let text = receiver.recv().await?;
        Some((
            Ok::<_, Infallible>(Frame::data(Bytes::from(text))),
            receiver,
        ))
    });
    let mut response = Response::new(StreamBody::new(frames).boxed());
    response
        .headers_mut()
        .insert("content-type", "text/event-stream".parse().unwrap());
    (sender, response)
}

/// The usual answers of a server with sessions: of `initialize`, notifications, DELETE; no
/// stream of its own.
pub(crate) fn usual(seen: &Seen, version: &str) -> Option<Reply> {
    Some(match seen.kind() {
        "initialize" => {
            let mut reply = result(
                seen,
                &json!({
                    "protocolVersion": version, "capabilities": {},
                    "serverInfo": {"name": "s", "version": "1"},
                }),
            );
            reply
                .headers_mut()
                .insert("mcp-session-id", "s-1".parse().unwrap());
            reply
        }
        "GET" => status(405),
        "DELETE" => status(204),
        "response" => status(202),
        kind if kind.starts_with("notifications/") => status(202),
        _ => return None,
    })
}
