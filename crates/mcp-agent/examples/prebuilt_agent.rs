//! The prebuilt agent with what a product needs: the user's context, memory, a hidden argument,
//! approval of what is dangerous, a limit, and a thread that goes on.
//!
//! `cargo run -p mcp-agent --example prebuilt_agent`

use std::error::Error;
use std::sync::Arc;

use mcp_agent::{
    CallLimit, Input, MemoryCheckpointer, MemoryStore, Namespace, ReactAgent, RunOptions,
    RuntimeExt, Store, StoreExt,
};
use mcp_interceptors::{CallError, LocalTools, Next, ToolCall, ToolOutcome};
use mcp_model::{ScriptedModel, ToolUse};
use mcp_protocol::Tool;
use serde_json::{Value, json};

/// Who the run is for.
struct User {
    name: &'static str,
}

fn shop() -> LocalTools {
    let schema = || json!({"type": "object"});
    LocalTools::new("shop")
        .tool(Tool::new("find", schema()), |call: ToolCall| async move {
            let style = call.args().get("style").and_then(Value::as_str);
            Ok(format!("3 {} lamps", style.unwrap_or("plain")).into())
        })
        .tool(Tool::new("order", schema()), |_| async {
            Ok("ordered".into())
        })
}

/// What the user likes, from the store, goes into every search.
async fn preferences(call: ToolCall, next: Next) -> Result<ToolOutcome, CallError> {
    let known = match call.runtime() {
        Some(runtime) => runtime.store().cloned().zip(runtime.context::<User>()),
        None => None,
    };
    let Some((store, user)) = known else {
        return next.run(call).await;
    };
    let place = Namespace::new(["users", user.name]).map_err(CallError::layer)?;
    let style = store.get(place, "style").await.map_err(CallError::layer)?;
    match style {
        Some(style) => next.run(call.with_arg("style", style.value)).await,
        None => next.run(call).await,
    }
}

/// Orders wait until somebody has said yes.
async fn approval(call: ToolCall, next: Next) -> Result<ToolOutcome, CallError> {
    if call.name() == "order" {
        let yes = call
            .ask(json!({"may the agent order?": call.args()}))
            .await?;
        if yes != json!(true) {
            return Ok("The user does not want that.".into());
        }
    }
    next.run(call).await
}

/// Runs the agent until it asks, answers, and gives back what it said.
///
/// # Errors
/// If a run fails.
pub async fn run() -> Result<String, Box<dyn Error>> {
    let model = ScriptedModel::new()
        .calls([ToolUse::new("1", "find", "{}")])
        .calls([ToolUse::new("2", "order", r#"{"item":"lamp"}"#)])
        .says("Your lamp is ordered.");
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    store
        .put(Namespace::new(["users", "ada"])?, "style", "red")
        .await?;

    let agent = ReactAgent::builder(Arc::new(model))
        .tools(shop())
        .system_prompt("You help people to buy lamps.")
        .intercept(preferences)
        .intercept(approval)
        .model_limit(CallLimit::per_run(10))
        .store(store)
        .checkpointer(Arc::new(MemoryCheckpointer::new()))
        .build()?;

    let options = || {
        RunOptions::new()
            .thread("ada-1")
            .context(User { name: "ada" })
    };
    let output = agent.run("Order me a lamp.", options()).await?;
    let found = output
        .state
        .tool_results
        .get("1")
        .map(|result| result.text());
    let asked = output.interrupts().len();

    let output = agent.run(Input::Answer(json!(true)), options()).await?;
    Ok(format!(
        "{}; {asked} question; {}",
        found.unwrap_or_default(),
        output.answer()
    ))
}

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::print_stdout, reason = "an example shows what it did")]
async fn main() -> Result<(), Box<dyn Error>> {
    println!("{}", run().await?);
    Ok(())
}
