//! Tools and a prompt that ask the client: its user, its model, its roots.

mod forms;

use mcp::protocol::elicitation::{
    BooleanSchema, ElicitRequestFormParams, RequestedSchema, StringSchema,
};
use mcp::protocol::sampling::{CreateMessageParams, CreateMessageResult, SamplingMessage};
use mcp::protocol::{ElicitResult, Prompt, Tool};
use mcp::server::{AskError, Context, NoArgs, ServerBuilder, ToolError};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tools::tool;

pub(crate) fn add(builder: ServerBuilder) -> ServerBuilder {
    prompt(many_questions(one_question(any_era(forms::add(builder)))))
}

#[derive(Deserialize)]
struct Ask {
    prompt: String,
}

#[derive(Deserialize)]
struct Message {
    message: String,
}

fn needs(name: &str, description: &str, argument: &str) -> Tool {
    let schema = json!({
        "type": "object",
        "properties": {argument: {"type": "string"}},
        "required": [argument],
    });
    Tool::new(name, schema).with_description(description)
}

/// A form with one text that must be filled in.
pub(crate) fn form(message: &str, field: &str) -> ElicitRequestFormParams {
    let schema = RequestedSchema::new().with_required(field, StringSchema::new());
    ElicitRequestFormParams::new(message, schema)
}

fn question(text: &str, max_tokens: u64) -> CreateMessageParams {
    CreateMessageParams::new(vec![SamplingMessage::user(text)], max_tokens)
}

pub(crate) fn field<'a>(answer: &'a ElicitResult, name: &str) -> &'a str {
    let content = answer.content.as_ref();
    content
        .and_then(|content| content.get(name))
        .and_then(Value::as_str)
        .unwrap_or("nobody")
}

/// All that the model has said.
fn spoken(answer: &CreateMessageResult) -> String {
    serde_json::to_value(&answer.content)
        .ok()
        .and_then(|content| content.get("text")?.as_str().map(str::to_owned))
        .unwrap_or_default()
}

fn any_era(builder: ServerBuilder) -> ServerBuilder {
    builder
        .tool(
            needs("test_sampling", "Asks the client's model.", "prompt"),
            |ask: Ask, cx: Context| async move {
                let answer = cx.sample("prompt", question(&ask.prompt, 100)).await?;
                Ok(format!("LLM response: {}", spoken(&answer)))
            },
        )
        .tool(
            needs("test_elicitation", "Asks the client's user.", "message"),
            |ask: Message, cx: Context| async move {
                let schema = RequestedSchema::new()
                    .with_required("username", StringSchema::new())
                    .with_required("email", StringSchema::new());
                let form = ElicitRequestFormParams::new(ask.message, schema);
                let answer = cx.elicit("user", form).await?;
                Ok(format!("User response: {}", answer.action))
            },
        )
        .tool(
            tool(
                "test_streaming_elicitation",
                "Asks the client's user something.",
            ),
            |_: NoArgs, cx: Context| async move {
                let answer = cx.elicit("user", form("Who are you?", "name")).await?;
                Ok(format!("Hello, {}!", field(&answer, "name")))
            },
        )
}

fn one_question(builder: ServerBuilder) -> ServerBuilder {
    builder
        .tool(
            tool("test_input_required_result_elicitation", "Asks for a name."),
            |_: NoArgs, cx: Context| async move {
                let answer = cx
                    .elicit("user_name", form("What is your name?", "name"))
                    .await?;
                Ok(format!("Hello, {}!", field(&answer, "name")))
            },
        )
        .tool(
            tool("test_input_required_result_sampling", "Asks the model."),
            |_: NoArgs, cx: Context| async move {
                let question = question("What is the capital of France?", 100);
                Ok(spoken(&cx.sample("capital_question", question).await?))
            },
        )
        .tool(
            tool(
                "test_input_required_result_list_roots",
                "Asks for the roots.",
            ),
            |_: NoArgs, cx: Context| async move {
                let roots = cx.roots().await?;
                let uris: Vec<String> = roots.into_iter().map(|root| root.uri).collect();
                Ok(format!("Roots: {}", uris.join(", ")))
            },
        )
        .tool(
            tool(
                "test_input_required_result_capabilities",
                "Asks what it may ask.",
            ),
            |_: NoArgs, cx: Context| ask_what_is_offered(cx),
        )
}

async fn ask_what_is_offered(cx: Context) -> Result<String, ToolError> {
    match cx
        .elicit("user_name", form("What is your name?", "name"))
        .await
    {
        Err(AskError::NotOffered { .. }) => {}
        answer => return Ok(field(&answer?, "name").to_owned()),
    }
    Ok(spoken(
        &cx.sample("greeting", question("Say hello.", 50)).await?,
    ))
}

/// A form that is sent or not.
pub(crate) fn confirm(message: &str, field: &str) -> ElicitRequestFormParams {
    let schema = RequestedSchema::new().with_required(field, BooleanSchema::new());
    ElicitRequestFormParams::new(message, schema)
}

fn many_questions(builder: ServerBuilder) -> ServerBuilder {
    builder
        .tool(
            tool(
                "test_input_required_result_request_state",
                "Remembers between rounds.",
            ),
            |_: NoArgs, cx: Context| async move {
                let state = cx.once("state", || async { "state-ok".to_owned() }).await;
                let answer = cx
                    .elicit("confirm", confirm("Please confirm", "ok"))
                    .await?;
                Ok(format!("{state}: {}", answer.action))
            },
        )
        .tool(
            tool(
                "test_input_required_result_tampered_state",
                "Refuses a changed state.",
            ),
            |_: NoArgs, cx: Context| async move {
                cx.once("state", || async { "sealed".to_owned() }).await;
                let answer = cx
                    .elicit("confirm", confirm("Please confirm", "ok"))
                    .await?;
                Ok(format!("Confirmed: {}", answer.action))
            },
        )
        .tool(
            tool(
                "test_input_required_result_multiple_inputs",
                "Asks three things at once.",
            ),
            |_: NoArgs, cx: Context| ask_three(cx),
        )
        .tool(
            tool(
                "test_input_required_result_multi_round",
                "Asks two things in turn.",
            ),
            |_: NoArgs, cx: Context| ask_in_turn(cx),
        )
}

async fn ask_three(cx: Context) -> Result<String, ToolError> {
    cx.once("begun", || async { true }).await;
    let (name, greeting, roots) = tokio::join!(
        cx.elicit("user_name", form("What is your name?", "name")),
        cx.sample("greeting", question("Generate a greeting.", 50)),
        cx.roots(),
    );
    let (name, greeting, roots) = (name?, greeting?, roots?);
    let count = roots.len();
    let name = field(&name, "name");
    Ok(format!("{name}, {}, {count} roots", spoken(&greeting)))
}

async fn ask_in_turn(cx: Context) -> Result<String, ToolError> {
    cx.once("begun", || async { true }).await;
    let name = cx
        .elicit("step1", form("Step 1: what is your name?", "name"))
        .await?;
    let color = cx
        .elicit("step2", form("Step 2: which color do you like?", "color"))
        .await?;
    let (name, color) = (field(&name, "name"), field(&color, "color"));
    Ok(format!("{name} likes {color}"))
}

fn prompt(builder: ServerBuilder) -> ServerBuilder {
    builder.prompt(
        Prompt::new("test_input_required_result_prompt")
            .with_description("Asks the user for the context."),
        |_: NoArgs, cx: Context| async move {
            let form = form("What context should the prompt use?", "context");
            let answer = cx.elicit("user_context", form).await?;
            Ok(format!("Use this context: {}", field(&answer, "context")))
        },
    )
}
