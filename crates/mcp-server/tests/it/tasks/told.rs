//! What is told of a task while it runs.

use std::sync::Arc;

use mcp_server::Changes;
use mcp_transport::{Handler, Session};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::{as_task, builder, core, newest, server, tasks, until};
use crate::rig::{Client, text};

#[tokio::test]
async fn progress_of_a_task_of_the_core_goes_to_its_session() {
    let (server, go) = server();
    let mut client = core(&server);
    let stream = core(&server).channel;
    client.session = Some(Session::new(stream.clone()));
    client.context = client.context.with_progress_token("p");
    let id = as_task(&client, "wait").await["task"]["taskId"].clone();
    go.notify_one();
    tasks(&client, "tasks/result", &id).await;
    assert!(client.notifications("notifications/progress").is_empty());
    client.channel = stream;
    let sent = client.notifications("notifications/progress");
    assert_eq!(sent.len(), 2);
    let related = &sent[0]["_meta"]["io.modelcontextprotocol/related-task"];
    assert_eq!(related["taskId"], id);
}

#[tokio::test]
async fn who_listens_for_a_task_is_told_of_each_change() {
    let go = Arc::new(Notify::new());
    let changes = Changes::new();
    let server = builder(&go).changes(&changes).build();
    let client = newest(&server);
    let id = client.call_tool("wait", json!({})).await["taskId"].clone();
    let filter = json!({"taskIds": [id, "of somebody else"]});
    let params = json!({ "notifications": filter }).to_string();
    let incoming = client.incoming("subscriptions/listen", Some(&params));
    let listening = tokio::spawn(Handler::request(Arc::new(server.clone()), incoming));
    tokio::task::yield_now().await;
    let ack = client.notifications("notifications/subscriptions/acknowledged");
    assert_eq!(ack[0]["notifications"]["taskIds"], json!([id]));

    go.notify_one();
    until(&client, &id, "completed").await;
    for _ in 0..8 {
        tokio::task::yield_now().await;
    }
    let told = client.notifications("notifications/tasks");
    assert_eq!(told.len(), 1);
    assert_eq!(
        (&told[0]["taskId"], &told[0]["status"]),
        (&id, &json!("completed"))
    );
    assert_eq!(text(&told[0]["result"]), "waited");
    let subscription = &told[0]["_meta"]["io.modelcontextprotocol/subscriptionId"];
    assert_eq!(*subscription, 1);
    listening.abort();
}

/// The statuses that a session was told of.
fn statuses(client: &Client) -> Vec<String> {
    let told = client.notifications("notifications/tasks/status");
    let status = |task: &Value| task["status"].as_str().unwrap().to_owned();
    told.iter().map(status).collect()
}

async fn settle() {
    for _ in 0..16 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_session_is_told_of_each_status_of_its_task_by_a_whole_task() {
    let (server, go) = server();
    let client = core(&server);
    let id = as_task(&client, "wait").await["task"]["taskId"].clone();
    settle().await;
    assert!(
        statuses(&client).is_empty(),
        "it works, as its beginning said"
    );
    go.notify_one();
    until(&client, &id, "completed").await;
    settle().await;
    let told = client.notifications("notifications/tasks/status");
    let now = tasks(&client, "tasks/get", &id).await;
    assert_eq!(told, [now], "the task, and nothing that is not of it");

    // Who gives it up is told of that, too.
    let id = as_task(&client, "wait").await["task"]["taskId"].clone();
    tasks(&client, "tasks/cancel", &id).await;
    settle().await;
    assert_eq!(statuses(&client), ["completed", "cancelled"]);
}

#[tokio::test]
async fn a_session_is_told_that_its_task_waits_for_input_and_goes_on() {
    let (server, _) = server();
    let client = core(&server)
        .offering(json!({"elicitation": {}}))
        .answering(|_, _| json!({"action": "accept", "content": {"name": "Ada"}}));
    let client = client.with_session();
    let id = as_task(&client, "ask").await["task"]["taskId"].clone();
    settle().await;
    assert_eq!(statuses(&client), ["input_required"]);
    tasks(&client, "tasks/result", &id).await;
    settle().await;
    // That it works again is news of a moment, which its end may overtake.
    let told = statuses(&client);
    assert_eq!(
        (&*told[0], &*told[told.len() - 1]),
        ("input_required", "completed")
    );
}

#[tokio::test]
async fn tasks_of_the_extension_are_told_to_who_listens_and_to_nobody_else() {
    let (server, go) = server();
    let client = newest(&server);
    let id = client.call_tool("wait", json!({})).await["taskId"].clone();
    go.notify_one();
    until(&client, &id, "completed").await;
    settle().await;
    assert!(statuses(&client).is_empty());
}
