//! `resources/subscribe` and `resources/unsubscribe`, until 2025-11-25.

use std::borrow::Cow;

use mcp_jsonrpc::ErrorObject;
use mcp_protocol::EmptyResult;
use serde::Deserialize;

use super::{Answer, Call, decode, params_of, read_resource, reply};
use crate::changes::{Changes, Subscriptions};
use crate::server::Shared;

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow)]
    uri: Cow<'a, str>,
}

pub(super) fn subscribe(server: &Shared, call: &Call) -> Answer {
    let raw = params_of(call);
    let Params { uri } = decode(&raw, &call.message.method)?;
    if !server.catalog().has_resource(&uri) {
        return Err(read_resource::not_found(&uri, call.context.version));
    }
    // Without a session nobody could be told.
    let Some(session) = &call.session else {
        return Err(ErrorObject::invalid_request(
            "subscribing to a resource needs a session",
        ));
    };
    if !session.state::<Subscriptions>().add(&uri) {
        return Err(ErrorObject::invalid_request(format!(
            "a session may subscribe to {} resources at most",
            Changes::MAX_SUBSCRIPTIONS
        )));
    }
    reply(EmptyResult::new(), server, &call.context)
}

pub(super) fn unsubscribe(server: &Shared, call: &Call) -> Answer {
    let raw = params_of(call);
    let Params { uri } = decode(&raw, &call.message.method)?;
    if let Some(session) = &call.session {
        session.state::<Subscriptions>().remove(&uri);
    }
    reply(EmptyResult::new(), server, &call.context)
}
