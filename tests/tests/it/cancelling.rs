//! Giving requests up, in each revision's way.

use std::sync::Arc;

use mcp::client::{CallOptions, ClientOptions, Session};
use mcp::protocol::{CallToolParams, LoggingLevel, ProtocolVersion, TaskSupport, ToolExecution};
use mcp::server::{Changes, Context, NoArgs, TaskOptions, ToolError};
use mcp::{Server, Tool};
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc};

use crate::lines::{Lines, Played, call, modern, of, request};
use crate::wire::{LATEST_HANDSHAKE, MODERN, soon};

fn tool(name: &str) -> Tool {
    Tool::new(name, json!({"type": "object"}))
}

/// Notes when it is dropped.
struct Gone(mpsc::Sender<&'static str>);

impl Drop for Gone {
    fn drop(&mut self) {
        let _ = self.0.try_send("dropped");
    }
}

/// What goes on in the tool `wait`.
struct Wait {
    go: Arc<Notify>,
    news: mpsc::Receiver<&'static str>,
}

/// A server with a tool that waits, and tells all the while; as a task, too.
fn waiting(changes: &Changes) -> (Server, Wait) {
    let go = Arc::new(Notify::new());
    let (sender, news) = mpsc::channel(100);
    let going = Arc::clone(&go);
    let wait =
        tool("wait").with_execution(ToolExecution::new().with_task_support(TaskSupport::Optional));
    let server = Server::builder("waits", "1")
        .logging()
        .changes(changes)
        .tasks(TaskOptions::default())
        .tool(wait, move |_: NoArgs, cx: Context| {
            let (going, sender) = (Arc::clone(&going), sender.clone());
            async move {
                let gone = Gone(sender.clone());
                sender.send("begun").await.unwrap();
                // A part of it lives on, and goes on telling.
                let apart = cx.clone();
                let done = sender.clone();
                let again = Arc::clone(&going);
                tokio::spawn(async move {
                    again.notified().await;
                    apart.progress(1.0).await;
                    apart.log(LoggingLevel::Emergency, "still here").await;
                    let _ = done.send("told").await;
                });
                going.notified().await;
                std::mem::forget(gone);
                Ok::<_, ToolError>("waited")
            }
        })
        .tool(tool("fails"), |_: NoArgs, _: Context| async {
            Err::<(), _>(ToolError::new("on purpose"))
        })
        .build();
    (server, Wait { go, news })
}

impl Wait {
    async fn next(&mut self) -> &'static str {
        soon(self.news.recv()).await.unwrap()
    }
}

fn wait(version: &str, id: impl Into<Value>) -> Value {
    let mut params = call("wait");
    params["_meta"]["progressToken"] = "p".into();
    let mut message = of(version, id, "tools/call", params);
    if version == MODERN {
        message["params"]["_meta"]["io.modelcontextprotocol/logLevel"] = "debug".into();
    }
    message
}

#[tokio::test]
async fn stdio_14_j22_a_server_sends_nothing_more_for_what_was_cancelled() {
    for version in [MODERN, LATEST_HANDSHAKE] {
        let (server, mut tool) = waiting(&Changes::new());
        let (mut client, _peer) = Lines::to(&server);
        if version != MODERN {
            client.introduce(version, json!({})).await;
        }
        client.send(&wait(version, 5)).await;
        assert_eq!(tool.next().await, "begun");
        for wrong in [json!("5"), json!(6), json!(null), json!({"id": 5})] {
            client
                .notify("notifications/cancelled", json!({"requestId": wrong}))
                .await;
        }
        client.notify("notifications/cancelled", json!({})).await;
        client.silent(version).await;
        assert!(tool.news.try_recv().is_err(), "it goes on");

        client
            .notify("notifications/cancelled", json!({"requestId": 5}))
            .await;
        assert_eq!(tool.next().await, "dropped");
        // What is left of the tool tells in vain.
        tool.go.notify_waiters();
        assert_eq!(tool.next().await, "told");
        client.silent(version).await;
        // The id is free again, and its answer is its own.
        let again = of(version, 5, "tools/call", call("fails"));
        let answer = client.ask(&again).await;
        assert_eq!(answer["id"], 5);
        assert_eq!(answer["result"]["isError"], true, "{answer}");
    }
}

