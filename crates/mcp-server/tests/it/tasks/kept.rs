//! Which tasks a server keeps: for whom, how many, how long.

use std::sync::Arc;
use std::time::Duration;

use mcp_server::TaskOptions;
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::advance;

use super::{as_task, builder, core, newest, server, tasks, until};
use crate::rig::{Client, code, text};

#[tokio::test]
async fn a_task_of_a_session_is_seen_by_no_other() {
    let (server, _) = server();
    let (one, other) = (core(&server), core(&server));
    let id = as_task(&one, "wait").await["task"]["taskId"].clone();
    let answer = other.request("tasks/get", json!({ "taskId": id })).await;
    assert_eq!(code(&answer), -32602);
    let list = async |client: &Client| {
        let list = client.request("tasks/list", json!({})).await.unwrap();
        list["tasks"].as_array().unwrap().len()
    };
    assert_eq!((list(&one).await, list(&other).await), (1, 0));
    // Nor in another era.
    let answer = newest(&server)
        .request("tasks/get", json!({ "taskId": id }))
        .await;
    assert_eq!(code(&answer), -32602);

    one.session.as_ref().unwrap().ended().cancel();
    until(&one, &id, "cancelled").await;
}

#[tokio::test]
async fn tasks_are_listed_in_pages_in_the_order_of_their_creation() {
    let go = Arc::new(Notify::new());
    let server = builder(&go).page_size(2).build();
    let client = core(&server);
    let mut ids = Vec::new();
    for _ in 0..5 {
        ids.push(as_task(&client, "wait").await["task"]["taskId"].clone());
    }
    let (mut listed, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let page = client
            .request("tasks/list", json!({ "cursor": cursor }))
            .await
            .unwrap();
        let tasks = page["tasks"].as_array().unwrap();
        assert!(tasks.len() <= 2);
        listed.extend(tasks.iter().map(|task| task["taskId"].clone()));
        match page.get("nextCursor") {
            Some(next) => cursor = next.clone(),
            None => break,
        }
    }
    assert_eq!(listed, ids);
}

#[tokio::test(start_paused = true)]
async fn a_task_is_kept_as_long_as_it_was_said_and_no_longer() {
    let go = Arc::new(Notify::new());
    let mut options = TaskOptions::default();
    options.max_ttl = Duration::from_secs(100);
    options.max_tasks = 2;
    let server = builder(&go).tasks(options).build();
    let client = core(&server);
    let create = async |ttl: u64| {
        let params = json!({"name": "wait", "task": {"ttl": ttl}});
        client.request("tools/call", params).await
    };
    let short = create(10_000).await.unwrap()["task"].clone();
    assert_eq!(short["ttl"], 10_000);
    let long = create(1_000_000).await.unwrap()["task"].clone();
    assert_eq!(long["ttl"], 100_000);
    assert_eq!(code(&create(1).await), -32603, "there are too many");

    advance(Duration::from_millis(9_999)).await;
    tasks(&client, "tasks/get", &short["taskId"]).await;
    advance(Duration::from_millis(1)).await;
    let gone = client
        .request("tasks/get", json!({"taskId": short["taskId"]}))
        .await;
    assert_eq!(code(&gone), -32602);
    assert!(create(1).await.is_ok());
}

#[tokio::test]
async fn where_there_are_too_many_tasks_a_call_does_without() {
    let go = Arc::new(Notify::new());
    let mut options = TaskOptions::default();
    options.max_tasks = 0;
    let server = builder(&go).tasks(options).build();
    let client = newest(&server);
    go.notify_one();
    assert_eq!(text(&client.call_tool("wait", json!({})).await), "waited");
    let required = client.call_tool("require", json!({})).await;
    assert_eq!(required["isError"], true);
}
