//! Servers of 2024-11-05 over HTTP, and servers that have no way in at all.

use std::sync::Arc;

use mcp::client::{CallOptions, PoolError};
use mcp::protocol::CallToolParams;
use mcp::{Config, ProtocolVersion, ServerPool, Variables};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Mutex;
use tokio::task::JoinSet;

/// A server that answers by its event stream, where it has one.
struct Old {
    url: String,
    stream: Arc<Mutex<Option<OwnedWriteHalf>>>,
    seen: Arc<Mutex<Vec<String>>>,
    _tasks: JoinSet<()>,
}

#[derive(Clone, Default)]
struct State {
    has_stream: bool,
    stream: Arc<Mutex<Option<OwnedWriteHalf>>>,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Old {
    async fn start(has_stream: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/sse", listener.local_addr().unwrap());
        let state = State {
            has_stream,
            ..State::default()
        };
        let (stream, seen) = (Arc::clone(&state.stream), Arc::clone(&state.seen));
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                connections.spawn(state.clone().serve(stream));
            }
        });
        Self {
            url,
            stream,
            seen,
            _tasks: tasks,
        }
    }

    fn pool(&self, kind: &str) -> ServerPool {
        let server = json!({"type": kind, "url": self.url});
        let text = json!({"mcpServers": {"old": server}}).to_string();
        let config = Config::parse("tools.json", &text, &Variables::none());
        config.unwrap().pool()
    }
}

impl State {
    async fn serve(self, stream: TcpStream) {
        let (read, mut write) = stream.into_split();
        let mut read = BufReader::new(read);
        while let Some((line, body)) = request(&mut read).await {
            let kind = body["method"].as_str().unwrap_or("");
            self.seen.lock().await.push(format!("{line} {kind}"));
            let reply = match &*line {
                "GET /sse" if self.has_stream => {
                    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
                    let event = "event: endpoint\ndata: /messages?s=1\n\n";
                    write
                        .write_all(format!("{head}{event}").as_bytes())
                        .await
                        .unwrap();
                    *self.stream.lock().await = Some(write);
                    return;
                }
                "POST /messages?s=1" => {
                    self.answer(&body).await;
                    "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n"
                }
                _ => "HTTP/1.1 405 Method Not Allowed\r\ncontent-length: 0\r\n\r\n",
            };
            if write.write_all(reply.as_bytes()).await.is_err() {
                return;
            }
        }
    }

    async fn answer(&self, body: &Value) {
        let result = match body["method"].as_str() {
            Some("initialize") => json!({"protocolVersion": "2024-11-05",
                "capabilities": {"tools": {}}, "serverInfo": {"name": "old", "version": "1"}}),
            Some("tools/call") => json!({"content": [{"type": "text", "text": "as ever"}]}),
            _ => return,
        };
        let message = json!({"jsonrpc": "2.0", "id": body["id"], "result": result});
        let event = format!("event: message\ndata: {message}\n\n");
        if let Some(stream) = &mut *self.stream.lock().await {
            stream.write_all(event.as_bytes()).await.unwrap();
        }
    }
}

/// The first two words of a request, and its body.
async fn request(read: &mut BufReader<OwnedReadHalf>) -> Option<(String, Value)> {
    let (mut first, mut length) = (String::new(), 0);
    read.read_line(&mut first).await.ok().filter(|n| *n > 0)?;
    loop {
        let mut line = String::new();
        read.read_line(&mut line).await.ok().filter(|n| *n > 0)?;
        match line.trim().to_ascii_lowercase().split_once(": ") {
            Some(("content-length", value)) => length = value.parse().ok()?,
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    read.read_exact(&mut body).await.ok()?;
    let words: Vec<_> = first.split(' ').take(2).collect();
    Some((
        words.join(" "),
        serde_json::from_slice(&body).unwrap_or_default(),
    ))
}

#[tokio::test]
async fn http_53_a_server_of_2024_11_05_is_reached_by_its_event_stream() {
    for (kind, first) in [("http", "POST /sse server/discover"), ("sse", "GET /sse ")] {
        let old = Old::start(true).await;
        let pool = old.pool(kind);
        let session = pool.session("old").await.unwrap();
        assert_eq!(session.version(), ProtocolVersion::V2024_11_05);
        let options = CallOptions::new();
        for _ in 0..2 {
            let called = pool.call_tool("old", CallToolParams::new("t"), &options);
            assert_eq!(called.await.unwrap().first_text(), Some("as ever"));
        }
        assert_eq!(old.seen.lock().await[0], first);
        pool.shutdown().await;
    }
}

#[tokio::test]
async fn http_53_the_next_call_reconnects_after_the_event_stream_has_ended() {
    let old = Old::start(true).await;
    let pool = old.pool("sse");
    let options = CallOptions::new();
    let call = || pool.call_tool("old", CallToolParams::new("t"), &options);
    call().await.unwrap();
    let session = pool.session("old").await.unwrap();
    *old.stream.lock().await = None;
    session.closed().await;
    call().await.unwrap();
    let seen = old.seen.lock().await;
    let streams = seen.iter().filter(|line| line.starts_with("GET")).count();
    assert_eq!(streams, 2);
    drop(seen);
    pool.shutdown().await;
}

#[tokio::test]
async fn http_53_a_server_without_any_way_in_is_an_error_that_names_all_three() {
    let old = Old::start(false).await;
    let pool = old.pool("http");
    let error = pool.session("old").await.unwrap_err();
    assert!(matches!(error, PoolError::Connect { .. }), "{error:?}");
    let refused = "the server answered HTTP 405 Method Not Allowed";
    assert_eq!(
        error.chain(),
        format!(
            "server `old` is not available: the server answered initialize with HTTP 405: \
             server/discover: {refused}; initialize: {refused}; \
             event stream of 2024-11-05: {refused}"
        )
    );
    let seen = old.seen.lock().await;
    let expected = [
        "POST /sse server/discover",
        "POST /sse initialize",
        "GET /sse ",
    ];
    assert_eq!(*seen, expected);
}
