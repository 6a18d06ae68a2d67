//! The other end of a byte stream, played by hand.

use std::sync::Arc;

use mcp::Server;
use mcp::client::{Connect, ConnectError, Link};
use mcp::peer::Peer;
use mcp::protocol::RequestContext;
use mcp::stdio::{LineReader, LineWriter};
use mcp::transport::{BoxFuture, Handler};
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf,
};
use tokio::sync::mpsc;

use crate::wire::{MODERN, soon, stream_link};

/// One end of a stream of lines.
#[derive(Debug)]
pub(crate) struct Lines {
    reader: BufReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
    pings: u32,
}

impl Lines {
    pub(crate) fn new(stream: DuplexStream) -> Self {
        let (reader, writer) = tokio::io::split(stream);
        Self {
            reader: BufReader::new(reader),
            writer,
            pings: 0,
        }
    }

    /// A client of this server, before its first message.
    pub(crate) fn to(server: &Server) -> (Self, Peer) {
        Self::to_with_limit(server, 4 << 20)
    }

    /// The same, where the server takes lines of so many bytes.
    pub(crate) fn to_with_limit(server: &Server, limit: usize) -> (Self, Peer) {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (reader, writer) = tokio::io::split(theirs);
        let peer = server.serve(LineReader::new(reader, limit), LineWriter::new(writer));
        (Self::new(ours), peer)
    }

    /// A client that has agreed on this revision.
    pub(crate) async fn introduced(server: &Server, version: &str) -> Self {
        Self::introduced_with(server, version, json!({})).await
    }

    /// The same with these capabilities.
    pub(crate) async fn introduced_with(
        server: &Server,
        version: &str,
        capabilities: Value,
    ) -> Self {
        let (mut lines, _) = Self::to(server);
        lines.introduce(version, capabilities).await;
        lines
    }

    pub(crate) async fn introduce(&mut self, version: &str, capabilities: Value) {
        let answer = self.ask(&initialize("hello", version, capabilities)).await;
        assert_eq!(answer["result"]["protocolVersion"], version, "{answer}");
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
            .await;
    }

    pub(crate) async fn write(&mut self, bytes: impl AsRef<[u8]>) {
        soon(self.writer.write_all(bytes.as_ref())).await.unwrap();
        self.writer.flush().await.unwrap();
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.write(format!("{message}\n")).await;
    }

    pub(crate) async fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}))
            .await;
    }

    /// The next line; `None` at the end.
    pub(crate) async fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = soon(self.reader.read_line(&mut line)).await.unwrap_or(0);
        (read > 0).then_some(line)
    }

    /// The next message.
    pub(crate) async fn next(&mut self) -> Value {
        let line = self.line().await.expect("the stream has ended");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// The next message, which has to have this method.
    pub(crate) async fn expect(&mut self, method: &str) -> Value {
        let message = self.next().await;
        assert_eq!(message["method"], method, "{message}");
        message
    }

    /// Sends a message and gives back the next one.
    pub(crate) async fn ask(&mut self, message: &Value) -> Value {
        self.send(message).await;
        self.next().await
    }

    pub(crate) async fn answer(&mut self, request: &Value, result: Value) {
        self.send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": result}))
            .await;
    }

    pub(crate) async fn fail(&mut self, request: &Value, code: i64) {
        let error = json!({"code": code, "message": "as the test wants it"});
        self.send(&json!({"jsonrpc": "2.0", "id": request["id"], "error": error}))
            .await;
    }

    /// Makes sure that nothing was written that has not been read: what comes next is the answer
    /// to a request of ours. The peer has to be a server.
    pub(crate) async fn silent(&mut self, version: &str) {
        self.pings += 1;
        let id = format!("ping {}", self.pings);
        let ping = if version == MODERN {
            modern(id.as_str(), "server/discover", json!({}))
        } else {
            request(id.as_str(), "ping", json!({}))
        };
        let answer = self.ask(&ping).await;
        assert_eq!(answer["id"], id, "something else came: {answer}");
    }

    /// Plays a server that speaks revisions with a handshake: refuses the probe if there is one.
    pub(crate) async fn welcome(&mut self, version: &str, capabilities: Value) {
        let mut first = self.next().await;
        if first["method"] == "server/discover" {
            self.fail(&first, -32601).await;
            first = self.next().await;
        }
        assert_eq!(first["method"], "initialize", "{first}");
        let result = json!({"protocolVersion": version, "capabilities": capabilities,
            "serverInfo": {"name": "played", "version": "1"}});
        self.answer(&first, result).await;
        self.expect("notifications/initialized").await;
    }

    /// Plays a server without handshake.
    pub(crate) async fn discovered(&mut self, capabilities: Value) {
        let probe = self.expect("server/discover").await;
        self.answer(&probe, discovery(capabilities)).await;
    }

    /// Ends the stream towards the peer.
    pub(crate) async fn hang_up(&mut self) {
        self.writer.shutdown().await.unwrap();
    }
}

pub(crate) fn discovery(capabilities: Value) -> Value {
    json!({"resultType": "complete", "supportedVersions": [MODERN],
        "capabilities": capabilities, "ttlMs": 0, "cacheScope": "private"})
}

pub(crate) fn request(id: impl Into<Value>, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params})
}

/// A request that stands alone.
pub(crate) fn modern(id: impl Into<Value>, method: &str, params: Value) -> Value {
    modern_with(id, method, params, json!({}))
}

/// The same by a client with these capabilities.
pub(crate) fn modern_with(
    id: impl Into<Value>,
    method: &str,
    mut params: Value,
    capabilities: Value,
) -> Value {
    let meta = &mut params["_meta"];
    meta["io.modelcontextprotocol/protocolVersion"] = MODERN.into();
    meta["io.modelcontextprotocol/clientCapabilities"] = capabilities;
    request(id, method, params)
}

/// A request of this revision, whichever it is.
pub(crate) fn of(version: &str, id: impl Into<Value>, method: &str, params: Value) -> Value {
    if version == MODERN {
        modern(id, method, params)
    } else {
        request(id, method, params)
    }
}

pub(crate) fn call(name: &str) -> Value {
    json!({"name": name, "arguments": {}})
}

pub(crate) fn initialize(id: impl Into<Value>, version: &str, capabilities: Value) -> Value {
    let params = json!({"protocolVersion": version, "capabilities": capabilities,
        "clientInfo": {"name": "played", "version": "1"}});
    request(id, "initialize", params)
}

/// What a client connects to; each connection is played by the test.
#[derive(Debug)]
pub(crate) struct Played(mpsc::Sender<Lines>);

impl Played {
    pub(crate) fn new() -> (Self, mpsc::Receiver<Lines>) {
        let (sender, connections) = mpsc::channel(16);
        (Self(sender), connections)
    }
}

impl Connect for Played {
    fn connect(
        &self,
        handler: Arc<dyn Handler<RequestContext>>,
    ) -> BoxFuture<'_, Result<Link, ConnectError>> {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        Box::pin(async move {
            self.0.send(Lines::new(theirs)).await.unwrap();
            Ok(stream_link(ours, handler))
        })
    }
}
