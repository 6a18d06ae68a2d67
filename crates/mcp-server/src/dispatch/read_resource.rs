//! `resources/read`.

use std::borrow::Cow;
use std::sync::Arc;

use mcp_jsonrpc::{ErrorCode, ErrorObject};
use mcp_protocol::error_code::RESOURCE_NOT_FOUND;
use mcp_protocol::{Feature, ProtocolVersion, ReadResourceResult};
use serde::{Deserialize, Serialize};

use super::{Answer, Answering, Call, decode, now, params_of, reply, rounds, text};
use crate::ask::Brought;
use crate::handler::{Ended, Running, drive};
use crate::resource::Source;
use crate::server::Shared;
use crate::{Context, RequestError};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params<'a> {
    #[serde(borrow)]
    uri: Cow<'a, str>,
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
    let uri = &*params.uri;
    let brought = Brought {
        input_responses: params.input_responses,
        request_state: params.request_state.as_deref(),
    };
    let catalog = server.catalog();
    if let Some(entry) = catalog.resources.get(uri) {
        return Ok(match &entry.source {
            Source::Fixed(fixed) => now(fixed.answers.get(call.context.version, || {
                reply(fixed.result.clone(), server, &call.context)
            })),
            Source::Handler(handler) => {
                let cx = rounds::context(server, call, &raw, &brought)?;
                let running = handler((), cx.clone());
                Box::pin(finish(uri.to_owned(), running, cx))
            }
        });
    }
    let Some((entry, vars)) = catalog.template_of(uri) else {
        return Err(not_found(uri, call.context.version));
    };
    let cx = rounds::context(server, call, &raw, &brought)?;
    let running = (entry.handler)((uri.to_owned(), vars), cx.clone());
    Ok(Box::pin(finish(uri.to_owned(), running, cx)))
}

async fn finish(
    uri: String,
    mut running: Running<ReadResourceResult, RequestError>,
    cx: Context,
) -> Answer {
    let _answered = cx.until_answered();
    let result = match drive(&cx, &mut running).await {
        Ended::Done(result) => result.map_err(|error| {
            error.into_answer(&uri, cx.version(), || not_found(&uri, cx.version()))
        })?,
        Ended::Panicked | Ended::WantsTask => return Err(super::panicked(&uri)),
        Ended::Asked => return rounds::ask(&cx),
    };
    reply(result, cx.server(), cx.request())
}

/// The error about a resource that does not exist: its code depends on the revision.
pub(super) fn not_found(uri: &str, version: ProtocolVersion) -> ErrorObject {
    #[derive(Serialize)]
    struct Data<'a> {
        uri: &'a str,
    }
    let code = if version.has(Feature::ResourceNotFoundCode) {
        RESOURCE_NOT_FOUND
    } else {
        ErrorCode::INVALID_PARAMS
    };
    let error = ErrorObject::new(code, "resource not found");
    // A string always encodes.
    error.clone().with_data(&Data { uri }).unwrap_or(error)
}
