//! When a tool has done its part, an interceptor writes that into the state and hands over to
//! another agent.
//!
//! `cargo run -p mcp-agent --example task_status`

use std::error::Error;
use std::sync::Arc;

use mcp_agent::state::{LastInOrder, Messages};
use mcp_agent::{Command, END, Graph, ReactAgent, RunOptions, START, Subgraph, state};
use mcp_interceptors::{CallError, LocalTools, Next, ToolCall, ToolOutcome};
use mcp_model::{ChatMessage, ScriptedModel, ToolUse};
use mcp_protocol::Tool;
use serde_json::json;

state! {
    /// What both agents share.
    pub struct Team => TeamUpdate {
        /// The conversation.
        messages: Messages,
        /// How far the task is.
        task_status: LastInOrder<String>,
    }
}

/// Once the order is placed, the summary agent goes on. The order's own result is the answer to
/// the call; it is carried over together with the call.
async fn hand_over(call: ToolCall, next: Next) -> Result<ToolOutcome, CallError> {
    let name = call.name().to_owned();
    let outcome = next.run(call).await?;
    if name != "submit_order" || outcome.is_error() {
        return Ok(outcome);
    }
    Ok(Command::handoff("summary_agent")
        .with_message(outcome.text())
        .with_update("task_status", "completed")
        .into())
}

fn shop() -> LocalTools {
    let tool = Tool::new("submit_order", json!({"type": "object"}));
    LocalTools::new("shop").tool(tool, |_| async { Ok("order 17 is placed".into()) })
}

/// An agent as a node of the team.
fn member(agent: &ReactAgent) -> Subgraph<Team, mcp_agent::ReactState> {
    agent.as_node(
        |team: &Team| team.messages.since(0).into(),
        |team, agent| TeamUpdate::default().messages(agent.messages.beyond(&team.messages)),
    )
}

/// Runs the team. Gives back the status and the conversation.
///
/// # Errors
/// If the run fails.
pub async fn run() -> Result<(String, Vec<String>), Box<dyn Error>> {
    let worker = ScriptedModel::new()
        .calls([ToolUse::new("1", "submit_order", r#"{"item":"lamp"}"#)])
        .says("never said");
    let worker = ReactAgent::builder(Arc::new(worker))
        .tools(shop())
        .intercept(hand_over)
        .build()?;
    let summary = ScriptedModel::new().says("Your lamp is on its way.");
    let summary = ReactAgent::builder(Arc::new(summary)).build()?;
    let team = Graph::<Team>::new()
        .node("worker", member(&worker))
        .node("summary_agent", member(&summary))
        .edge(START, "worker")
        .edge("summary_agent", END)
        .compile()?;
    let input = TeamUpdate::default().messages("Order a lamp.");
    let output = team.run(input, RunOptions::new()).await?;
    let line = |message: &Arc<ChatMessage>| match &**message {
        ChatMessage::Assistant(asking) if !asking.tool_calls.is_empty() => {
            let names = asking.tool_calls.iter().map(|call| call.name.as_str());
            format!("(calls {})", names.collect::<Vec<_>>().join(", "))
        }
        other => other.text(),
    };
    let lines = output.state.messages.iter().map(line).collect();
    Ok((output.state.task_status.as_str().to_owned(), lines))
}

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::print_stdout, reason = "an example shows what it did")]
async fn main() -> Result<(), Box<dyn Error>> {
    let (status, lines) = run().await?;
    println!("{}\n[{status}]", lines.join("\n"));
    Ok(())
}
