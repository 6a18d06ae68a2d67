//! Who has tasks, and who is given one.

use mcp_protocol::ProtocolVersion;
use mcp_server::{Context, NoArgs, Server};
use serde_json::{Value, json};

use super::{CORE, EXTENSION, core, newest, server, tasks, tool, until};
use crate::rig::{Client, code, text};

#[test]
fn tasks_are_declared_as_each_revision_has_them() {
    let (server, _) = server();
    let identity = server.identity();
    let declared = |version| serde_json::to_value(identity.capabilities_in(version)).unwrap();
    let core = declared(CORE);
    assert_eq!(core["tasks"]["requests"], json!({"tools": {"call": {}}}));
    assert!(core.get("extensions").is_none());
    let newest = declared(ProtocolVersion::LATEST);
    assert!(newest.get("tasks").is_none());
    assert_eq!(newest["extensions"], json!({ EXTENSION: {} }));
    let older = declared(ProtocolVersion::V2025_06_18);
    assert!(older.get("tasks").is_none() && older.get("extensions").is_none());
}

#[tokio::test]
async fn proto_73_a_handler_makes_a_task_only_for_who_has_declared_the_extension() {
    let (server, go) = server();
    let client = newest(&server);
    let created = client.call_tool("wait", json!({})).await;
    assert_eq!(created["resultType"], "task");
    assert_eq!(created["status"], "working");
    assert!(created["ttlMs"].as_u64().unwrap() > 0);
    assert!(created["pollIntervalMs"].is_u64());
    for absent in ["task", "ttl", "pollInterval", "result", "content"] {
        assert!(created.get(absent).is_none(), "{absent}");
    }
    // It is there before the answer is.
    let id = &created["taskId"];
    let working = tasks(&client, "tasks/get", id).await;
    assert_eq!(
        (&working["status"], &working["resultType"]),
        (&json!("working"), &json!("complete"))
    );

    go.notify_one();
    let done = until(&client, id, "completed").await;
    assert_eq!(text(&done["result"]), "waited");
    assert!(done["result"].get("_meta").is_none());

    let plain = Client::new(&server, ProtocolVersion::LATEST);
    go.notify_one();
    let result = plain.call_tool("wait", json!({})).await;
    assert_eq!(
        (text(&result), &result["resultType"]),
        ("waited", &json!("complete"))
    );
}

#[tokio::test]
async fn proto_74_tasks_of_who_has_not_declared_the_extension_are_refused() {
    let (server, _) = server();
    let client = newest(&server);
    let created = client.call_tool("wait", json!({})).await;
    let id = json!({"taskId": created["taskId"], "inputResponses": {}});
    let plain = Client::new(&server, ProtocolVersion::LATEST);
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let error = plain.request(method, id.clone()).await.unwrap_err();
        assert_eq!(error.code.0, -32021, "{method}");
        let data: Value = serde_json::from_str(error.data.unwrap().get()).unwrap();
        assert_eq!(
            data,
            json!({"requiredCapabilities": {"extensions": { EXTENSION: {} }}})
        );
        assert!(client.request(method, id.clone()).await.is_ok(), "{method}");
    }
    for method in ["tasks/result", "tasks/list"] {
        assert_eq!(
            code(&client.request(method, id.clone()).await),
            -32601,
            "{method}"
        );
    }
    let older = Client::new(&server, ProtocolVersion::V2025_06_18);
    for method in [
        "tasks/get",
        "tasks/update",
        "tasks/cancel",
        "tasks/result",
        "tasks/list",
    ] {
        assert_eq!(
            code(&older.request(method, id.clone()).await),
            -32601,
            "{method}"
        );
    }
}

#[tokio::test]
async fn work_that_needs_a_task_is_refused_to_who_knows_none() {
    let (server, _) = server();
    let plain = Client::new(&server, ProtocolVersion::LATEST);
    let answer = plain
        .request("tools/call", json!({"name": "require"}))
        .await;
    assert_eq!(code(&answer), -32021);
    let created = newest(&server).call_tool("require", json!({})).await;
    assert_eq!(created["resultType"], "task");
}

#[tokio::test]
async fn proto_72_a_tool_says_whether_it_is_called_as_a_task() {
    let (server, _) = server();
    let client = core(&server);
    let as_task = json!({"name": "never", "task": {}});
    assert_eq!(
        code(&client.request("tools/call", as_task.clone()).await),
        -32601
    );
    let not = json!({"name": "require"});
    assert_eq!(code(&client.request("tools/call", not).await), -32601);
    // The wish is none of the other revisions, nor of a server without tasks.
    for version in [ProtocolVersion::V2025_06_18, ProtocolVersion::LATEST] {
        let other = Client::new(&server, version);
        let result = other.request("tools/call", as_task.clone()).await.unwrap();
        assert_eq!(text(&result), "never a task");
    }
    let without = Server::builder("none", "1.0.0")
        .tool(tool("never", None), |_: NoArgs, cx: Context| async move {
            Ok(cx.become_task().await.to_string())
        })
        .build();
    for client in [core(&without), newest(&without)] {
        let result = client.request("tools/call", as_task.clone()).await.unwrap();
        assert_eq!(text(&result), "false");
    }
}
