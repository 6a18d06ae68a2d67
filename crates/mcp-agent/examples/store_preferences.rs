//! What a user likes is remembered across runs, and goes into every search.
//!
//! `cargo run -p mcp-agent --example store_preferences`

use std::error::Error;
use std::sync::Arc;

use mcp_agent::{MemoryStore, Namespace, ReactAgent, RunOptions, RuntimeExt, Store, StoreExt};
use mcp_interceptors::{CallError, JsonMap, LocalTools, Next, ToolCall, ToolOutcome};
use mcp_model::{ScriptedModel, ToolUse};
use mcp_protocol::Tool;
use serde_json::{Value, json};

/// Whose run it is.
struct User(&'static str);

/// The preferences of the user, if the run has a store and they are in it.
async fn preferences(call: &ToolCall) -> Result<JsonMap, CallError> {
    let Some(runtime) = call.runtime() else {
        return Ok(JsonMap::new());
    };
    let (Some(store), Some(User(id))) = (runtime.store(), runtime.context()) else {
        return Ok(JsonMap::new());
    };
    let place = Namespace::new(["preferences"]).map_err(CallError::layer)?;
    let item = store.get(place, *id).await.map_err(CallError::layer)?;
    match item.map(|item| item.value) {
        Some(Value::Object(preferences)) => Ok(preferences),
        _ => Ok(JsonMap::new()),
    }
}

/// Puts the language and the number of results into searches that do not say them.
async fn personal_search(call: ToolCall, next: Next) -> Result<ToolOutcome, CallError> {
    if call.name() != "search" {
        return next.run(call).await;
    }
    let mut args = preferences(&call).await?;
    args.extend(call.args().clone());
    next.run(call.with_args(args)).await
}

fn wiki() -> LocalTools {
    let search = Tool::new("search", json!({"type": "object"}));
    LocalTools::new("wiki").tool(search, |call: ToolCall| async move {
        Ok(Value::Object(call.into_args()).to_string().into())
    })
}

/// Has the agent search once for two users, of whom the store knows one. Gives back what the
/// server was asked.
///
/// # Errors
/// If a run fails.
pub async fn run() -> Result<[String; 2], Box<dyn Error>> {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let likes = json!({"language": "no", "limit": 5});
    store
        .put(Namespace::new(["preferences"])?, "ada", likes)
        .await?;
    let mut asked = [String::new(), String::new()];
    for (asked, user) in asked.iter_mut().zip(["ada", "bob"]) {
        let model = ScriptedModel::new()
            .calls([ToolUse::new(
                "1",
                "search",
                r#"{"query":"fjords","limit":3}"#,
            )])
            .says("Fjords are deep.");
        let agent = ReactAgent::builder(Arc::new(model))
            .tools(wiki())
            .intercept(personal_search)
            .store(Arc::clone(&store))
            .build()?;
        let options = RunOptions::new().context(User(user));
        let output = agent.run("What are fjords?", options).await?;
        let result = output.state.tool_results.get("1");
        *asked = result.map(|result| result.text()).unwrap_or_default();
    }
    Ok(asked)
}

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::print_stdout, reason = "an example shows what it did")]
async fn main() -> Result<(), Box<dyn Error>> {
    let [ada, bob] = run().await?;
    println!("for Ada: {ada}\nfor Bob: {bob}");
    Ok(())
}
