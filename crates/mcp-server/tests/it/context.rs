//! What a handler may send while it works: progress and log messages.

use std::sync::{Arc, Mutex};

use mcp_jsonrpc::Id;
use mcp_protocol::{LoggingLevel, ProtocolVersion, Tool};
use mcp_server::{Context, Json, NoArgs, Server};
use mcp_transport::{Handler, Progress};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{Duration, advance};

use crate::rig::{Client, ERAS, code};

const PROGRESS: &str = "notifications/progress";
const MESSAGE: &str = "notifications/message";

#[derive(Deserialize)]
struct Reports {
    values: Vec<f64>,
}

fn server() -> Server {
    let schema = json!({"type": "object"});
    Server::builder("reports", "1.0.0")
        .tool(
            Tool::new("progress", schema.clone()),
            |args: Reports, cx: Context| async move {
                for value in args.values {
                    cx.progress(
                        Progress::new(value)
                            .with_total(100.0)
                            .with_message("working"),
                    )
                    .await;
                }
                Ok(())
            },
        )
        .tool(
            Tool::new("log", schema),
            |_: NoArgs, cx: Context| async move {
                for level in LoggingLevel::ALL {
                    cx.log(level.clone(), json!({ "level": level })).await;
                }
                cx.log_as("part", LoggingLevel::Emergency, "named").await;
                Ok(())
            },
        )
        .logging()
        .build()
}

async fn progress(client: &Client, values: Value) -> Vec<Value> {
    client
        .call_tool("progress", json!({ "values": values }))
        .await;
    client.notifications(PROGRESS)
}

#[tokio::test]
async fn proto_31_progress_goes_to_its_token_and_only_rises() {
    for token in [Id::from("a"), Id::from(7)] {
        let mut client = Client::new(&server(), ERAS[0]);
        client.context = client.context.with_progress_token(token.clone());
        let sent = progress(&client, json!([1, 1, 0, 2.5, 2, 100])).await;
        let values: Vec<_> = sent
            .iter()
            .map(|p| p["progress"].as_f64().unwrap())
            .collect();
        assert_eq!(values, [1.0, 2.5, 100.0]);
        assert_eq!(
            sent[0]["progressToken"],
            serde_json::to_value(&token).unwrap()
        );
        assert_eq!(sent[0]["total"].as_f64(), Some(100.0));
        assert_eq!(sent[0]["message"], "working");
    }
}

#[tokio::test]
async fn proto_31_without_a_token_there_is_no_progress() {
    let client = Client::new(&server(), ERAS[1]);
    assert!(progress(&client, json!([1, 2, 3])).await.is_empty());
}

#[tokio::test]
async fn the_first_revision_has_no_message_in_progress() {
    let mut client = Client::new(&server(), ProtocolVersion::V2024_11_05);
    client.context = client.context.with_progress_token("a");
    assert!(
        progress(&client, json!([1])).await[0]
            .get("message")
            .is_none()
    );
}

#[tokio::test]
async fn proto_31_there_is_no_progress_after_the_answer() {
    let kept: Arc<Mutex<Option<Context>>> = Arc::default();
    let keep = kept.clone();
    let server = Server::builder("late", "1.0.0")
        .tool(
            Tool::new("keep", json!({"type": "object"})),
            move |_: NoArgs, cx: Context| {
                *keep.lock().unwrap() = Some(cx);
                async { Ok(()) }
            },
        )
        .logging()
        .build();
    let mut client = Client::new(&server, ERAS[1]);
    client.context = client
        .context
        .with_progress_token("a")
        .with_log_level(LoggingLevel::Debug);
    client.call_tool("keep", json!({})).await;
    let late = kept.lock().unwrap().take().unwrap();
    late.progress(1.0).await;
    late.log(LoggingLevel::Error, "late").await;
    assert!(client.notifications(PROGRESS).is_empty());
    assert!(client.notifications(MESSAGE).is_empty());
}

#[tokio::test(start_paused = true)]
async fn progress_in_a_flood_is_thinned_out() {
    let server = Server::builder("flood", "1.0.0")
        .tool(
            Tool::new("flood", json!({"type": "object"})),
            |_: NoArgs, cx: Context| async move {
                for n in 0..10_000 {
                    cx.progress(f64::from(n)).await;
                }
                advance(Duration::from_secs(3600)).await;
                cx.progress(1e6).await;
                Ok(())
            },
        )
        .build();
    let mut client = Client::new(&server, ERAS[0]);
    client.context = client.context.with_progress_token("a");
    client.call_tool("flood", json!({})).await;
    let sent = client.notifications(PROGRESS);
    assert_eq!(sent.len(), Context::PROGRESS_BURST as usize + 1);
    assert_eq!(sent.last().unwrap()["progress"].as_f64(), Some(1e6));
}

fn levels(client: &Client) -> usize {
    let messages = client.notifications(MESSAGE);
    messages
        .iter()
        .filter(|m| m.get("logger").is_none())
        .count()
}

