//! What the client does in each scenario.

use mcp::Session;
use mcp::client::CallOptions;
use mcp::protocol::{CallToolParams, CallToolResult, GetPromptParams};
use serde_json::{Value, json};

use crate::Result;

/// Does what a scenario is about.
pub(crate) async fn run(session: &Session, scenario: &str, context: &Value) -> Result<()> {
    match scenario {
        "initialize" | "request-metadata" | "json-schema-ref-no-deref" => {
            session.list_tools().await?;
        }
        "tools_call" => {
            session.list_tools().await?;
            call(session, "add_numbers", json!({"a": 5, "b": 3})).await?;
        }
        "elicitation-sep1034-client-defaults" => {
            call(session, "test_client_elicitation_defaults", json!({})).await?;
        }
        "sse-retry" => {
            call(session, "test_reconnection", json!({})).await?;
        }
        "sep-2322-client-request-state" => rounds(session).await?,
        "http-standard-headers" => everything(session).await?,
        "http-custom-headers" => calls(session, context).await?,
        "http-invalid-tool-headers" => valid_tools(session).await?,
        "json-schema-2020-12-preservation" => schema(session).await?,
        other => return Err(format!("nothing is known of scenario {other}").into()),
    }
    Ok(())
}

async fn call(session: &Session, tool: &str, arguments: Value) -> Result<CallToolResult> {
    let params = CallToolParams::new(tool).with_arguments(&arguments)?;
    Ok(session.call_tool(params, &CallOptions::new()).await?)
}

/// Tools that ask for input, with and without state.
async fn rounds(session: &Session) -> Result<()> {
    session.list_tools().await?;
    for tool in [
        "test_mrtr_echo_state",
        "test_mrtr_unrelated",
        "test_mrtr_no_state",
        "test_mrtr_no_result_type",
    ] {
        call(session, tool, json!({})).await?;
    }
    Ok(())
}

/// Every kind of request that a header is about.
async fn everything(session: &Session) -> Result<()> {
    for tool in &session.list_tools().await?.items {
        call(session, &tool.name, json!({})).await?;
    }
    for resource in &session.list_resources().await?.items {
        session
            .read_resource(&resource.uri, &CallOptions::new())
            .await?;
    }
    for prompt in &session.list_prompts().await?.items {
        let params = GetPromptParams::new(&prompt.name);
        session.get_prompt(params, &CallOptions::new()).await?;
    }
    Ok(())
}

/// The calls that the suite asks for.
async fn calls(session: &Session, context: &Value) -> Result<()> {
    session.list_tools().await?;
    let asked = context.get("toolCalls").and_then(Value::as_array);
    for asked in asked.into_iter().flatten() {
        let name = asked.get("name").and_then(Value::as_str);
        let arguments = asked.get("arguments").cloned().unwrap_or_default();
        call(session, name.ok_or("a call without a name")?, arguments).await?;
    }
    Ok(())
}

/// All tools that are left when those with broken headers are dropped.
async fn valid_tools(session: &Session) -> Result<()> {
    for tool in &session.list_tools().await?.items {
        call(session, &tool.name, json!({"region": "us-west1"})).await?;
    }
    Ok(())
}

/// Sends a schema back as it came.
async fn schema(session: &Session) -> Result<()> {
    let tools = session.list_tools().await?;
    let tool = tools
        .items
        .iter()
        .find(|tool| tool.name == "json_schema_2020_12_tool");
    let schema = &tool.ok_or("the tool is not there")?.input_schema;
    call(session, "json_schema_echo", json!({"schema": schema})).await?;
    Ok(())
}
