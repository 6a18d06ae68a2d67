//! A handler that does what its tools are named after, a server around it, and a plain client.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming as Body;
use hyper_util::rt::TokioIo;
use mcp_jsonrpc::{ErrorObject, Notification, RawJson};
use mcp_protocol::lifecycle::ServerIdentity;
use mcp_protocol::{Implementation, RequestContext, ServerCapabilities};
use mcp_transport::{BoxFuture, Call, Handler, Incoming, Timeouts};
use mcp_transport_http::{HttpOptions, HttpServer, HttpService, StreamControl};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Answers `tools/call` by the tool's name.
#[derive(Debug)]
pub(crate) struct Probe {
    /// Lets `wait` go on.
    pub(crate) go: Notify,
    /// What happens, in order.
    pub(crate) log: mpsc::UnboundedSender<String>,
    pub(crate) versions: Mutex<Vec<String>>,
}

type Outcome = Result<RawJson, ErrorObject>;

fn text(value: &Value) -> Outcome {
    RawJson::encode(&json!({"content": [{"type": "text", "text": value.to_string()}]}))
        .map_err(|e| ErrorObject::internal(e.to_string()))
}

impl Probe {
    fn say(&self, what: impl Into<String>) {
        let _ = self.log.send(what.into());
    }

    async fn wait(&self) -> Outcome {
        self.say("waiting");
        let guard = Gone(self.log.clone());
        self.go.notified().await;
        std::mem::forget(guard);
        self.say("went on");
        text(&json!("waited"))
    }

    async fn tool(&self, name: &str, incoming: &Asked, params: &Value) -> Outcome {
        match name {
            "echo" => text(&params["arguments"]),
            "panic" => panic!("as asked"),
            "capability" => Err(ErrorObject::new(
                mcp_protocol::error_code::MISSING_CLIENT_CAPABILITY,
                "no",
            )),
            "progress" => {
                for n in 1..=3 {
                    report(incoming, n).await?;
                }
                text(&json!("done"))
            }
            "wait then flood" => {
                self.wait().await?;
                flood(incoming).await?;
                self.say("flooded");
                text(&json!("done"))
            }
            "flood" => {
                flood(incoming).await?;
                text(&json!("done"))
            }
            "progress then wait" => {
                report(incoming, 1).await?;
                self.wait().await
            }
            "wait" => self.wait().await,
            "poll" => {
                if let Some(stream) = incoming.extensions.get::<StreamControl>() {
                    stream.release(std::time::Duration::from_millis(20));
                }
                self.wait().await
            }
            "later" => {
                let session = incoming.session.as_ref().unwrap();
                let note = Notification::new("notifications/tools/list_changed", None);
                session.channel().notify(note).await.unwrap();
                text(&json!("later"))
            }
            "ask" => ask(incoming).await,
            "header" => {
                let parts = incoming.extensions.get::<Arc<http::request::Parts>>();
                let value = parts
                    .and_then(|p| p.headers.get("x-own"))
                    .and_then(|v| v.to_str().ok());
                text(&json!(value))
            }
            _ => Err(ErrorObject::invalid_params(format!("unknown tool {name}"))),
        }
    }
}

type Asked = Incoming<mcp_jsonrpc::Request, RequestContext>;

async fn say(incoming: &Asked, method: &'static str, params: Value) -> Result<(), ErrorObject> {
    let note = Notification::new(method, Some(params.into()));
    let said = incoming.channel.notify(note).await;
    said.map_err(|e| ErrorObject::internal(e.to_string()))
}

async fn flood(incoming: &Asked) -> Result<(), ErrorObject> {
    for n in 0..2000 {
        let params = json!({"level": "info", "data": n});
        say(incoming, "notifications/message", params).await?;
    }
    Ok(())
}

async fn report(incoming: &Asked, n: u32) -> Result<(), ErrorObject> {
    let params = json!({"progressToken": incoming.context.progress_token, "progress": n});
    say(incoming, "notifications/progress", params).await
}

async fn ask(incoming: &Asked) -> Outcome {
    let mut call = Call::new("roots/list", Some(RawJson::EMPTY));
    call.timeouts = Timeouts::within(std::time::Duration::from_secs(5));
    match incoming.channel.call(call).await {
        Ok(answer) => text(&answer.decode::<Value>().unwrap()),
        Err(e) => text(&json!(format!("{e:?}"))),
    }
}

/// Says that a handler was dropped before its end.
struct Gone(mpsc::UnboundedSender<String>);

