//! A plain HTTP client, for requests that no client of ours would make.

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;

use crate::lines::{initialize, modern};
use crate::wire::{MODERN, soon};

pub(crate) type Headers = Vec<(String, String)>;

/// A whole response.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    pub(crate) fn is_stream(&self) -> bool {
        self.header("content-type") == Some("text/event-stream")
    }

    /// The messages in it: one, or those of an event stream.
    pub(crate) fn messages(&self) -> Vec<Value> {
        if self.is_stream() {
            return events(&self.body);
        }
        let message = serde_json::from_slice(&self.body);
        vec![message.unwrap_or_else(|error| panic!("{error}: {self:?}"))]
    }

    /// The last message in it, which is the answer.
    pub(crate) fn answer(&self) -> Value {
        self.messages().pop().unwrap_or_default()
    }
}

pub(crate) fn events(body: &[u8]) -> Vec<Value> {
    raw_events(body)
        .into_iter()
        .filter(|event| !event.1.is_empty())
        .map(|(_, data)| serde_json::from_str(&data).unwrap())
        .collect()
}

/// The events of a stream: ids and data.
pub(crate) fn raw_events(body: &[u8]) -> Vec<(String, String)> {
    let text = std::str::from_utf8(body).unwrap();
    let events = text.split("\n\n").filter_map(|block| {
        let field = |name: &str| {
            let lines = block.lines().filter_map(|line| line.strip_prefix(name));
            let values: Vec<_> = lines.map(str::trim_start).collect();
            (!values.is_empty()).then(|| values.join("\n"))
        };
        let (id, data) = (field("id:"), field("data:"));
        (id.is_some() || data.is_some()).then(|| (id.unwrap_or_default(), data.unwrap_or_default()))
    });
    events.collect()
}

/// Sends a request over a connection of its own. What is given replaces the usual headers; an
/// empty value leaves one out.
pub(crate) async fn send(
    method: Method,
    url: &str,
    headers: &[(String, String)],
    body: impl Into<Bytes>,
) -> Response<Incoming> {
    let uri: http::Uri = url.parse().unwrap();
    let authority = uri.authority().unwrap().to_string();
    let stream = TcpStream::connect(&authority).await.unwrap();
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .unwrap();
    tokio::spawn(connection);
    let mut request = Request::new(Full::new(body.into()));
    *request.method_mut() = method;
    *request.uri_mut() = uri.path().parse().unwrap();
    let usual = [
        ("host", authority.as_str()),
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
    ];
    let is_given = |name: &str| headers.iter().any(|(n, _)| n.eq_ignore_ascii_case(name));
    let usual = usual.into_iter().filter(|(name, _)| !is_given(name));
    let given = headers.iter().map(|(n, v)| (n.as_str(), v.as_str()));
    for (name, value) in usual.chain(given).filter(|(_, value)| !value.is_empty()) {
        let name = http::HeaderName::try_from(name).unwrap();
        let value = http::HeaderValue::from_bytes(value.as_bytes()).unwrap();
        request.headers_mut().append(name, value);
    }
    soon(sender.send_request(request)).await.unwrap()
}

pub(crate) async fn whole(response: Response<Incoming>) -> Reply {
    let (parts, body) = response.into_parts();
    let body = soon(body.collect()).await.unwrap().to_bytes();
    Reply {
        status: parts.status.as_u16(),
        headers: parts.headers,
        body,
    }
}

pub(crate) async fn post(url: &str, headers: &[(String, String)], body: &Value) -> Reply {
    whole(send(Method::POST, url, headers, body.to_string()).await).await
}

/// The headers that belong to a message without handshake.
pub(crate) fn modern_headers(message: &Value) -> Headers {
    let mut headers = vec![header("mcp-protocol-version", MODERN)];
    if let Some(method) = message["method"].as_str() {
        headers.push(header("mcp-method", method));
    }
    let name = ["name", "uri", "taskId"]
        .iter()
        .find_map(|member| message["params"][*member].as_str());
    headers.extend(name.map(|name| header("mcp-name", name)));
    headers
}

/// POSTs a message without handshake, with its headers.
pub(crate) async fn post_modern(url: &str, message: &Value) -> Reply {
    post(url, &modern_headers(message), message).await
}

/// Calls a method without handshake.
pub(crate) async fn ask_modern(url: &str, method: &str, params: Value) -> Reply {
    post_modern(url, &modern("m", method, params)).await
}

pub(crate) fn header(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

/// Opens a session of this revision; gives back the headers of its requests.
pub(crate) async fn session(url: &str, version: &str, capabilities: Value) -> Headers {
    let hello = initialize("hello", version, capabilities);
    let reply = post(url, &[], &hello).await;
    assert_eq!(reply.answer()["result"]["protocolVersion"], version);
    let mut headers = vec![header("mcp-protocol-version", version)];
    let id = reply.header("mcp-session-id");
    headers.extend(id.map(|id| header("mcp-session-id", id)));
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(post(url, &headers, &initialized).await.status, 202);
    headers
}

/// An event stream that is read as it comes.
#[derive(Debug)]
pub(crate) struct Stream {
    response: Response<Incoming>,
    read: Vec<u8>,
    taken: usize,
}

impl Stream {
    pub(crate) fn new(response: Response<Incoming>) -> Self {
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self {
            response,
            read: Vec::new(),
            taken: 0,
        }
    }

    /// The id and the data of the next event; `None` at the end.
    pub(crate) async fn event(&mut self) -> Option<(String, String)> {
        loop {
            let whole = self.read.windows(2).rposition(|two| two == b"\n\n");
            let events = raw_events(&self.read[..whole.map_or(0, |at| at + 2)]);
            if let Some(event) = events.into_iter().nth(self.taken) {
                self.taken += 1;
                return Some(event);
            }
            let frame = soon(self.response.body_mut().frame()).await?.ok()?;
            self.read.extend(frame.into_data().unwrap_or_default());
        }
    }

    /// The next message.
    pub(crate) async fn message(&mut self) -> Value {
        loop {
            let (_, data) = self.event().await.expect("the stream has ended");
            if !data.is_empty() {
                return serde_json::from_str(&data).unwrap();
            }
        }
    }
}