#[tokio::test]
async fn stdio_14_a_client_cancels_by_a_notification() {
    for version in [MODERN, LATEST_HANDSHAKE] {
        let (played, mut connections) = Played::new();
        let connecting = tokio::spawn(async move {
            Session::connect(&played, ClientOptions::new("test", "1")).await
        });
        let mut server = connections.recv().await.unwrap();
        if version == MODERN {
            server.discovered(json!({"tools": {}})).await;
        } else {
            server.welcome(version, json!({"tools": {}})).await;
        }
        let client = soon(connecting).await.unwrap().unwrap();
        let calling = client.clone();
        let dropped = tokio::spawn(async move {
            let params = CallToolParams::new("slow");
            calling.call_tool(params, &CallOptions::new()).await
        });
        let slow = server.expect("tools/call").await;
        dropped.abort();
        let cancelled = server.expect("notifications/cancelled").await;
        assert_eq!(cancelled["params"]["requestId"], slow["id"]);
        // An answer that crossed it is ignored, and the connection lives on.
        server
            .answer(&slow, json!({"resultType": "complete", "content": []}))
            .await;
        let calling = client.clone();
        let call = tokio::spawn(async move {
            let params = CallToolParams::new("fast");
            calling.call_tool(params, &CallOptions::new()).await
        });
        let fast = server.expect("tools/call").await;
        assert_ne!(fast["id"], slow["id"]);
        let text = json!([{"type": "text", "text": "fast"}]);
        server
            .answer(&fast, json!({"resultType": "complete", "content": text}))
            .await;
        let result = soon(call).await.unwrap().unwrap();
        assert_eq!(result.text_content(), "fast");
    }
}

#[tokio::test]
async fn life_15_a_task_is_not_cancelled_by_a_notification() {
    let (server, mut tool) = waiting(&Changes::new());
    let mut client = Lines::introduced(&server, LATEST_HANDSHAKE).await;
    let mut params = call("wait");
    params["task"] = json!({"ttl": 60_000});
    let created = client.ask(&request(1, "tools/call", params)).await;
    let id = created["result"]["task"]["taskId"].clone();
    assert!(id.is_string(), "{created}");
    assert_eq!(tool.next().await, "begun");
    // Neither as the call that began it, nor while its result is waited for.
    client
        .notify("notifications/cancelled", json!({"requestId": 1}))
        .await;
    client
        .send(&request(2, "tasks/result", json!({"taskId": id})))
        .await;
    client
        .notify("notifications/cancelled", json!({"requestId": 2}))
        .await;
    let task = client
        .ask(&request(3, "tasks/get", json!({"taskId": id})))
        .await;
    assert_eq!(task["id"], 3, "{task}");
    assert_eq!(task["result"]["status"], "working", "{task}");
    assert!(tool.news.try_recv().is_err(), "it goes on");
    // But so.
    client
        .send(&request(4, "tasks/cancel", json!({"taskId": id})))
        .await;
    let cancelled = loop {
        let message = client.next().await;
        if message["id"] == 4 {
            break message;
        }
        assert_eq!(message["method"], "notifications/tasks/status", "{message}");
    };
    assert_eq!(cancelled["result"]["status"], "cancelled", "{cancelled}");
    assert_eq!(tool.next().await, "dropped");
}

