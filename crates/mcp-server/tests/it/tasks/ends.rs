//! How a task ends, and what it leaves.

use std::sync::Arc;

use mcp_server::{Context, NoArgs, Server, TaskOptions, ToolError};
use serde_json::json;
use tokio::sync::Notify;

use super::{as_task, core, newest, server, tasks, tool, until};
use crate::rig::{code, text};

#[tokio::test]
async fn a_tool_that_failed_is_completed_in_the_extension_and_failed_in_the_core() {
    let (server, _) = server();
    let client = newest(&server);
    let created = client.call_tool("fail", json!({})).await;
    let done = until(&client, &created["taskId"], "completed").await;
    assert_eq!(done["result"]["isError"], true);

    let client = core(&server);
    let created = as_task(&client, "fail").await;
    until(&client, &created["task"]["taskId"], "failed").await;
    let result = tasks(&client, "tasks/result", &created["task"]["taskId"]).await;
    assert_eq!(
        (text(&result), &result["isError"]),
        ("on purpose", &json!(true))
    );
}

#[tokio::test]
async fn a_task_that_is_given_up_ends_at_once_and_for_good() {
    let (server, go) = server();
    let client = newest(&server);
    let id = client.call_tool("wait", json!({})).await["taskId"].clone();
    for _ in 0..2 {
        let ack = tasks(&client, "tasks/cancel", &id).await;
        assert_eq!(ack["resultType"], "complete");
        assert!(ack.get("taskId").is_none());
    }
    go.notify_one();
    tokio::task::yield_now().await;
    assert_eq!(
        tasks(&client, "tasks/get", &id).await["status"],
        "cancelled"
    );
}

#[tokio::test]
async fn proto_70_the_result_of_a_task_is_waited_for_and_names_it() {
    let (server, go) = server();
    let client = core(&server);
    let created = as_task(&client, "wait").await;
    let task = &created["task"];
    assert_eq!(task["status"], "working");
    assert!(task["ttl"].is_u64() && task["pollInterval"].is_u64());
    assert!(created.get("resultType").is_none());
    let id = task["taskId"].clone();

    let waiting = {
        let (client, id) = (client.clone(), id.clone());
        tokio::spawn(async move { tasks(&client, "tasks/result", &id).await })
    };
    tokio::task::yield_now().await;
    assert!(!waiting.is_finished());
    go.notify_one();
    let result = waiting.await.unwrap();
    assert_eq!(text(&result), "waited");
    let related = json!({"io.modelcontextprotocol/related-task": {"taskId": id}});
    assert_eq!(result["_meta"], related);
    let get = tasks(&client, "tasks/get", &id).await;
    assert_eq!(get["status"], "completed");
    assert!(get.get("result").is_none());
}

#[tokio::test]
async fn proto_71_a_task_that_has_ended_cannot_be_given_up() {
    let (server, _) = server();
    let client = core(&server);
    let id = as_task(&client, "wait").await["task"]["taskId"].clone();
    let cancelled = tasks(&client, "tasks/cancel", &id).await;
    assert_eq!(
        (&cancelled["status"], &cancelled["taskId"]),
        (&json!("cancelled"), &id)
    );
    for (method, params) in [
        ("tasks/cancel", json!({ "taskId": id })),
        ("tasks/cancel", json!({"taskId": "nothing"})),
        ("tasks/get", json!({"taskId": "nothing"})),
        ("tasks/result", json!({"taskId": "nothing"})),
        ("tasks/get", json!({})),
        ("tasks/list", json!({"cursor": "nothing"})),
    ] {
        assert_eq!(
            code(&client.request(method, params).await),
            -32602,
            "{method}"
        );
    }
    let result = client
        .request("tasks/result", json!({ "taskId": id }))
        .await;
    assert_eq!(result.unwrap_err().message, "the task was cancelled");
}

#[tokio::test]
async fn tasks_of_a_server_that_is_gone_are_given_up() {
    struct Dropped(Arc<Notify>);
    impl Drop for Dropped {
        fn drop(&mut self) {
            self.0.notify_one();
        }
    }
    let dropped = Arc::new(Notify::new());
    let notify = dropped.clone();
    let server = Server::builder("gone", "1.0.0")
        .tool(tool("hang", None), move |_: NoArgs, cx: Context| {
            let guard = Dropped(notify.clone());
            async move {
                let _guard = guard;
                cx.become_task().await;
                std::future::pending::<Result<(), ToolError>>().await
            }
        })
        .tasks(TaskOptions::default())
        .build();
    let client = newest(&server);
    let created = client.call_tool("hang", json!({})).await;
    assert_eq!(created["status"], "working");
    drop((server, client));
    dropped.notified().await;
}
