//! Tools that answer by themselves: content of all kinds, progress, log messages, changes.

use std::time::Duration;

use mcp::http::StreamControl;
use mcp::protocol::sampling::CreateMessage;
use mcp::protocol::{ContentBlock, LoggingLevel, ResourceContents, Tool};
use mcp::server::{Changes, Context, NoArgs, ServerBuilder, ToolError};
use mcp::transport::Progress;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::media::{PNG, WAV};

const PAUSE: Duration = Duration::from_millis(50);

/// A tool without arguments.
pub(crate) fn tool(name: &str, description: &str) -> Tool {
    let schema = json!({"type": "object", "additionalProperties": false});
    Tool::new(name, schema).with_description(description)
}

/// The first tool has to need no arguments: some scenarios call whatever is first.
pub(crate) fn add(builder: ServerBuilder, changes: &Changes) -> ServerBuilder {
    let builder = builder.tool(
        tool("test_simple_text", "Gives a text."),
        |_: NoArgs, _: Context| async { Ok("This is a simple text response for testing.") },
    );
    let builder = content(builder);
    let builder = while_working(builder);
    schemas(triggers(builder, changes))
}

fn content(builder: ServerBuilder) -> ServerBuilder {
    builder
        .tool(
            tool("test_image_content", "Gives an image."),
            |_: NoArgs, _: Context| async { Ok(ContentBlock::image(PNG, "image/png")) },
        )
        .tool(
            tool("test_audio_content", "Gives a sound."),
            |_: NoArgs, _: Context| async { Ok(ContentBlock::audio(WAV, "audio/wav")) },
        )
        .tool(
            tool(
                "test_embedded_resource",
                "Gives a resource with its contents.",
            ),
            |_: NoArgs, _: Context| async {
                Ok(embedded(
                    "test://embedded-resource",
                    "text/plain",
                    "This is an embedded resource content.",
                ))
            },
        )
        .tool(
            tool(
                "test_multiple_content_types",
                "Gives content of several kinds.",
            ),
            |_: NoArgs, _: Context| async {
                Ok(vec![
                    ContentBlock::text("Multiple content types test:"),
                    ContentBlock::image(PNG, "image/png"),
                    embedded(
                        "test://mixed-content-resource",
                        "application/json",
                        r#"{"test":"data","value":123}"#,
                    ),
                ])
            },
        )
        .tool(
            tool("test_error_handling", "Fails."),
            |_: NoArgs, _: Context| async {
                Err::<(), _>(ToolError::new(
                    "This tool intentionally returns an error for testing",
                ))
            },
        )
}

fn embedded(uri: &str, mime_type: &str, text: &str) -> ContentBlock {
    ContentBlock::resource(ResourceContents::text(uri, text).with_mime_type(mime_type))
}

fn while_working(builder: ServerBuilder) -> ServerBuilder {
    builder
        .tool(
            tool("test_tool_with_progress", "Reports progress."),
            |_: NoArgs, cx: Context| async move {
                for done in [0.0, 50.0, 100.0] {
                    cx.progress(Progress::new(done).with_total(100.0)).await;
                    sleep(PAUSE).await;
                }
                Ok("All steps are done.")
            },
        )
        .tool(
            tool("test_tool_with_logging", "Sends log messages."),
            |_: NoArgs, cx: Context| async move {
                cx.log(LoggingLevel::Info, "Tool execution started").await;
                sleep(PAUSE).await;
                cx.log(LoggingLevel::Info, "Tool processing data").await;
                sleep(PAUSE).await;
                cx.log(LoggingLevel::Info, "Tool execution completed").await;
                Ok("Logged.")
            },
        )
        .tool(
            tool(
                "test_logging_tool",
                "Sends a log message to who asked for them.",
            ),
            |_: NoArgs, cx: Context| async move {
                cx.log(LoggingLevel::Info, "Tool was called").await;
                Ok("Called.")
            },
        )
        .tool(
            tool("test_reconnection", "Takes a moment."),
            |_: NoArgs, cx: Context| async move {
                // Where the client can come back for the answer, it is sent away for a while.
                if let Some(stream) = cx.extensions().get::<StreamControl>() {
                    stream.release(10 * PAUSE);
                }
                sleep(2 * PAUSE).await;
                Ok("Reconnection test completed.")
            },
        )
        .tool(
            tool("test_missing_capability", "Needs a client with a model."),
            |_: NoArgs, cx: Context| async move {
                cx.can_ask::<CreateMessage>()?;
                Ok("The client has a model.")
            },
        )
}

fn triggers(builder: ServerBuilder, changes: &Changes) -> ServerBuilder {
    let (tools, prompts) = (changes.clone(), changes.clone());
    builder
        .tool(
            tool(
                "test_trigger_tool_change",
                "Says that the tools have changed.",
            ),
            move |_: NoArgs, _: Context| trigger_tools(tools.clone()),
        )
        .tool(
            tool(
                "test_trigger_prompt_change",
                "Says that the prompts have changed.",
            ),
            move |_: NoArgs, _: Context| trigger_prompts(prompts.clone()),
        )
}

async fn trigger_tools(changes: Changes) -> Result<&'static str, ToolError> {
    changes.tools_changed().await;
    Ok("Said.")
}

async fn trigger_prompts(changes: Changes) -> Result<&'static str, ToolError> {
    changes.prompts_changed().await;
    Ok("Said.")
}

#[derive(Deserialize)]
struct Region {
    value: String,
}

fn schemas(builder: ServerBuilder) -> ServerBuilder {
    let marked = json!({
        "type": "object",
        "properties": {"value": {"type": "string", "x-mcp-header": "Value"}},
        "required": ["value"],
    });
    builder
        .tool(
            Tool::new("test_custom_header", marked)
                .with_description("Gives back its argument, which has a header of its own."),
            |region: Region, _: Context| async move { Ok(region.value) },
        )
        .tool(
            Tool::new("json_schema_2020_12_tool", contact_schema())
                .with_description("Has a schema with keywords of JSON Schema 2020-12."),
            |_: NoArgs, _: Context| async { Ok("Accepted.") },
        )
}

fn contact_schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            },
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {
            "properties": {"contactMethod": {"const": "phone"}},
            "required": ["contactMethod"],
        },
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": false,
    })
}
