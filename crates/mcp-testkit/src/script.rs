//! The scripted peer.

use mcp_transport::{MemoryEnd, MemoryReader, MemoryWriter, Writer, memory};
use serde_json::{Value, json};

/// The other end of a connection in memory, played by a test.
///
/// Whatever does not go as the script says is a panic, with what came instead.
///
/// # Cancel safety
/// Dropping the future of what sends may leave the line unsent; of what receives, it loses
/// nothing.
#[derive(Debug)]
pub struct ScriptedPeer {
    reader: MemoryReader,
    writer: MemoryWriter,
}

impl ScriptedPeer {
    /// A peer, and the end of the line for what is under test. At most 1024 lines wait in each
    /// direction.
    #[must_use]
    pub fn new() -> (Self, MemoryEnd) {
        Self::with_capacity(1024)
    }

    /// As [`new`](Self::new), with at most this many lines that wait in each direction.
    #[must_use]
    pub fn with_capacity(lines: usize) -> (Self, MemoryEnd) {
        let ((reader, writer), end) = memory(lines);
        (Self { reader, writer }, end)
    }

    /// Sends a line: JSON or not.
    ///
    /// # Panics
    /// If the other end is gone.
    pub async fn send(&mut self, line: impl Into<String>) {
        self.writer.feed_text(line.into());
        let sent = self.writer.flush().await;
        assert!(sent.is_ok(), "the other end is gone: {sent:?}");
    }

    /// Sends a request.
    ///
    /// # Panics
    /// If the other end is gone.
    pub async fn request(&mut self, id: impl Into<Value>, method: &str, params: Value) {
        let message =
            json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params});
        self.send(message.to_string()).await;
    }

    /// Sends a notification.
    ///
    /// # Panics
    /// If the other end is gone.
    pub async fn notify(&mut self, method: &str, params: Value) {
        let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        self.send(message.to_string()).await;
    }

    /// Answers a request with a result.
    ///
    /// # Panics
    /// If the other end is gone.
    pub async fn answer(&mut self, request: &Value, result: Value) {
        let message = json!({"jsonrpc": "2.0", "id": request.get("id"), "result": result});
        self.send(message.to_string()).await;
    }

    /// Answers a request with an error.
    ///
    /// # Panics
    /// If the other end is gone.
    pub async fn fail(&mut self, request: &Value, code: i64, text: &str) {
        let error = json!({"code": code, "message": text});
        let message = json!({"jsonrpc": "2.0", "id": request.get("id"), "error": error});
        self.send(message.to_string()).await;
    }

    /// The next message, or `None` when the other end has ended the stream.
    ///
    /// # Panics
    /// If the line is not JSON.
    pub async fn receive(&mut self) -> Option<Value> {
        let line = self.reader.read_text().await?;
        let message = serde_json::from_slice(&line);
        assert!(
            message.is_ok(),
            "no JSON: {}",
            String::from_utf8_lossy(&line)
        );
        message.ok()
    }

    /// The next message, which has to be a request or notification with this method.
    ///
    /// # Panics
    /// If it is not.
    pub async fn expect(&mut self, method: &str) -> Value {
        let message = self.receive().await.unwrap_or_default();
        let found = message.get("method").and_then(Value::as_str);
        assert_eq!(found, Some(method), "another message came: {message}");
        message
    }

    /// The next message, which has to be a response to the request with this id.
    ///
    /// # Panics
    /// If it is not.
    pub async fn expect_answer(&mut self, id: impl Into<Value>) -> Value {
        let message = self.receive().await.unwrap_or_default();
        let is_answer = message.get("method").is_none() && message.get("id") == Some(&id.into());
        assert!(is_answer, "another message came: {message}");
        message
    }

    /// Plays a server that has just been asked `initialize`: answers with this revision and
    /// waits for `notifications/initialized`.
    ///
    /// # Panics
    /// If something else comes.
    pub async fn welcome(&mut self, version: &str) {
        let initialize = self.expect("initialize").await;
        let result = json!({
            "protocolVersion": version,
            "capabilities": {},
            "serverInfo": {"name": "scripted", "version": "0"},
        });
        self.answer(&initialize, result).await;
        self.expect("notifications/initialized").await;
    }

    /// Plays a client that connects: asks `initialize` with this revision, reads the answer and
    /// sends `notifications/initialized`. Uses the id `"initialize"`.
    ///
    /// # Panics
    /// If the answer is no result.
    pub async fn introduce(&mut self, version: &str) -> Value {
        let params = json!({
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": {"name": "scripted", "version": "0"},
        });
        self.request("initialize", "initialize", params).await;
        let answer = self.expect_answer("initialize").await;
        assert!(answer.get("result").is_some(), "refused: {answer}");
        self.notify("notifications/initialized", json!({})).await;
        answer
    }

    /// Ends the stream towards the other end; what it sends can still be received.
    pub async fn hang_up(&mut self) {
        self.writer.close().await;
    }
}
