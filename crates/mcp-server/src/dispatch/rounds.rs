//! Requests that may take several rounds: `tools/call`, `prompts/get`, `resources/read`.

use std::sync::Arc;

use mcp_jsonrpc::{ErrorObject, RawJson};
use mcp_protocol::Feature;

use super::{Answer, Call, reply};
use crate::Context;
use crate::ask::{Brought, Rounds, Subject};
use crate::server::Shared;

/// Makes the context of a request, with what it brings from the round before.
pub(super) fn context(
    server: &Arc<Shared>,
    call: Call,
    params: &RawJson,
    brought: &Brought<'_>,
) -> Result<Context, ErrorObject> {
    if !call.context.version.has(Feature::InputRequired) {
        return Ok(Context::new(server, call, None));
    }
    let subject = Subject {
        method: call.message.method.clone(),
        params: params.clone(),
        principal: server
            .principal
            .as_ref()
            .and_then(|of| of(&call.extensions)),
    };
    let rounds = Rounds::begin(subject, brought, &server.seal)?;
    Ok(Context::new(server, call, Some(rounds)))
}

/// Answers with the questions of a handler that cannot go on.
pub(super) fn ask(cx: &Context) -> Answer {
    let Some(rounds) = cx.rounds() else {
        return Err(ErrorObject::internal("a question without rounds"));
    };
    reply(rounds.finish(&cx.server().seal)?, cx.server(), cx.request())
}
