//! Questions from other tasks than the one that answers, in time and too late.

use mcp_protocol::ProtocolVersion;
use mcp_server::{AskError, Context, NoArgs, Server, ToolError};
use serde_json::json;
use tokio::sync::mpsc;

use super::{accept, all, field, tool};
use crate::rig::{Client, ERAS};

async fn ask_elsewhere(cx: Context, ended: mpsc::Sender<bool>) -> Result<String, ToolError> {
    let asking = tokio::spawn(async move {
        let name = field(&cx, "name", "name").await;
        let over = matches!(name, Err(AskError::Ended));
        ended.send(over).await.unwrap();
        name
    });
    Ok(asking.await??)
}

#[tokio::test]
async fn a_question_from_another_task_ends_the_round_too_and_the_task_is_let_go() {
    let (ended, mut over) = mpsc::channel(1);
    let server = Server::builder("spawns", "1.0.0")
        .tool(tool("spawn"), move |_: NoArgs, cx: Context| {
            ask_elsewhere(cx, ended.clone())
        })
        .build();
    let client = Client::new(&server, ProtocolVersion::LATEST).offering(all());
    let asked = client.call_tool("spawn", json!({})).await;
    assert!(asked["inputRequests"]["name"].is_object());
    assert_eq!(over.recv().await, Some(true));
}

#[tokio::test]
async fn who_outlives_the_request_cannot_ask_any_more() {
    let (late, mut asked) = mpsc::channel(1);
    let server = Server::builder("late", "1.0.0")
        .tool(tool("late"), move |_: NoArgs, cx: Context| {
            let late = late.clone();
            async move {
                tokio::spawn(ask_late(cx, late));
                Ok(())
            }
        })
        .build();
    for version in ERAS {
        let client = Client::new(&server, version)
            .offering(all())
            .answering(|_, _| accept(json!({"name": "Ada"})));
        client.call_tool("late", json!({})).await;
        assert_eq!(asked.recv().await, Some(true));
        assert!(client.calls().is_empty());
    }
}

async fn ask_late(cx: Context, late: mpsc::Sender<bool>) {
    tokio::task::yield_now().await;
    let name = field(&cx, "name", "name").await;
    let over = matches!(name, Err(AskError::Ended));
    late.send(over).await.unwrap();
}
