//! A server on a stream, with the pump under it.

use mcp_protocol::Tool;
use mcp_protocol::elicitation::{ElicitRequestFormParams, RequestedSchema};
use mcp_server::{Changes, Context, NoArgs, Server, ToolError};
use mcp_transport::{Channel, MemoryEnd, MemoryReader, MemoryWriter, Progress, Writer, memory};
use serde_json::{Value, json};

const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

pub(crate) struct Wire(MemoryReader, MemoryWriter);

impl Wire {
    pub(crate) fn new(end: MemoryEnd) -> Self {
        Self(end.0, end.1)
    }

    pub(crate) async fn send(&mut self, message: Value) {
        self.1.feed_text(message.to_string());
        self.1.flush().await.unwrap();
    }

    pub(crate) async fn receive(&mut self) -> Value {
        let text = self.0.read_text().await.expect("a message");
        serde_json::from_slice(&text).unwrap()
    }
}

/// A request of the newest revision.
fn request(id: impl Into<Value>, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
    });
    let id: Value = id.into();
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
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
    let mut wire = Wire::new(ours);

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

    wire.send(request(3, "tools/call", json!({"name": "work"})))
        .await;
    let answer = wire.receive().await;
    assert_eq!(answer["result"]["content"][0]["text"], "2026-07-28");
    assert_eq!(answer["result"]["resultType"], "complete");

    drop(wire);
    peer.closed().await;
}

fn with_changes(changes: &Changes) -> Server {
    Server::builder("stream", "1.0.0")
        .tool(
            Tool::new("hang", json!({"type": "object"})),
            |_: NoArgs, cx: Context| async move {
                cx.progress(Progress::new(1.0)).await;
                std::future::pending::<Result<(), ToolError>>().await
            },
        )
        .tool(
            Tool::new("ask", json!({"type": "object"})),
            |_: NoArgs, cx: Context| async move {
                let form = ElicitRequestFormParams::new("?", RequestedSchema::new());
                cx.elicit("q", form).await?;
                Ok("asked")
            },
        )
        .changes(changes)
        .build()
}

#[tokio::test]
async fn stdio_18_several_subscriptions_share_a_stream_each_with_its_acknowledgement_first() {
    let changes = Changes::new();
    let (ours, theirs) = memory(16);
    let peer = with_changes(&changes).serve(theirs.0, theirs.1);
    let mut wire = Wire::new(ours);
    let wanted = json!({"notifications": {"toolsListChanged": true}});
    for id in [json!(1), json!("1")] {
        wire.send(request(id.clone(), "subscriptions/listen", wanted.clone()))
            .await;
        let ack = wire.receive().await;
        assert_eq!(ack["method"], "notifications/subscriptions/acknowledged");
        assert_eq!(ack["params"]["_meta"][SUBSCRIPTION], id);
    }
    changes.tools_changed().await;
    let mut told = [wire.receive().await, wire.receive().await];
    told.sort_by_key(|told| told["params"]["_meta"][SUBSCRIPTION].is_string());
    for (told, id) in told.iter().zip([json!(1), json!("1")]) {
        assert_eq!(told["method"], "notifications/tools/list_changed");
        assert_eq!(told["params"]["_meta"][SUBSCRIPTION], id);
    }
    changes.close();
    let answered = [wire.receive().await, wire.receive().await];
    for answer in &answered {
        assert_eq!(answer["result"]["_meta"][SUBSCRIPTION], answer["id"]);
    }
    drop(wire);
    peer.closed().await;
}

#[tokio::test(start_paused = true)]
async fn proto_67_subscriptions_are_answered_before_a_server_that_closes_ends_the_stream() {
    let (ours, theirs) = memory(16);
    let peer = with_changes(&Changes::new()).serve(theirs.0, theirs.1);
    let mut wire = Wire::new(ours);
    let wanted = json!({"notifications": {"toolsListChanged": true}});
    for id in [1, 2] {
        let listen = request(id, "subscriptions/listen", wanted.clone());
        wire.send(listen).await;
        wire.receive().await;
    }
    let start = tokio::time::Instant::now();
    peer.close().await;
    assert_eq!(
        start.elapsed(),
        std::time::Duration::ZERO,
        "nobody waits for them"
    );
    let mut answers = [wire.receive().await, wire.receive().await];
    answers.sort_by_key(|answer| answer["id"].as_u64());
    for (answer, id) in answers.iter().zip([1, 2]) {
        assert_eq!(answer["id"], id);
        assert_eq!(answer["result"]["_meta"][SUBSCRIPTION], id);
    }
    assert_eq!(wire.0.read_text().await, None);
}

#[tokio::test(start_paused = true)]
async fn stdio_11_a_subscription_does_not_keep_a_server_whose_client_has_ended_the_stream() {
    let (ours, theirs) = memory(16);
    let peer = with_changes(&Changes::new()).serve(theirs.0, theirs.1);
    let mut wire = Wire::new(ours);
    let wanted = json!({"notifications": {"toolsListChanged": true}});
    wire.send(request(1, "subscriptions/listen", wanted)).await;
    wire.receive().await;
    wire.1.close().await;
    let start = tokio::time::Instant::now();
    peer.closed().await;
    assert_eq!(start.elapsed(), std::time::Duration::ZERO);
    assert_eq!(wire.receive().await["result"]["_meta"][SUBSCRIPTION], 1);
}

#[tokio::test]
async fn stdio_14_a_request_that_was_given_up_is_heard_of_no_more() {
    let (ours, theirs) = memory(16);
    let peer = with_changes(&Changes::new()).serve(theirs.0, theirs.1);
    let mut wire = Wire::new(ours);
    let mut call = request(1, "tools/call", json!({"name": "hang"}));
    call["params"]["_meta"]["progressToken"] = json!("p");
    wire.send(call).await;
    assert_eq!(wire.receive().await["method"], "notifications/progress");
    let given_up = json!({"requestId": 1, "reason": "enough"});
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": given_up});
    wire.send(cancel).await;
    // Whatever would be said of the first comes before the answer to the second.
    wire.send(request(2, "tools/list", json!({}))).await;
    assert_eq!(wire.receive().await["id"], 2);
    drop(wire);
    peer.closed().await;
}

#[tokio::test]
async fn life_16_a_server_without_handshake_sends_no_requests_and_cancels_none() {
    let (ours, theirs) = memory(16);
    let peer = with_changes(&Changes::new()).serve(theirs.0, theirs.1);
    let mut wire = Wire::new(ours);
    wire.send(request(1, "tools/call", json!({"name": "ask"})))
        .await;
    let asked = wire.receive().await;
    assert_eq!(asked["result"]["resultType"], "input_required");
    wire.send(request(2, "tools/list", json!({}))).await;
    assert_eq!(wire.receive().await["id"], 2, "nothing comes in between");
    drop(wire);
    peer.closed().await;
}
