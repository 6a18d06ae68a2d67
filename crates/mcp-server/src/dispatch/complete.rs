//! `completion/complete`.

use std::sync::Arc;

use mcp_jsonrpc::ErrorObject;
use mcp_protocol::{CompleteParams, CompleteResult, Completion, CompletionReference};

use super::{Answer, Answering, Call, decode, now, params_of, reply};
use crate::handler::{Ended, Running, drive};
use crate::server::Shared;
use crate::{Context, RequestError};

pub(super) fn answer(server: &Arc<Shared>, call: Call) -> Answering {
    begin(server, call).unwrap_or_else(|error| now(Err(error)))
}

fn begin(server: &Arc<Shared>, call: Call) -> Result<Answering, ErrorObject> {
    let raw = params_of(&call);
    let params: CompleteParams = decode(&raw, &call.message.method)?;
    check(server, &params)?;
    let Some(completer) = &server.completer else {
        return Err(ErrorObject::method_not_found(&call.message.method));
    };
    let cx = Context::new(server, call, None);
    Ok(Box::pin(finish(completer(params, cx.clone()), cx)))
}

/// Checks that what is to be completed exists.
fn check(server: &Shared, params: &CompleteParams) -> Result<(), ErrorObject> {
    let catalog = server.catalog();
    let unknown = |what, name| {
        Err(ErrorObject::invalid_params(format!(
            "unknown {what}: {name}"
        )))
    };
    match &params.reference {
        CompletionReference::Prompt(prompt) if catalog.prompts.get(&prompt.name).is_none() => {
            unknown("prompt", &prompt.name)
        }
        CompletionReference::ResourceTemplate(template)
            if catalog.templates.get(&template.uri).is_none()
                && catalog.resources.get(&template.uri).is_none() =>
        {
            unknown("resource template", &template.uri)
        }
        CompletionReference::Prompt(_) | CompletionReference::ResourceTemplate(_) => Ok(()),
        _ => Err(ErrorObject::invalid_params("unknown kind of reference")),
    }
}

async fn finish(mut running: Running<Completion, RequestError>, cx: Context) -> Answer {
    let _answered = cx.until_answered();
    let subject = "completion";
    let completion = match drive(&cx, &mut running).await {
        Ended::Done(result) => result.map_err(|error| {
            error.into_answer(subject, cx.version(), || {
                ErrorObject::invalid_params("nothing to complete")
            })
        })?,
        Ended::Panicked | Ended::WantsTask => return Err(super::panicked(subject)),
        // A completion has no rounds to ask in.
        Ended::Asked => return Err(ErrorObject::internal("a completion cannot ask")),
    };
    let result = CompleteResult::new(limited(completion));
    reply(result, cx.server(), cx.request())
}

/// A result made by hand may hold more values than the protocol allows.
fn limited(mut completion: Completion) -> Completion {
    if completion.values.len() > Completion::MAX_VALUES {
        let all = || u64::try_from(completion.values.len()).ok();
        completion.total = completion.total.or_else(all);
        completion.values.truncate(Completion::MAX_VALUES);
        completion.has_more = Some(true);
    }
    completion
}
