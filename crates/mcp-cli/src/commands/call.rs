//! `mcp call`: one tool, once.

use std::io::{self, Read as _};

use mcp::client::CallOptions;
use mcp::protocol::{CallToolParams, CallToolResult};
use serde_json::{Map, Value};

use super::content;
use crate::arguments::CallArguments;
use crate::exit::{Exit, Failure};
use crate::fleet::Fleet;
use crate::output;
use crate::shown;

/// The most that is read of arguments on standard input, in bytes: the longest line that a server
/// of ours takes.
const MAX_INPUT: u64 = 32 * 1024 * 1024;

/// The arguments of the call, read before anything is started. `-` stands for standard input, for
/// what a command line has no room for.
///
/// # Errors
/// When they are no JSON object.
pub(super) fn parse(arguments: &str) -> Result<Map<String, Value>, Failure> {
    let read = match arguments {
        "-" => Some(input()?),
        _ => None,
    };
    serde_json::from_str(read.as_deref().unwrap_or(arguments))
        .map_err(|e| Failure::usage(format!("the arguments are no JSON object: {e}")))
}

fn input() -> Result<String, Failure> {
    let mut text = String::new();
    let read = io::stdin().take(MAX_INPUT + 1).read_to_string(&mut text);
    match read {
        Ok(bytes) if bytes as u64 <= MAX_INPUT => Ok(text),
        Ok(_) => Err(Failure::usage(format!(
            "the arguments on standard input are too long, at most {MAX_INPUT} bytes are read"
        ))),
        Err(e) => Err(Failure::usage(format!(
            "the arguments on standard input cannot be read: {e}"
        ))),
    }
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
    let result = called.map_err(|e| content::failure(&e))?;
    let text = if arguments.json {
        shown::json(&result)?
    } else {
        as_text(&result)
    };
    output::content(&text);
    if result.is_error() {
        output::note(&format!("mcp: {} reported an error", arguments.tool));
        return Ok(Exit::Failed);
    }
    Ok(Exit::Done)
}

/// Text as it is; of anything else what it is. Structured content where there is no other.
fn as_text(result: &CallToolResult) -> String {
    if result.content.is_empty() {
        let structured = result.structured_content.as_ref();
        return structured.map(Value::to_string).unwrap_or_default();
    }
    content::blocks(&result.content)
}
