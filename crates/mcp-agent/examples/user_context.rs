//! Who the user is goes into the arguments of every call, and the model neither sees nor forges
//! it.
//!
//! `cargo run -p mcp-agent --example user_context`

use std::error::Error;
use std::sync::Arc;

use mcp_agent::{ReactAgent, RunOptions, RuntimeExt};
use mcp_interceptors::{InjectArgsLayer, LocalTools, ToolCall};
use mcp_model::{ScriptedModel, ToolUse};
use mcp_protocol::Tool;
use serde_json::{Value, json};

/// What the program knows of its user, and the model does not.
struct User {
    id: &'static str,
    api_key: &'static str,
}

fn user_of(call: &ToolCall) -> Option<&User> {
    call.runtime()?.context()
}

/// A server that must be told whose orders it is to look up.
fn shop() -> LocalTools {
    let text = json!({"type": "string"});
    let schema = json!({
        "type": "object",
        "properties": {"status": text, "user_id": text, "api_key": text},
        "required": ["user_id", "api_key"],
    });
    LocalTools::new("shop").tool(Tool::new("orders", schema), |call: ToolCall| async move {
        let arg = |name| call.args().get(name).and_then(Value::as_str);
        Ok(format!(
            "{} orders of {:?}, with the key {:?}",
            arg("status").unwrap_or("all"),
            arg("user_id"),
            arg("api_key")
        )
        .into())
    })
}

/// Runs an agent whose model forges the user. Gives back the schema that the model saw, and what
/// the server answered.
///
/// # Errors
/// If the run fails.
pub async fn run() -> Result<(Value, String), Box<dyn Error>> {
    let forged = r#"{"status":"open","user_id":"eve"}"#;
    let model = ScriptedModel::new()
        .calls([ToolUse::new("1", "orders", forged)])
        .says("You have no open orders.");
    let agent = ReactAgent::builder(Arc::new(model.clone()))
        .tools(shop())
        .layer(
            InjectArgsLayer::new()
                .arg("user_id", |call| Some(user_of(call)?.id.into()))
                .arg("api_key", |call| Some(user_of(call)?.api_key.into())),
        )
        .build()?;
    let user = User {
        id: "user_123",
        api_key: "sk-abc",
    };
    let options = RunOptions::new().context(user);
    let output = agent.run("Do I have open orders?", options).await?;
    let requests = model.requests();
    let tools = requests.first().map(|request| &*request.tools);
    let schema = tools.and_then(|tools| Some(tools.first()?.input_schema.clone()));
    let results = &output.state.tool_results;
    let result = results.get("1").map(|result| result.text());
    Ok((schema.unwrap_or_default(), result.unwrap_or_default()))
}

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::print_stdout, reason = "an example shows what it did")]
async fn main() -> Result<(), Box<dyn Error>> {
    let (schema, result) = run().await?;
    println!("the model sees {schema}\nthe server says: {result}");
    Ok(())
}
