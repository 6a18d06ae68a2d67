//! `logging/setLevel`.

use mcp_jsonrpc::ErrorObject;
use mcp_protocol::{EmptyResult, LoggingLevel};
use serde::Deserialize;

use super::{Answer, Call, decode, params_of, reply};
use crate::context::SessionLevel;
use crate::server::Shared;

#[derive(Deserialize)]
struct Params {
    level: LoggingLevel,
}

pub(super) fn answer(server: &Shared, call: &Call) -> Answer {
    let raw = params_of(call);
    let Params { level } = decode(&raw, &call.message.method)?;
    if level.severity().is_none() {
        return Err(ErrorObject::invalid_params(format!(
            "unknown log level: {level}"
        )));
    }
    // Without a session there is nothing to keep the level with, and no harm in that.
    if let Some(session) = &call.session {
        session.state::<SessionLevel>().set(level);
    }
    reply(EmptyResult::new(), server, &call.context)
}
