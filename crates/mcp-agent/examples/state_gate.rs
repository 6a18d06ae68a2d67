//! Tools that change something wait until somebody has logged in; the state of the run knows.
//!
//! `cargo run -p mcp-agent --example state_gate`

use std::error::Error;
use std::sync::Arc;

use mcp_agent::{Command, ReactAgent, ReactState, RunOptions, RuntimeExt};
use mcp_interceptors::{CallError, LocalTools, Next, ToolCall, ToolMessage, ToolOutcome};
use mcp_model::{ScriptedModel, ToolUse};
use mcp_protocol::Tool;
use serde_json::json;

const SENSITIVE: [&str; 3] = ["delete_file", "update_settings", "export_data"];

/// Refuses sensitive tools as long as the state does not say that somebody has logged in.
async fn gate(call: ToolCall, next: Next) -> Result<ToolOutcome, CallError> {
    let state = call.runtime().and_then(|runtime| runtime.state());
    let known = state.and_then(|state: &ReactState| state.value("authenticated"));
    if SENSITIVE.contains(&call.name()) && known != Some(json!(true)) {
        return Ok(ToolMessage::error("Log in first, then try again.").into());
    }
    next.run(call).await
}

/// A tool that logs in, by writing it into the state, and one that is sensitive.
fn tools() -> LocalTools {
    let tool = |name: &str| Tool::new(name, json!({"type": "object"}));
    LocalTools::new("desk")
        .tool(tool("log_in"), |_| async {
            Ok(Command::new()
                .with_update("authenticated", true)
                .with_message("Welcome, Ada.")
                .into())
        })
        .tool(tool("delete_file"), |_| async { Ok("deleted".into()) })
}

/// Runs an agent that deletes, logs in, and deletes again. Gives back what it was answered.
///
/// # Errors
/// If the run fails.
pub async fn run() -> Result<Vec<String>, Box<dyn Error>> {
    let model = ScriptedModel::new()
        .calls([ToolUse::new("1", "delete_file", "{}")])
        .calls([ToolUse::new("2", "log_in", "{}")])
        .calls([ToolUse::new("3", "delete_file", "{}")])
        .says("The file is gone.");
    let agent = ReactAgent::builder(Arc::new(model))
        .tools(tools())
        .intercept(gate)
        .build()?;
    let output = agent.run("Delete the file.", RunOptions::new()).await?;
    let results = output.state.tool_results.values();
    Ok(results.map(|result| result.text()).collect())
}

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::print_stdout, reason = "an example shows what it did")]
async fn main() -> Result<(), Box<dyn Error>> {
    println!("{}", run().await?.join("\n"));
    Ok(())
}
