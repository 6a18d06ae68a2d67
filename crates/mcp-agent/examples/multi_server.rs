//! The smallest agent by hand: a graph of two nodes over the tools of two servers.
//!
//! `cargo run -p mcp-agent --example multi_server`
//!
//! The state holds the conversation and the tools' results; `agent` asks the model, `tools`
//! calls what it asks for, and a conditional edge decides whether there is another round. The
//! prebuilt `ReactAgent` does the same and much more; this shows that nothing in it is special.

use std::collections::HashMap;
use std::error::Error;
use std::sync::Arc;

use futures_util::future::join_all;
use mcp_agent::state::{Merge, Messages, MessagesUpdate};
use mcp_agent::{END, Graph, NodeError, RunOptions, Runtime, START, state};
use mcp_interceptors::{BoundTool, LocalTools, ToolCall, ToolMessage, Toolset};
use mcp_model::{
    ChatMessage, ChatModel, ChatRequest, ScriptedModel, ToolAnswer, ToolSpec, ToolUse,
};
use mcp_protocol::Tool;
use serde_json::json;

state! {
    /// What the run knows.
    pub struct Chat => ChatUpdate {
        /// The conversation. New messages are added; nothing is ever lost.
        messages: Messages,
        /// The tools' results by call id.
        tool_results: Merge<String>,
    }
}

/// Two servers. Real ones come from a pool; the names that the model sees are the same.
fn servers() -> Vec<Arc<dyn Toolset>> {
    let schema = || json!({"type": "object", "properties": {"name": {"type": "string"}}});
    let files = LocalTools::prefixed("files")
        .tool(Tool::new("read", schema()), |call: ToolCall| async move {
            Ok(format!("{} says hello", call.args()["name"]).into())
        });
    let wiki = LocalTools::prefixed("wiki")
        .tool(Tool::new("search", schema()), |call: ToolCall| async move {
            Ok(format!("no page about {}", call.args()["name"]).into())
        });
    vec![Arc::new(files), Arc::new(wiki)]
}

/// A tool by the name that the model uses, and the server that has it.
type Table = HashMap<String, (Arc<BoundTool>, Arc<dyn Toolset>)>;

async fn table() -> Table {
    let mut table = Table::new();
    for server in servers() {
        for tool in server.tools().await.tools {
            let entry = (Arc::clone(&tool), Arc::clone(&server));
            table.insert(tool.name().to_owned(), entry);
        }
    }
    table
}

/// Calls one tool; whatever goes wrong is an answer for the model.
async fn answer(table: &Table, call: &ToolUse) -> ToolMessage {
    let Some((tool, server)) = table.get(&call.name) else {
        return ToolMessage::error(format!("there is no tool {}", call.name));
    };
    let args = match call.parsed_arguments() {
        Ok(args) => args,
        Err(error) => return ToolMessage::error(error.to_string()),
    };
    match server.call(ToolCall::new(Arc::clone(tool), args)).await {
        Ok(outcome) => ToolMessage::new(outcome.content().to_vec()),
        Err(error) => ToolMessage::error(error.chain()),
    }
}

async fn call_tools(table: Arc<Table>, chat: Arc<Chat>) -> Result<ChatUpdate, NodeError> {
    let calls = match chat.messages.last().map(|last| &**last) {
        Some(ChatMessage::Assistant(asking)) => asking.tool_calls.as_slice(),
        _ => &[],
    };
    // At the same time; the answers stay in call order.
    let answers = join_all(calls.iter().map(|call| answer(&table, call))).await;
    let mut messages = MessagesUpdate::default();
    let mut results = indexmap::IndexMap::new();
    for (call, message) in calls.iter().zip(answers) {
        let failed = message.is_error();
        let answer = ToolAnswer::new(call, message.content, failed);
        results.insert(call.id.clone(), Some(answer.text()));
        messages = messages.and(ChatMessage::Tool(answer));
    }
    Ok(ChatUpdate::default()
        .messages(messages)
        .tool_results(results))
}

/// Asks the question and gives back the answer.
///
/// # Errors
/// If the graph is wired wrongly or the run fails.
pub async fn run(question: &str) -> Result<String, Box<dyn Error>> {
    // Stands in for a real model.
    let model: Arc<dyn ChatModel> = Arc::new(
        ScriptedModel::new()
            .calls([
                ToolUse::new("1", "files__read", r#"{"name":"a.txt"}"#),
                ToolUse::new("2", "wiki__search", r#"{"name":"retries"}"#),
            ])
            .says("The file says hello; the wiki knows nothing."),
    );
    let table = Arc::new(table().await);
    let specs: Arc<[ToolSpec]> = table
        .values()
        .map(|(tool, _)| ToolSpec::of_tool(tool.name(), tool.shown()))
        .collect();

    let graph = Graph::<Chat>::new()
        .node("agent", move |chat: Arc<Chat>, _: Runtime| {
            let (model, specs) = (Arc::clone(&model), Arc::clone(&specs));
            async move {
                let request = ChatRequest::new(chat.messages.transcript()).with_tools(specs);
                let answer = model.generate(request).await?;
                Ok(ChatUpdate::default().messages(ChatMessage::Assistant(answer.message)))
            }
        })
        .node("tools", move |chat: Arc<Chat>, _: Runtime| {
            call_tools(Arc::clone(&table), chat)
        })
        .edge(START, "agent")
        .route_among("agent", ["tools", END], |chat: &Chat| {
            match chat.messages.last().map(|last| &**last) {
                Some(ChatMessage::Assistant(asking)) if !asking.tool_calls.is_empty() => "tools",
                _ => END,
            }
        })
        .edge("tools", "agent")
        .compile()?;

    let input = ChatUpdate::default().messages(question);
    let output = graph.run(input, RunOptions::new()).await?;
    let answer = output.state.messages.last().map(|last| last.text());
    Ok(format!(
        "{} ({} results)",
        answer.unwrap_or_default(),
        output.state.tool_results.len()
    ))
}

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::print_stdout, reason = "an example shows what it did")]
async fn main() -> Result<(), Box<dyn Error>> {
    println!("{}", run("What do a.txt and the wiki say?").await?);
    Ok(())
}