#[tokio::test]
async fn proto_34_log_messages_come_at_the_level_of_the_request() {
    let mut client = Client::new(&server(), ProtocolVersion::LATEST);
    client.call_tool("log", json!({})).await;
    assert!(
        client.notifications(MESSAGE).is_empty(),
        "no level, no messages"
    );

    client.context = client.context.with_log_level(LoggingLevel::Error);
    client.call_tool("log", json!({})).await;
    let messages = client.notifications(MESSAGE);
    assert_eq!(
        messages[0],
        json!({"level": "error", "data": {"level": "error"}})
    );
    assert_eq!(levels(&client), 4);
    let named = messages.last().unwrap();
    assert_eq!(
        *named,
        json!({"level": "emergency", "logger": "part", "data": "named"})
    );
}

#[tokio::test]
async fn proto_36_log_messages_come_at_the_level_of_the_session() {
    let client = Client::new(&server(), ProtocolVersion::LATEST_HANDSHAKE);
    client.call_tool("log", json!({})).await;
    assert_eq!(levels(&client), 7, "before a level is set: info and above");

    client
        .request("logging/setLevel", json!({"level": "alert"}))
        .await
        .unwrap();
    client.call_tool("log", json!({})).await;
    assert_eq!(levels(&client), 7 + 2);
    client
        .request("logging/setLevel", json!({"level": "debug"}))
        .await
        .unwrap();
    client.call_tool("log", json!({})).await;
    assert_eq!(levels(&client), 7 + 2 + 8);

    let other = Client::new(&server(), ProtocolVersion::LATEST_HANDSHAKE);
    other.call_tool("log", json!({})).await;
    assert_eq!(levels(&other), 7, "the level of another session is its own");
}

#[tokio::test]
async fn proto_35_an_unknown_level_is_refused() {
    let client = Client::new(&server(), ProtocolVersion::LATEST_HANDSHAKE);
    for level in [json!("trace"), json!(1), Value::Null] {
        let answer = client
            .request("logging/setLevel", json!({ "level": level }))
            .await;
        assert_eq!(code(&answer), -32602, "{level}");
    }
}

#[tokio::test]
async fn proto_13_without_the_capability_there_are_no_log_messages() {
    let server = Server::builder("mute", "1.0.0")
        .tool(
            Tool::new("log", json!({"type": "object"})),
            |_: NoArgs, cx: Context| async move {
                cx.log(LoggingLevel::Emergency, "help").await;
                Ok(())
            },
        )
        .build();
    for version in ERAS {
        let mut client = Client::new(&server, version);
        client.context = client.context.with_log_level(LoggingLevel::Debug);
        client.call_tool("log", json!({})).await;
        assert!(client.notifications(MESSAGE).is_empty());
    }
}

#[tokio::test]
async fn a_handler_sees_who_asks_and_what_the_transport_knows() {
    #[derive(Clone)]
    struct Header(&'static str);
    let server = Server::builder("curious", "1.0.0")
        .tool(
            Tool::new("who", json!({"type": "object"})),
            |_: NoArgs, cx: Context| async move {
                let header = cx.extensions().get::<Header>().map_or("none", |h| h.0);
                let roots = cx.client_capabilities().roots.is_some();
                Ok(format!("{header} {roots} {}", cx.version()))
            },
        )
        .build();
    let client = Client::new(&server, ERAS[0]).offering(json!({"roots": {}}));
    let mut incoming = client.incoming("tools/call", Some(r#"{"name":"who"}"#));
    incoming.extensions.insert(Header("x"));
    let answer = Arc::new(server).request(incoming).await.unwrap();
    let result: Value = answer.decode().unwrap();
    assert_eq!(crate::rig::text(&result), "x true 2025-11-25");
}

#[tokio::test]
async fn a_handler_learns_that_its_request_was_given_up() {
    let server = Server::builder("patient", "1.0.0")
        .tool(
            Tool::new("wait", json!({"type": "object"})),
            |_: NoArgs, cx: Context| async move {
                cx.cancelled().await;
                Ok(cx.cancellation().is_cancelled().to_string())
            },
        )
        .build();
    let client = Client::new(&server, ERAS[0]);
    let incoming = client.incoming("tools/call", Some(r#"{"name":"wait"}"#));
    let give_up = incoming.cancelled.clone();
    let answer = Arc::new(server).request(incoming);
    give_up.cancel();
    let result: Value = answer.await.unwrap().decode().unwrap();
    assert_eq!(crate::rig::text(&result), "true");
}

#[tokio::test]
async fn proto_11_a_handler_sees_the_trace_and_the_keys_that_a_request_carries() {
    let server = Server::builder("traces", "1.0.0")
        .tool(
            Tool::new("trace", json!({"type": "object"})),
            |_: NoArgs, cx: Context| async move {
                let meta = cx.meta();
                let trace = meta.trace_context();
                Ok(Json(json!({
                    "parent": trace.as_ref().map(|trace| trace.traceparent.clone()),
                    "state": trace.and_then(|trace| trace.tracestate),
                    "own": meta.extra.get("example.com/own"),
                })))
            },
        )
        .build();
    let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    for version in ERAS {
        let client = Client::new(&server, version);
        let meta = json!({"traceparent": parent, "tracestate": "a=1", "example.com/own": [1]});
        let params = json!({"name": "trace", "_meta": meta});
        let result = client.request("tools/call", params).await.unwrap();
        let expected = json!({"parent": parent, "state": "a=1", "own": [1]});
        assert_eq!(result["structuredContent"], expected);
        let without = client.call_tool("trace", json!({})).await;
        let nothing = json!({"parent": null, "state": null, "own": null});
        assert_eq!(without["structuredContent"], nothing);
    }
}
