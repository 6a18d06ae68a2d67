//! `tools/call`.

mod task;

use std::borrow::Cow;
use std::future::ready;
use std::sync::Arc;

use mcp_jsonrpc::{ErrorObject, RawJson};
use mcp_protocol::CallToolResult;
use serde::Deserialize;

use super::{Answer, Answering, Call, decode, now, object, params_of, reply, rounds, text};
use crate::ask::Brought;
use crate::handler::{Ended, Running, drive};
use crate::server::Shared;
use crate::tool::ToolEntry;
use crate::{Context, ToolError};

type RunningTool = Running<CallToolResult, ToolError>;

/// Borrows from the request, so that arguments are copied only into their own type.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "text")]
    arguments: Option<&'a str>,
    #[serde(borrow, default, deserialize_with = "text")]
    task: Option<&'a str>,
    #[serde(borrow, default, deserialize_with = "text")]
    input_responses: Option<&'a str>,
    #[serde(default)]
    request_state: Option<String>,
}

impl<'a> Params<'a> {
    /// The params as most calls have them: whatever is written in another way, or wrong, is left
    /// to the decoder.
    fn pick(raw: &'a RawJson) -> Option<Self> {
        let members = raw.pick([
            "name",
            "arguments",
            "task",
            "inputResponses",
            "requestState",
        ])?;
        let members = members.map(|value| value.filter(|value| *value != "null"));
        let [name, arguments, task, input_responses, None] = members else {
            return None;
        };
        let name = name?.strip_prefix('"')?.strip_suffix('"')?;
        (!name.contains('\\')).then_some(Self {
            name: name.into(),
            arguments,
            task,
            input_responses,
            request_state: None,
        })
    }
}

pub(super) fn answer(server: &Arc<Shared>, call: Call) -> Answering {
    begin(server, call).unwrap_or_else(|error| now(Err(error)))
}

fn begin(server: &Arc<Shared>, call: Call) -> Result<Answering, ErrorObject> {
    let raw = params_of(&call);
    let params = match Params::pick(&raw) {
        Some(params) => params,
        None => decode(&raw, &call.message.method)?,
    };
    let unknown = || ErrorObject::invalid_params(format!("unknown tool: {}", params.name));
    let catalog = server.catalog();
    let entry = catalog.tools.get(&params.name).ok_or_else(unknown)?;
    let arguments = object(params.arguments, "arguments")?;
    let task = task::asked_for(server, &call, &entry.tool, params.task)?;
    let brought = Brought {
        input_responses: params.input_responses,
        request_state: params.request_state.as_deref(),
    };
    let cx = rounds::context(server, call, &raw, &brought)?;
    let running = start(entry, arguments, &cx)?;
    let entry = Arc::clone(entry);
    Ok(match task {
        Some(wanted) => now(task::begin(entry, running, cx, &wanted)),
        None => Box::pin(finish(entry, running, cx)),
    })
}

/// Begins the call of a tool. Arguments that do not fit are what it ends with at once.
fn start(entry: &ToolEntry, arguments: &str, cx: &Context) -> Result<RunningTool, ErrorObject> {
    let failed = |why: String| -> RunningTool { Box::pin(ready(Ok(CallToolResult::error(why)))) };
    if let Some(validator) = &cx.server().validator
        && let Some(fault) = entry.check_arguments(arguments, &**validator)?
    {
        return Ok(failed(fault));
    }
    let started = (entry.handler)(arguments, cx.clone());
    Ok(started.unwrap_or_else(|error| failed(error.to_string())))
}

async fn finish(entry: Arc<ToolEntry>, mut running: RunningTool, cx: Context) -> Answer {
    let answered = cx.until_answered();
    if cx.server().tasks.is_some() {
        cx.allow_task();
    }
    loop {
        match drive(&cx, &mut running).await {
            Ended::Asked => return rounds::ask(&cx),
            Ended::WantsTask => {
                if let Some(work) = task::decide(&cx) {
                    return task::detach(entry, running, cx, work, answered);
                }
            }
            ended => return write(outcome(&entry, ended, &cx)?, &cx),
        }
    }
}

/// What the call of a tool has come to.
fn outcome(
    entry: &ToolEntry,
    ended: Ended<CallToolResult, ToolError>,
    cx: &Context,
) -> Result<CallToolResult, ErrorObject> {
    let mut result = match ended {
        Ended::Done(Ok(result)) => match &cx.server().validator {
            Some(validator) => entry.check_result(result, &**validator)?,
            None => result,
        },
        Ended::Done(Err(error)) => error.into_answer(cx.version())?,
        Ended::Panicked | Ended::Asked | Ended::WantsTask => {
            tracing::error!(tool = entry.tool.name, "a tool panicked");
            CallToolResult::error(format!("the tool {} failed", entry.tool.name))
        }
    };
    if let (Some(value), true) = (&result.structured_content, result.content.is_empty()) {
        // For models, and for clients that look at content only.
        result.content.push(value.to_string().into());
    }
    Ok(result)
}

fn write(result: CallToolResult, cx: &Context) -> Answer {
    reply(result, cx.server(), cx.request())
}
