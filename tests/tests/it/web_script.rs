//! A server over HTTP that answers as a test wants, and remembers what it was asked.

use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{HeaderMap, Method, Response};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper_util::rt::TokioIo;
use mcp::client::ClientOptions;
use mcp::http::HttpTransport;
use mcp::{HttpConnect, Session};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::lines::discovery;
use crate::wire::soon;

/// A request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) method: Method,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// The method of the message; else that of HTTP, or `response`.
    pub(crate) fn kind(&self) -> &str {
        match self.body["method"].as_str() {
            Some(method) => method,
            None if self.method == Method::POST => "response",
            None => self.method.as_str(),
        }
    }

    pub(crate) fn is_notification(&self) -> bool {
        self.kind().starts_with("notifications/")
    }
}

pub(crate) type Answer = Response<BoxBody<Bytes, Infallible>>;

/// A running script. Its connections end with it.
#[derive(Debug)]
pub(crate) struct WebScript {
    pub(crate) url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
    news: mpsc::Receiver<Seen>,
    connections: Arc<AtomicUsize>,
    _tasks: JoinSet<()>,
}

type Script = dyn Fn(&Seen) -> Answer + Send + Sync;

impl WebScript {
    pub(crate) async fn start(script: impl Fn(&Seen) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (sender, news) = mpsc::channel(1000);
        let mut tasks = JoinSet::new();
        let connections = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&connections);
        tasks.spawn(accept(
            listener,
            Arc::new(script),
            Arc::clone(&seen),
            sender,
            counter,
        ));
        Self {
            url,
            seen,
            news,
            connections,
            _tasks: tasks,
        }
    }

    pub(crate) fn connector(&self) -> HttpConnect {
        HttpConnect::new(HttpTransport::builder(&self.url).build().unwrap())
    }

    pub(crate) async fn connect(&self, options: ClientOptions) -> Session {
        Session::connect(&self.connector(), options).await.unwrap()
    }

    /// How many connections there have been.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// All requests so far.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    pub(crate) fn kinds(&self) -> Vec<String> {
        let seen = self.seen.lock().unwrap();
        seen.iter().map(|seen| seen.kind().to_owned()).collect()
    }

    /// Waits for a request of this kind.
    pub(crate) async fn next(&mut self, kind: &str) -> Seen {
        loop {
            let seen = soon(self.news.recv()).await.unwrap();
            if seen.kind() == kind {
                return seen;
            }
        }
    }
}

async fn accept(
    listener: TcpListener,
    script: Arc<Script>,
    log: Arc<Mutex<Vec<Seen>>>,
    news: mpsc::Sender<Seen>,
    counter: Arc<AtomicUsize>,
) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        counter.fetch_add(1, Ordering::SeqCst);
        let (script, log, news) = (Arc::clone(&script), Arc::clone(&log), news.clone());
        let service = hyper::service::service_fn(move |request| {
            let (script, log, news) = (Arc::clone(&script), Arc::clone(&log), news.clone());
            async move {
                let seen = read(request).await;
                log.lock().unwrap().push(seen.clone());
                let answer = script(&seen);
                let _ = news.try_send(seen);
                Ok::<_, Infallible>(answer)
            }
        });
        let http = hyper::server::conn::http1::Builder::new();
        connections.spawn(http.serve_connection(TokioIo::new(stream), service));
    }
}

async fn read(request: http::Request<Incoming>) -> Seen {
    let (parts, body) = request.into_parts();
    let body = body
        .collect()
        .await
        .map(http_body_util::Collected::to_bytes);
    Seen {
        method: parts.method,
        headers: parts.headers,
        body: serde_json::from_slice(&body.unwrap_or_default()).unwrap_or_default(),
    }
}

pub(crate) fn status(code: u16) -> Answer {
    text(code, "", "")
}

pub(crate) fn text(code: u16, content_type: &str, body: impl Into<Bytes>) -> Answer {
    let mut response = Response::new(Full::new(body.into()).boxed());
    *response.status_mut() = http::StatusCode::from_u16(code).unwrap();
    if !content_type.is_empty() {
        let content_type = content_type.parse().unwrap();
        response.headers_mut().insert("content-type", content_type);
    }
    response
}

pub(crate) fn json_body(code: u16, body: &Value) -> Answer {
    text(code, "application/json", body.to_string())
}

/// The result of the request.
pub(crate) fn result(seen: &Seen, result: &Value) -> Answer {
    json_body(
        200,
        &json!({"jsonrpc": "2.0", "id": seen.body["id"], "result": result}),
    )
}

/// An error for the request.
pub(crate) fn error(code: u16, seen: &Seen, error: i64) -> Answer {
    let error = json!({"code": error, "message": "as the test wants it"});
    json_body(
        code,
        &json!({"jsonrpc": "2.0", "id": seen.body["id"], "error": error}),
    )
}

pub(crate) fn event(message: &Value) -> String {
    format!("data: {message}\n\n")
}

/// A whole event stream.
pub(crate) fn stream(events: impl Into<Bytes>) -> Answer {
    text(200, "text/event-stream", events)
}

/// An event stream that the test goes on writing; dropping the sender ends it.
pub(crate) fn live() -> (mpsc::Sender<String>, Answer) {
    let (sender, receiver) = mpsc::channel::<String>(100);
    let frames = futures_util::stream::unfold(receiver, |mut receiver| async move {
        let text = receiver.recv().await?;
        Some((Ok(Frame::data(Bytes::from(text))), receiver))
    });
    let mut response = Response::new(StreamBody::new(frames).boxed());
    let content_type = "text/event-stream".parse().unwrap();
    response.headers_mut().insert("content-type", content_type);
    (sender, response)
}

/// What a server with sessions answers that has these capabilities: all but requests for
/// features.
pub(crate) fn with_sessions(seen: &Seen, version: &str, capabilities: &Value) -> Option<Answer> {
    Some(match seen.kind() {
        "server/discover" => error(400, seen, -32601),
        "initialize" => {
            let hello = json!({"protocolVersion": version, "capabilities": capabilities,
                "serverInfo": {"name": "script", "version": "1"}});
            let mut answer = result(seen, &hello);
            let id = "session-1".parse().unwrap();
            answer.headers_mut().insert("mcp-session-id", id);
            answer
        }
        "GET" => status(405),
        "DELETE" => status(204),
        "response" => status(202),
        _ if seen.is_notification() => status(202),
        _ => return None,
    })
}

/// What a server without handshake answers that has these capabilities: all but requests for
/// features.
pub(crate) fn without_handshake(seen: &Seen, capabilities: &Value) -> Option<Answer> {
    Some(match seen.kind() {
        "server/discover" => result(seen, &discovery(capabilities.clone())),
        "GET" | "DELETE" => status(405),
        _ if seen.is_notification() => status(202),
        _ => return None,
    })
}
