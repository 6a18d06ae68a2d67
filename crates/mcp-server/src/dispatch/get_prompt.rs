//! `prompts/get`.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use mcp_jsonrpc::ErrorObject;
use mcp_protocol::GetPromptResult;
use serde::Deserialize;

use super::{Answer, Answering, Call, decode, now, object, params_of, reply, rounds, text};
use crate::ask::Brought;
use crate::handler::{Ended, Running, drive};
use crate::prompt::PromptEntry;
use crate::server::Shared;
use crate::{Context, RequestError};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "text")]
    arguments: Option<&'a str>,
    #[serde(borrow, default, deserialize_with = "text")]
    input_responses: Option<&'a str>,
    #[serde(default)]
    request_state: Option<String>,
}

pub(super) fn answer(server: &Arc<Shared>, call: Call) -> Answering {
    begin(server, call).unwrap_or_else(|error| now(Err(error)))
}

fn begin(server: &Arc<Shared>, call: Call) -> Result<Answering, ErrorObject> {
    let raw = params_of(&call);
    let params: Params<'_> = decode(&raw, &call.message.method)?;
    let unknown = || ErrorObject::invalid_params(format!("unknown prompt: {}", params.name));
    let catalog = server.catalog();
    let entry = catalog.prompts.get(&params.name).ok_or_else(unknown)?;
    let arguments = object(params.arguments, "arguments")?;
    complete(entry, arguments)?;
    let brought = Brought {
        input_responses: params.input_responses,
        request_state: params.request_state.as_deref(),
    };
    let cx = rounds::context(server, call, &raw, &brought)?;
    let running = (entry.handler)(arguments, cx.clone())
        .map_err(|error| ErrorObject::invalid_params(error.to_string()))?;
    Ok(Box::pin(finish(Arc::clone(entry), running, cx)))
}

/// Checks that the arguments are strings, and that none is missing.
fn complete(entry: &PromptEntry, arguments: &str) -> Result<(), ErrorObject> {
    let given: HashMap<Cow<'_, str>, String> = serde_json::from_str(arguments)
        .map_err(|error| ErrorObject::invalid_params(format!("invalid arguments: {error}")))?;
    match entry.missing(|name| given.contains_key(name)) {
        Some(name) => Err(ErrorObject::invalid_params(format!(
            "the prompt {} needs the argument `{name}`",
            entry.prompt.name
        ))),
        None => Ok(()),
    }
}

async fn finish(
    entry: Arc<PromptEntry>,
    mut running: Running<GetPromptResult, RequestError>,
    cx: Context,
) -> Answer {
    let _answered = cx.until_answered();
    let name = &entry.prompt.name;
    let result = match drive(&cx, &mut running).await {
        Ended::Done(result) => result.map_err(|error| {
            error.into_answer(name, cx.version(), || {
                ErrorObject::invalid_params(format!("unknown prompt: {name}"))
            })
        })?,
        Ended::Panicked | Ended::WantsTask => return Err(super::panicked(name)),
        Ended::Asked => return rounds::ask(&cx),
    };
    reply(result, cx.server(), cx.request())
}
