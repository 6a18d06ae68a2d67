//! What clients tell of their own accord, for a server that wants to know.

use std::sync::Arc;

use mcp_jsonrpc::{Notification, RawJson};
use mcp_protocol::{
    ClientNotification, CreateMessageParams, ProtocolVersion, Role, SamplingMessage, TextContent,
    Tool,
};
use mcp_server::{Context, NoArgs, Server, ServerBuilder};
use mcp_transport::{Channel as _, Handler as _, Incoming, memory};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::rig::{Client, ERAS};
use crate::serve::Wire;

/// What the hook was given: the method, and the params.
type Told = mpsc::UnboundedReceiver<(String, Value)>;

fn builder() -> (ServerBuilder, Told) {
    let (sender, told) = mpsc::unbounded_channel();
    let builder = Server::builder("told", "1.0.0").on_notification(move |notification, cx| {
        let sender = sender.clone();
        async move {
            let params = notification.params().unwrap();
            let params = params.map_or(Value::Null, |raw| raw.decode().unwrap());
            let mut method = notification.method().to_string();
            if let ClientNotification::RootsListChanged(_) = notification {
                let roots = cx.roots().await.unwrap();
                method = format!("{method} to {}", roots[0].uri);
            }
            sender.send((method, params)).unwrap();
        }
    });
    (builder, told)
}

async fn notify(server: &Server, client: &Client, method: &'static str, params: &str) {
    let params = RawJson::parse(params.to_owned()).ok();
    let notification = Notification::new(method, params);
    let channel = client.channel.clone();
    let mut incoming = Incoming::new(notification, client.context.clone(), channel);
    incoming.session = client.session.clone();
    Arc::new(server.clone()).notification(incoming).await;
}

#[tokio::test]
async fn a_notification_is_handed_over_with_the_connection_that_it_came_by() {
    let (builder, mut told) = builder();
    let server = builder.build();
    let roots = json!({"roots": [{"uri": "file:///new"}]});
    let client = Client::new(&server, ProtocolVersion::LATEST_HANDSHAKE)
        .offering(json!({"roots": {"listChanged": true}}))
        .answering(move |_, _| roots.clone());
    notify(&server, &client, "notifications/roots/list_changed", "{}").await;
    // What it asks in its turn is asked of this client.
    let (method, _) = told.try_recv().unwrap();
    assert_eq!(method, "notifications/roots/list_changed to file:///new");
    assert_eq!(client.calls().len(), 1);
}

#[tokio::test]
async fn one_that_nobody_knows_survives_and_one_that_does_not_decode_is_left_out() {
    for version in ERAS {
        let (builder, mut told) = builder();
        let server = builder.build();
        let client = Client::new(&server, version);
        notify(&server, &client, "notifications/acme", r#"{"a":[1]}"#).await;
        let acme = ("notifications/acme".to_owned(), json!({"a": [1]}));
        assert_eq!(told.try_recv().unwrap(), acme);
        notify(&server, &client, "notifications/cancelled", "{}").await;
        // Of nothing that is asked.
        let progress = r#"{"progressToken":1,"progress":1}"#;
        notify(&server, &client, "notifications/progress", progress).await;
        assert!(told.try_recv().is_err());
    }
}

#[tokio::test]
async fn a_server_without_a_hook_takes_all_of_them() {
    let server = Server::builder("deaf", "1.0.0").build();
    let client = Client::new(&server, ProtocolVersion::LATEST_HANDSHAKE);
    notify(&server, &client, "notifications/acme", "{}").await;
    notify(&server, &client, "notifications/roots/list_changed", "[]").await;
}

/// A tool that has the client's model speak.
fn sampling(builder: ServerBuilder) -> Server {
    let tool = Tool::new("t", json!({"type": "object"}));
    let tool = builder.tool(tool, |_: NoArgs, cx: Context| async move {
        let message = SamplingMessage::new(Role::User, TextContent::new("hi"));
        let params = CreateMessageParams::new(vec![message], 5);
        Ok(cx.sample("model", params).await?.model)
    });
    tool.build()
}

fn message(method: &str, params: Value) -> Value {
    let mut message = json!({"jsonrpc": "2.0", "method": method});
    message["params"] = params;
    message
}

fn request(id: u32, method: &str, params: Value) -> Value {
    let mut request = message(method, params);
    request["id"] = id.into();
    request
}

/// Agrees on 2025-11-25, and begins a call that asks the model; gives back the question.
async fn until_asked(wire: &mut Wire) -> Value {
    let hello = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {"sampling": {}},
        "clientInfo": {"name": "t", "version": "1"},
    });
    wire.send(request(1, "initialize", hello)).await;
    wire.receive().await;
    wire.send(message("notifications/initialized", json!({})))
        .await;
    wire.send(request(2, "tools/call", json!({"name": "t"})))
        .await;
    wire.receive().await
}

