//! Tasks, in the shape of 2025-11-25 and in that of the extension.

mod declared;
mod ends;
mod kept;
mod questions;
mod told;

use std::sync::Arc;

use mcp_protocol::{ProtocolVersion, TaskSupport, Tool, ToolExecution};
use mcp_server::{Context, NoArgs, Server, ServerBuilder, TaskOptions, ToolError};
use mcp_transport::Progress;
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::ask::field;
use crate::rig::Client;

const CORE: ProtocolVersion = ProtocolVersion::V2025_11_25;
const EXTENSION: &str = "io.modelcontextprotocol/tasks";

fn tool(name: &str, support: Option<TaskSupport>) -> Tool {
    let mut tool = Tool::new(name, json!({"type": "object"}));
    tool.execution = support.map(|support| ToolExecution::new().with_task_support(support));
    tool
}

/// `go` lets the tools end that wait.
fn builder(go: &Arc<Notify>) -> ServerBuilder {
    let optional = Some(TaskSupport::Optional);
    let waits = go.clone();
    Server::builder("tasks", "1.0.0")
        .tool(
            tool("wait", optional.clone()),
            move |_: NoArgs, cx: Context| wait(cx, waits.clone()),
        )
        .tool(
            tool("fail", optional.clone()),
            |_: NoArgs, cx: Context| async move {
                cx.become_task().await;
                Err::<(), _>(ToolError::new("on purpose"))
            },
        )
        .tool(tool("ask", optional), |_: NoArgs, cx: Context| async move {
            cx.become_task().await;
            Ok(field(&cx, "name", "name").await?)
        })
        .tool(
            tool("ask_first", None),
            |_: NoArgs, cx: Context| async move {
                let name = field(&cx, "name", "name").await?;
                cx.become_task().await;
                Ok(name)
            },
        )
        .tool(
            tool("require", Some(TaskSupport::Required)),
            |_: NoArgs, cx: Context| async move {
                cx.require_task().await?;
                Ok("done")
            },
        )
        .tool(tool("never", None), |_: NoArgs, _: Context| async {
            Ok("never a task")
        })
        .tasks(TaskOptions::default())
}

async fn wait(cx: Context, go: Arc<Notify>) -> Result<String, ToolError> {
    cx.become_task().await;
    cx.progress(Progress::new(1.0)).await;
    go.notified().await;
    cx.progress(Progress::new(2.0)).await;
    Ok("waited".to_owned())
}

fn server() -> (Server, Arc<Notify>) {
    let go = Arc::new(Notify::new());
    (builder(&go).build(), go)
}

/// A client of the newest revision that declares the extension.
fn newest(server: &Server) -> Client {
    let extensions = json!({ EXTENSION: {} });
    let offered = json!({"elicitation": {}, "extensions": extensions});
    Client::new(server, ProtocolVersion::LATEST).offering(offered)
}

fn core(server: &Server) -> Client {
    Client::new(server, CORE).offering(json!({"elicitation": {}}))
}

async fn as_task(client: &Client, name: &str) -> Value {
    let params = json!({"name": name, "task": {}});
    client.request("tools/call", params).await.unwrap()
}

async fn tasks(client: &Client, method: &'static str, id: &Value) -> Value {
    client
        .request(method, json!({ "taskId": id }))
        .await
        .unwrap()
}

/// Looks at a task until it has this status.
async fn until(client: &Client, id: &Value, status: &str) -> Value {
    for _ in 0..100 {
        let task = tasks(client, "tasks/get", id).await;
        if task["status"] == status {
            return task;
        }
        tokio::task::yield_now().await;
    }
    panic!("the task did not become {status}");
}
