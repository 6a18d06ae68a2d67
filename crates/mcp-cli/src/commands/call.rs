//! `mcp call`: one tool, once.

use mcp::client::{CallOptions, PoolError};
use mcp::protocol::{CallToolParams, CallToolResult, ContentBlock, ResourceContents};
use serde_json::{Map, Value};

use crate::arguments::CallArguments;
use crate::exit::{Exit, Failure};
use crate::fleet::Fleet;
use crate::output;

/// The arguments of the call, read before anything is started.
///
/// # Errors
/// When they are no JSON object.
pub(super) fn parse(arguments: &str) -> Result<Map<String, Value>, Failure> {
    serde_json::from_str(arguments)
        .map_err(|e| Failure::usage(format!("the arguments are no JSON object: {e}")))
}

pub(super) async fn run(
    arguments: &CallArguments,
    parsed: &Map<String, Value>,
    fleet: &Fleet,
) -> Result<Exit, Failure> {
    let params = CallToolParams::new(arguments.tool.as_str())
        .with_arguments(parsed)
        .map_err(Failure::usage)?;
    let called = fleet
        .pool()
        .call_tool(&arguments.server, params, &CallOptions::new())
        .await;
    let result = called.map_err(|e| match &e {
        PoolError::UnknownServer { .. } => Failure::usage(&e),
        _ => Failure::failed(told(&e)),
    })?;
    let text = if arguments.json {
        serde_json::to_string_pretty(&result).map_err(Failure::failed)?
    } else {
        as_text(&result)
    };
    output::answer(&text);
    if result.is_error() {
        output::note(&format!("mcp: {} reported an error", arguments.tool));
        return Ok(Exit::Failed);
    }
    Ok(Exit::Done)
}

/// The error with its causes, and what the server's process wrote last.
fn told(error: &PoolError) -> String {
    let stderr = match error {
        PoolError::Connect { source, .. } => source.stderr().map(str::to_owned),
        PoolError::Call { stderr, .. } | PoolError::OutcomeUnknown { stderr, .. } => stderr.clone(),
        _ => None,
    };
    let mut text = error.chain();
    for line in stderr.iter().flat_map(|text| text.lines()) {
        text.push_str(&format!("\n    | {line}"));
    }
    text
}

/// Text as it is; of anything else what it is. Structured content where there is no other.
fn as_text(result: &CallToolResult) -> String {
    if result.content.is_empty() {
        let structured = result.structured_content.as_ref();
        return structured.map(Value::to_string).unwrap_or_default();
    }
    let parts: Vec<String> = result.content.iter().map(block).collect();
    parts.join("\n")
}

fn block(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(content) => content.text.clone(),
        ContentBlock::Image(content) => binary("image", &content.mime_type, &content.data),
        ContentBlock::Audio(content) => binary("audio", &content.mime_type, &content.data),
        ContentBlock::ResourceLink(link) => format!("[resource {} at {}]", link.name, link.uri),
        ContentBlock::Resource(content) => match &content.resource {
            ResourceContents::Text(text) => text.text.clone(),
            ResourceContents::Blob(blob) => {
                let mime_type = blob
                    .mime_type
                    .as_deref()
                    .unwrap_or("application/octet-stream");
                binary(&blob.uri, mime_type, &blob.blob)
            }
            _ => "[resource]".to_owned(),
        },
        other => format!("[content of the kind {:?}]", other.kind()),
    }
}

fn binary(what: &str, mime_type: &str, base64: &str) -> String {
    let bytes = base64.trim_end_matches('=').len() * 3 / 4;
    format!("[{what}, {mime_type}, {bytes} bytes; --json has them]")
}