fn spoken(asked: &Value) -> Value {
    let text = json!({"type": "text", "text": "a"});
    let result = json!({"role": "assistant", "content": text, "model": "m"});
    json!({"jsonrpc": "2.0", "id": asked["id"], "result": result})
}

/// Hands a report on once it may.
async fn tell_in_time(
    notification: ClientNotification,
    may: Arc<tokio::sync::Notify>,
    told: mpsc::UnboundedSender<f64>,
) {
    if let ClientNotification::Progress(params) = notification {
        may.notified().await;
        told.send(params.progress).unwrap();
        may.notify_one();
    }
}

#[tokio::test]
async fn reports_that_find_no_room_are_dropped_and_the_answer_comes() {
    let go = Arc::new(tokio::sync::Notify::new());
    let (sender, mut told) = mpsc::unbounded_channel();
    let wait = go.clone();
    let builder = Server::builder("slow", "1.0.0").on_notification(move |notification, _| {
        tell_in_time(notification, wait.clone(), sender.clone())
    });
    let server = sampling(builder);
    let (ours, theirs) = memory(1024);
    let peer = server.serve(theirs.0, theirs.1);
    let mut wire = Wire::new(ours);
    let asked = until_asked(&mut wire).await;
    let token = &asked["params"]["_meta"]["progressToken"];
    for progress in 1..=200 {
        let report = json!({"progressToken": token, "progress": progress});
        wire.send(message("notifications/progress", report)).await;
    }
    wire.send(spoken(&asked)).await;
    wire.send(request(3, "ping", json!({}))).await;
    assert_eq!(
        wire.receive().await["id"],
        3,
        "all is read, and the hook is still at the first"
    );
    go.notify_one();
    assert_eq!(wire.receive().await["result"]["content"][0]["text"], "m");
    let mut values = Vec::new();
    while let Ok(value) = told.try_recv() {
        values.push(value);
    }
    assert!(values.is_sorted() && values[0] == 1.0, "{values:?}");
    assert!((64..=66).contains(&values.len()), "{}", values.len());
    drop(wire);
    peer.closed().await;
}

#[tokio::test]
async fn over_a_stream_the_handshake_a_cancellation_and_progress_are_told_of() {
    let (builder, mut told) = builder();
    let server = sampling(builder);
    let (ours, theirs) = memory(16);
    let peer = server.serve(theirs.0, theirs.1);
    let mut wire = Wire::new(ours);
    let asked = until_asked(&mut wire).await;
    assert_eq!(asked["method"], "sampling/createMessage");
    // Only the first has an effect.
    wire.send(message("notifications/initialized", json!({})))
        .await;
    assert_eq!(told.recv().await.unwrap().0, "notifications/initialized");
    let token = &asked["params"]["_meta"]["progressToken"];
    for progress in [0.25, 0.5, 0.5] {
        let report = json!({"progressToken": token, "progress": progress, "message": "thinking"});
        wire.send(message("notifications/progress", report)).await;
    }
    for progress in [0.25, 0.5] {
        let (method, params) = told.recv().await.unwrap();
        assert_eq!(method, "notifications/progress");
        assert_eq!(
            (&params["progress"], &params["message"]),
            (&json!(progress), &json!("thinking"))
        );
    }
    wire.send(spoken(&asked)).await;
    assert_eq!(wire.receive().await["result"]["content"][0]["text"], "m");

    wire.send(request(3, "tools/call", json!({"name": "t"})))
        .await;
    wire.receive().await;
    let enough = json!({"requestId": 3, "reason": "enough"});
    for _ in 0..2 {
        wire.send(message("notifications/cancelled", enough.clone()))
            .await;
    }
    wire.send(message("notifications/acme", json!({}))).await;
    assert_eq!(
        told.recv().await.unwrap(),
        ("notifications/cancelled".to_owned(), enough)
    );
    assert_eq!(told.recv().await.unwrap().0, "notifications/acme");
    drop(wire);
    peer.closed().await;
}
