//! `tools/call`.

use std::borrow::Cow;
use std::sync::Arc;

use mcp_jsonrpc::ErrorObject;
use mcp_protocol::CallToolResult;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Answer, Answering, Call, decode, now, object, reply, rounds, take_params};
use crate::ask::Brought;
use crate::handler::{Ended, Running, drive};
use crate::server::Shared;
use crate::tool::ToolEntry;
use crate::{Context, ToolError};

/// Borrows from the request, so that arguments are copied only into their own type.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    input_responses: Option<&'a RawValue>,
    #[serde(default)]
    request_state: Option<String>,
}

pub(super) fn answer(server: &Arc<Shared>, call: Call) -> Answering {
    begin(server, call).unwrap_or_else(|error| now(Err(error)))
}

fn begin(server: &Arc<Shared>, mut call: Call) -> Result<Answering, ErrorObject> {
    let raw = take_params(&mut call);
    let params: Params<'_> = decode(&raw, &call.message.method)?;
    let unknown = || ErrorObject::invalid_params(format!("unknown tool: {}", params.name));
    let catalog = server.catalog();
    let entry = catalog.tools.get(&params.name).ok_or_else(unknown)?;
    let arguments = object(params.arguments, "arguments")?;
    let brought = Brought {
        input_responses: params.input_responses,
        request_state: params.request_state.as_deref(),
    };
    let cx = rounds::context(server, call, &raw, &brought)?;
    if let Some(validator) = &server.validator
        && let Some(fault) = entry.check_arguments(arguments, &**validator)?
    {
        return Ok(now(write(CallToolResult::error(fault), &cx)));
    }
    Ok(match (entry.handler)(arguments, cx.clone()) {
        Ok(running) => Box::pin(finish(Arc::clone(entry), running, cx)),
        Err(error) => now(write(CallToolResult::error(error.to_string()), &cx)),
    })
}

async fn finish(
    entry: Arc<ToolEntry>,
    running: Running<CallToolResult, ToolError>,
    cx: Context,
) -> Answer {
    let result = match drive(&cx, running).await {
        Ended::Done(Ok(result)) => match &cx.server().validator {
            Some(validator) => entry.check_result(result, &**validator)?,
            None => result,
        },
        Ended::Done(Err(error)) => error.into_answer()?,
        Ended::Panicked => {
            tracing::error!(tool = entry.tool.name, "a tool panicked");
            CallToolResult::error(format!("the tool {} failed", entry.tool.name))
        }
        Ended::Asked => return rounds::ask(&cx),
    };
    write(result, &cx)
}

fn write(mut result: CallToolResult, cx: &Context) -> Answer {
    if let (Some(value), true) = (&result.structured_content, result.content.is_empty()) {
        // For models, and for clients that look at content only.
        result.content.push(value.to_string().into());
    }
    reply(result, cx.server(), cx.request())
}
