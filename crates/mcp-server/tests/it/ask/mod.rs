//! Questions to the client, in both eras by one handler.

mod elsewhere;
mod eras;
mod offered;
mod rounds;
mod state;
mod urls;

use mcp_protocol::elicitation::{
    ElicitRequestFormParams, ElicitRequestURLParams, RequestedSchema, StringSchema,
};
use mcp_protocol::sampling::{CreateMessageParams, SamplingMessage};
use mcp_protocol::{ElicitAction, Tool};
use mcp_server::{AskError, Context, NoArgs, Server, ServerBuilder};
use serde_json::{Value, json};

use crate::rig::Client;

fn form(message: &str, field: &str) -> ElicitRequestFormParams {
    let schema = RequestedSchema::new().with_required(field, StringSchema::new());
    ElicitRequestFormParams::new(message, schema)
}

/// What the user has written into a field.
pub(crate) async fn field(cx: &Context, key: &str, name: &str) -> Result<String, AskError> {
    let answer = cx.elicit(key, form("?", name)).await?;
    let content = answer.content.unwrap_or_default();
    Ok(content
        .get(name)
        .and_then(Value::as_str)
        .unwrap_or("nobody")
        .to_owned())
}

fn tool(name: &str) -> Tool {
    Tool::new(name, json!({"type": "object"}))
}

fn builder() -> ServerBuilder {
    Server::builder("asks", "1.0.0")
        .tool(tool("greet"), |_: NoArgs, cx: Context| async move {
            Ok(format!(
                "Hello, {}!",
                field(&cx, "user_name", "name").await?
            ))
        })
        .tool(tool("two_steps"), |_: NoArgs, cx: Context| async move {
            let name = field(&cx, "step1", "name").await?;
            let color = field(&cx, "step2", "color").await?;
            Ok(format!("{name} likes {color}"))
        })
        .tool(tool("side_by_side"), |_: NoArgs, cx: Context| async move {
            let message = SamplingMessage::user("greet");
            let (name, greeting, roots) = tokio::join!(
                field(&cx, "user_name", "name"),
                cx.sample("greeting", CreateMessageParams::new(vec![message], 50)),
                cx.roots(),
            );
            greeting?;
            Ok(format!("{} in {}", name?, roots?[0].uri))
        })
        .tool(tool("open"), |_: NoArgs, cx: Context| async move {
            let url = ElicitRequestURLParams::new("Sign in", "https://example.com");
            let answer = cx.elicit("open", url).await?;
            Ok((answer.action == ElicitAction::Accept).to_string())
        })
}

fn server() -> Server {
    builder().build()
}

fn all() -> Value {
    json!({"elicitation": {}, "sampling": {}, "roots": {}})
}

/// A client of the newest revision that answers questions round by round.
async fn round(client: &Client, name: &str, answers: Value, state: Option<&Value>) -> Value {
    let mut params = json!({"name": name});
    params["inputResponses"] = answers;
    if let Some(state) = state {
        params["requestState"] = state.clone();
    }
    client.request("tools/call", params).await.unwrap()
}

fn accept(content: impl Into<Value>) -> Value {
    let content: Value = content.into();
    json!({"action": "accept", "content": content})
}