impl Drop for Gone {
    fn drop(&mut self) {
        let _ = self.0.send("dropped".to_owned());
    }
}

impl Handler<RequestContext> for Probe {
    fn request(
        self: Arc<Self>,
        incoming: Incoming<mcp_jsonrpc::Request, RequestContext>,
    ) -> BoxFuture<'static, Outcome> {
        Box::pin(async move {
            let version = incoming.context.version.as_str().to_owned();
            self.versions.lock().unwrap().push(version);
            let params: Value = incoming
                .message
                .params
                .as_ref()
                .map_or(Value::Null, |p| p.decode().unwrap());
            match &*incoming.message.method {
                "tools/call" => {
                    let name = params["name"].as_str().unwrap_or_default().to_owned();
                    self.tool(&name, &incoming, &params).await
                }
                "subscriptions/listen" => {
                    say(
                        &incoming,
                        "notifications/subscriptions/acknowledged",
                        json!({}),
                    )
                    .await?;
                    self.wait().await
                }
                "tools/list" => Ok(RawJson::from(json!({"tools": []}))),
                method => Err(ErrorObject::method_not_found(method)),
            }
        })
    }

    fn notification(
        self: Arc<Self>,
        incoming: Incoming<Notification, RequestContext>,
    ) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            let params = incoming.message.params.as_ref().map_or("", |p| p.as_str());
            self.say(format!("{} {params}", incoming.message.method));
        })
    }
}

/// A server on a free port, which ends with this value.
pub(crate) struct Server {
    pub(crate) url: String,
    pub(crate) probe: Arc<Probe>,
    pub(crate) service: HttpService,
    pub(crate) log: mpsc::UnboundedReceiver<String>,
    shutdown: CancellationToken,
    serving: JoinHandle<()>,
}

pub(crate) fn identity() -> Arc<ServerIdentity> {
    let info = Implementation::new("probe", "1");
    Arc::new(ServerIdentity::new(info, ServerCapabilities::default()))
}

impl Server {
    pub(crate) async fn start(options: HttpOptions) -> Self {
        Self::with(identity(), options).await
    }

    pub(crate) async fn with(identity: Arc<ServerIdentity>, options: HttpOptions) -> Self {
        let (sender, log) = mpsc::unbounded_channel();
        let probe = Arc::new(Probe {
            go: Notify::new(),
            log: sender,
            versions: Mutex::default(),
        });
        let service = HttpService::new(identity, Arc::clone(&probe) as _, options);
        let server = HttpServer::bind("127.0.0.1:0").await.unwrap();
        let url = server.local_url();
        let shutdown = CancellationToken::new();
        let serving = tokio::spawn(server.serve(service.clone(), shutdown.clone()));
        Self {
            url,
            probe,
            service,
            log,
            shutdown,
            serving,
        }
    }

    /// Ends the server and waits until nothing of it is left.
    pub(crate) async fn stop(self) {
        self.shutdown.cancel();
        self.serving.await.unwrap();
    }

    pub(crate) async fn next(&mut self) -> String {
        self.log.recv().await.unwrap()
    }

    /// A server with a session of this revision, whose confirmation it has heard.
    pub(crate) async fn greeted(version: &str) -> (Self, Vec<(String, String)>) {
        let mut server = Self::start(HttpOptions::default()).await;
        let session = server.session(version).await;
        assert!(server.next().await.starts_with("notifications/initialized"));
        (server, session)
    }

    /// Sends a notification or an answer, which is accepted.
    pub(crate) async fn tell(&self, session: &[(String, String)], message: &Value) {
        let answer = post(&self.url, &refs(session), message).await;
        assert_eq!((answer.status, answer.body.len()), (202, 0), "{message}");
    }

    /// Opens a session of this revision and confirms it.
    pub(crate) async fn session(&self, version: &str) -> Vec<(String, String)> {
        let answer = post(&self.url, &[], &initialize(version)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let id = answer.headers["mcp-session-id"]
            .to_str()
            .unwrap()
            .to_owned();
        let headers = vec![
            ("mcp-session-id".to_owned(), id),
            ("mcp-protocol-version".to_owned(), version.to_owned()),
        ];
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        self.tell(&headers, &initialized).await;
        headers
    }
}

pub(crate) fn refs(headers: &[(String, String)]) -> Vec<(&str, &str)> {
    headers
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect()
}

pub(crate) fn initialize(version: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "0"},
    }})
}

