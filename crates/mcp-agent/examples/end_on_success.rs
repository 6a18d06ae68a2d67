//! A tool that completes the task ends the run: the model is not asked again.
//!
//! `cargo run -p mcp-agent --example end_on_success`

use std::error::Error;
use std::sync::Arc;

use mcp_agent::{Command, ReactAgent, RunOptions};
use mcp_interceptors::{CallError, LocalTools, Next, ToolCall, ToolOutcome};
use mcp_model::{ScriptedModel, ToolUse};
use mcp_protocol::Tool;
use serde_json::{Value, json};

/// Ends the run when the task is complete. The tool's own result is the answer to its call: a
/// command without a message leaves that to the agent.
async fn end_on_success(call: ToolCall, next: Next) -> Result<ToolOutcome, CallError> {
    let completes = call.name() == "mark_complete";
    let outcome = next.run(call).await?;
    if !completes || outcome.is_error() {
        return Ok(outcome);
    }
    Ok(Command::end().with_update("status", "done").into())
}

fn tasks() -> LocalTools {
    let tool = |name: &str| Tool::new(name, json!({"type": "object"}));
    LocalTools::new("tasks")
        .tool(tool("look"), |_| async { Ok("one task is open".into()) })
        .tool(tool("mark_complete"), |_| async {
            Ok(mcp_protocol::CallToolResult::text("task 1 is complete").into())
        })
}

/// Runs the agent. Gives back how often the model was asked, the status, and the last answer.
///
/// # Errors
/// If the run fails.
pub async fn run() -> Result<(usize, Option<Value>, String), Box<dyn Error>> {
    let model = ScriptedModel::new()
        .calls([ToolUse::new("1", "look", "{}")])
        .calls([ToolUse::new("2", "mark_complete", "{}")])
        .says("never said");
    let agent = ReactAgent::builder(Arc::new(model.clone()))
        .tools(tasks())
        .intercept(end_on_success)
        .build()?;
    let output = agent.run("Finish the task.", RunOptions::new()).await?;
    let last = output.state.messages.last().map(|last| last.text());
    let status = output.state.value("status");
    Ok((model.requests().len(), status, last.unwrap_or_default()))
}

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::print_stdout, reason = "an example shows what it did")]
async fn main() -> Result<(), Box<dyn Error>> {
    let (asked, _, last) = run().await?;
    println!("{last} (the model was asked {asked} times)");
    Ok(())
}
