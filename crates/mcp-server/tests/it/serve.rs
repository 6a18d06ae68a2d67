//! A server on a stream, with the pump under it.

use mcp_protocol::Tool;
use mcp_server::{Context, NoArgs, Server};
use mcp_transport::{Channel, MemoryReader, MemoryWriter, Progress, Writer, memory};
use serde_json::{Value, json};

struct Wire(MemoryReader, MemoryWriter);

impl Wire {
    async fn send(&mut self, message: Value) {
        self.1.feed_text(message.to_string());
        self.1.flush().await.unwrap();
    }

    async fn receive(&mut self) -> Value {
        let text = self.0.read_text().await.expect("a message");
        serde_json::from_slice(&text).unwrap()
    }
}

#[tokio::test]
async fn both_lifecycles_are_served_on_one_stream() {
    let server = Server::builder("both", "1.0.0")
        .tool(
            Tool::new("work", json!({"type": "object"})),
            |_: NoArgs, cx: Context| async move {
                cx.progress(Progress::new(1.0)).await;
                Ok(cx.version().to_string())
            },
        )
        .build();
    let (ours, theirs) = memory(16);
    let peer = server.serve(theirs.0, theirs.1);
    let mut wire = Wire(ours.0, ours.1);

    let hello = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    });
    wire.send(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}))
        .await;
    let welcome = wire.receive().await;
    assert_eq!(welcome["result"]["capabilities"], json!({"tools": {}}));
    assert_eq!(welcome["result"]["serverInfo"]["name"], "both");
    wire.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        .await;

    let call = json!({"name": "work", "_meta": {"progressToken": "p"}});
    wire.send(json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}))
        .await;
    assert_eq!(wire.receive().await["params"]["progressToken"], "p");
    let answer = wire.receive().await;
    assert_eq!(answer["result"]["content"][0]["text"], "2025-06-18");

    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let call = json!({"name": "work", "_meta": meta});
    wire.send(json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": call}))
        .await;
    let answer = wire.receive().await;
    assert_eq!(answer["result"]["content"][0]["text"], "2026-07-28");
    assert_eq!(answer["result"]["resultType"], "complete");

    drop(wire);
    peer.closed().await;
}