/// A call of a tool in the handshake era.
/// Gives up a request.
pub(crate) fn cancelled(id: impl Into<Value>) -> Value {
    let params = json!({"requestId": id.into()});
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
}

pub(crate) fn tool(id: impl Into<Value>, name: &str, arguments: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": "tools/call",
        "params": {"name": name, "arguments": arguments, "_meta": {"progressToken": "p"}}})
}

pub(crate) const MODERN: &str = "2026-07-28";

/// A request that stands alone, with the headers that belong to it.
pub(crate) fn modern(method: &str, mut params: Value) -> (Vec<(String, String)>, Value) {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
        "progressToken": "p",
    });
    let mut headers = vec![
        ("mcp-protocol-version".to_owned(), MODERN.to_owned()),
        ("mcp-method".to_owned(), method.to_owned()),
    ];
    if let Some(name) = params["name"].as_str() {
        headers.push(("mcp-name".to_owned(), name.to_owned()));
    }
    (
        headers,
        json!({"jsonrpc": "2.0", "id": "m", "method": method, "params": params}),
    )
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }

    pub(crate) fn code(&self) -> i64 {
        self.json()["error"]["code"]
            .as_i64()
            .unwrap_or_else(|| panic!("{self:?}"))
    }

    pub(crate) fn content_type(&self) -> &str {
        self.headers
            .get("content-type")
            .map_or("", |v| v.to_str().unwrap())
    }

    /// The messages of an event stream.
    pub(crate) fn events(&self) -> Vec<Value> {
        assert_eq!(self.content_type(), "text/event-stream", "{self:?}");
        events(&self.body)
    }
}

pub(crate) fn events(body: &[u8]) -> Vec<Value> {
    let mut decoder = mcp_transport_http::sse::Decoder::new(1 << 20);
    decoder.feed(body);
    std::iter::from_fn(|| decoder.next_event().unwrap())
        .map(|event| serde_json::from_slice(&event.data).unwrap())
        .collect()
}

/// Sends one request over a connection of its own. Headers given replace the usual ones; an
/// empty value leaves one out.
pub(crate) async fn send(
    method: Method,
    url: &str,
    headers: &[(&str, &str)],
    body: impl Into<Bytes>,
) -> Response<Body> {
    let uri: http::Uri = url.parse().unwrap();
    let authority = uri.authority().unwrap().as_str();
    let stream = TcpStream::connect(authority).await.unwrap();
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .unwrap();
    tokio::spawn(connection);
    let mut request = Request::new(Full::new(body.into()));
    *request.method_mut() = method;
    *request.uri_mut() = uri.path().parse().unwrap();
    let usual = [
        ("host", authority),
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
    ];
    let given = |name: &str| headers.iter().any(|(n, _)| n.eq_ignore_ascii_case(name));
    let usual = usual.iter().filter(|(name, _)| !given(name));
    for (name, value) in usual.chain(headers).filter(|(_, value)| !value.is_empty()) {
        let name = http::HeaderName::try_from(*name).unwrap();
        let value = http::HeaderValue::from_bytes(value.as_bytes()).unwrap();
        request.headers_mut().append(name, value);
    }
    sender.send_request(request).await.unwrap()
}

pub(crate) async fn whole(response: Response<Body>) -> Answer {
    let (parts, body) = response.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    Answer {
        status: parts.status.as_u16(),
        headers: parts.headers,
        body,
    }
}

pub(crate) async fn request(
    method: Method,
    url: &str,
    headers: &[(&str, &str)],
    body: impl Into<Bytes>,
) -> Answer {
    whole(send(method, url, headers, body).await).await
}

pub(crate) async fn post(url: &str, headers: &[(&str, &str)], body: &Value) -> Answer {
    request(Method::POST, url, headers, body.to_string()).await
}

/// POSTs a request that stands alone.
pub(crate) async fn post_modern(url: &str, method: &str, params: Value) -> Answer {
    let (headers, body) = modern(method, params);
    post(url, &refs(&headers), &body).await
}

/// Reads a stream until this many messages have come.
pub(crate) async fn read_events(response: &mut Response<Body>, count: usize) -> Vec<Value> {
    assert_eq!(response.status(), StatusCode::OK);
    let mut text = Vec::new();
    while events(&text).len() < count {
        let frame = response
            .body_mut()
            .frame()
            .await
            .expect("the stream ended")
            .unwrap();
        text.extend_from_slice(&frame.into_data().unwrap());
    }
    events(&text)
}