#[tokio::test]
async fn life_15_a_client_gives_a_task_up_by_tasks_cancel() {
    let (played, mut connections) = Played::new();
    let options = ClientOptions::new("test", "1")
        .with_versions([ProtocolVersion::V2025_11_25])
        .with_tasks();
    let connecting = tokio::spawn(async move { Session::connect(&played, options).await });
    let mut server = connections.recv().await.unwrap();
    let capabilities = json!({"tools": {},
        "tasks": {"cancel": {}, "list": {}, "requests": {"tools": {"call": {}}}}});
    server.welcome(LATEST_HANDSHAKE, capabilities).await;
    let client = soon(connecting).await.unwrap().unwrap();
    let tool =
        tool("long").with_execution(ToolExecution::new().with_task_support(TaskSupport::Required));
    let calling = client.clone();
    let call = tokio::spawn(async move {
        let mut options = CallOptions::new();
        options.tool = Some(Arc::new(tool));
        let params = CallToolParams::new("long");
        calling.call_tool(params, &options).await
    });
    let begun = server.expect("tools/call").await;
    assert!(begun["params"]["task"].is_object(), "{begun}");
    let now = "2026-01-01T00:00:00Z";
    let task = json!({"taskId": "t-1", "status": "working", "createdAt": now,
        "lastUpdatedAt": now, "ttl": 60_000, "pollInterval": 60_000});
    server.answer(&begun, json!({"task": task})).await;
    // It is followed in one way or another.
    let follow = server.next().await;
    assert!(
        follow["method"].as_str().unwrap().starts_with("tasks/"),
        "{follow}"
    );
    if follow["method"] == "tasks/get" {
        server.answer(&follow, task).await;
    }
    call.abort();
    loop {
        let message = server.next().await;
        match message["method"].as_str().unwrap() {
            "tasks/cancel" => {
                assert_eq!(message["params"]["taskId"], "t-1");
                break;
            }
            "notifications/cancelled" => {
                let id = &message["params"]["requestId"];
                assert_ne!(*id, begun["id"], "the call that began the task");
            }
            "tasks/get" | "tasks/result" => {}
            other => panic!("{other}: {message}"),
        }
    }
}

#[tokio::test]
async fn life_16_a_server_without_handshake_gives_up_nothing_but_subscriptions() {
    let changes = Changes::new();
    let (server, mut tool) = waiting(&changes);
    let (mut client, peer) = Lines::to(&server);
    let mut filter = json!({"notifications": {"toolsListChanged": true}});
    let listen = modern("the subscription", "subscriptions/listen", filter.take());
    client.send(&listen).await;
    client
        .expect("notifications/subscriptions/acknowledged")
        .await;
    // Cancelled by the client, failed, unfinished at the end.
    client.send(&wait(MODERN, 1)).await;
    assert_eq!(tool.next().await, "begun");
    client
        .notify("notifications/cancelled", json!({"requestId": 1}))
        .await;
    assert_eq!(tool.next().await, "dropped");
    client.send(&modern(2, "tools/call", call("fails"))).await;
    client.send(&modern(3, "tools/call", call("none"))).await;
    client.send(&wait(MODERN, 4)).await;
    assert_eq!(tool.next().await, "begun");
    changes.close();
    let mut seen = Vec::new();
    // The subscription, and the two calls that are answered.
    while seen
        .iter()
        .filter(|message: &&Value| message.get("id").is_some())
        .count()
        < 3
    {
        seen.push(client.next().await);
    }
    let closing = tokio::spawn(async move {
        mcp::transport::Channel::close(&peer).await;
    });
    while let Some(line) = client.line().await {
        seen.push(serde_json::from_str(&line).unwrap());
    }
    soon(closing).await.unwrap();
    for message in &seen {
        if message["method"] == "notifications/cancelled" {
            let id = &message["params"]["requestId"];
            assert_eq!(*id, "the subscription", "{seen:?}");
        }
    }
    let ended = |message: &&Value| message["id"] == "the subscription";
    assert!(seen.iter().any(|message| ended(&message)), "{seen:?}");
}
