//! Tools whose calls become tasks.

use std::time::Duration;

use mcp::jsonrpc::ErrorObject;
use mcp::protocol::{ElicitAction, Tool};
use mcp::server::{Context, NoArgs, ServerBuilder, TaskOptions, ToolError};
use serde::Deserialize;
use serde_json::json;
use tokio::time::sleep;

use crate::asks::{field, form};
use crate::tools::tool;

const A_WHILE: Duration = Duration::from_secs(1);

pub(crate) fn add(builder: ServerBuilder) -> ServerBuilder {
    let builder = builder.tasks(TaskOptions::default());
    asking(working(builder))
}

#[derive(Deserialize)]
struct Name {
    name: String,
}

#[derive(Deserialize)]
struct Compute {
    #[serde(default)]
    seconds: f64,
    #[serde(default)]
    label: String,
}

#[derive(Deserialize)]
struct File {
    filename: String,
}

fn working(builder: ServerBuilder) -> ServerBuilder {
    builder
        .tool(
            Tool::new(
                "greet",
                json!({
                    "type": "object",
                    "properties": {"name": {"type": "string"}},
                    "required": ["name"],
                }),
            )
            .with_description("Greets at once."),
            |args: Name, _: Context| async move { Ok(format!("Hello, {}!", args.name)) },
        )
        .tool(
            Tool::new(
                "slow_compute",
                json!({
                    "type": "object",
                    "properties": {
                        "seconds": {"type": "number", "minimum": 0},
                        "label": {"type": "string"},
                    },
                }),
            )
            .with_description("Takes as long as it is told to."),
            |args: Compute, cx: Context| compute(args, cx),
        )
        .tool(
            tool("failing_job", "Fails after a while, in a task."),
            |_: NoArgs, cx: Context| async move {
                cx.require_task().await?;
                sleep(A_WHILE).await;
                Err::<(), _>(ToolError::new("The job failed."))
            },
        )
        .tool(
            tool(
                "protocol_error_job",
                "Ends with an error of the protocol, in a task.",
            ),
            |_: NoArgs, cx: Context| async move {
                cx.require_task().await?;
                sleep(A_WHILE).await;
                let error = ErrorObject::internal("the job broke");
                Err::<(), _>(ToolError::protocol(error))
            },
        )
}

async fn compute(args: Compute, cx: Context) -> Result<String, ToolError> {
    let time = Duration::try_from_secs_f64(args.seconds)?;
    if !time.is_zero() {
        cx.become_task().await;
        sleep(time).await;
    }
    Ok(format!("{} took {} s", args.label, args.seconds))
}

fn asking(builder: ServerBuilder) -> ServerBuilder {
    builder
        .tool(
            Tool::new(
                "confirm_delete",
                json!({
                    "type": "object",
                    "properties": {"filename": {"type": "string"}},
                    "required": ["filename"],
                }),
            )
            .with_description("Asks before it deletes, in a task."),
            |args: File, cx: Context| confirm_delete(args, cx),
        )
        .tool(
            tool("multi_input", "Asks two things at once, in a task."),
            |_: NoArgs, cx: Context| ask_two(cx),
        )
        .tool(
            tool("test_tool_with_task", "Asks first, and goes on in a task."),
            |_: NoArgs, cx: Context| async move {
                let answer = cx
                    .elicit("user_name", form("What is your name?", "name"))
                    .await?;
                cx.become_task().await;
                sleep(A_WHILE / 4).await;
                Ok(format!("Hello, {}!", field(&answer, "name")))
            },
        )
}

async fn confirm_delete(args: File, cx: Context) -> Result<String, ToolError> {
    cx.require_task().await?;
    let question = format!("Delete {}?", args.filename);
    let answer = cx
        .elicit("confirm", crate::asks::confirm(&question, "confirm"))
        .await?;
    let deleted = answer.action == ElicitAction::Accept;
    let done = if deleted { "Deleted" } else { "Kept" };
    Ok(format!("{done} {}.", args.filename))
}

async fn ask_two(cx: Context) -> Result<String, ToolError> {
    cx.require_task().await?;
    let (first, second) = tokio::join!(
        cx.elicit("first", form("What is your name?", "name")),
        cx.elicit("second", form("What is your friend's name?", "name")),
    );
    let (first, second) = (first?, second?);
    let (one, other) = (field(&first, "name"), field(&second, "name"));
    Ok(format!("{one} and {other}"))
}
