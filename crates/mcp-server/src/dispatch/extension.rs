//! Methods of extensions, answered by handlers of the user's own.

use std::sync::Arc;

use mcp_jsonrpc::{ErrorObject, MethodName, RawJson};
use mcp_protocol::{Feature, Meta, ResultType};
use serde_json::{Map, Value};

use super::{Answer, Answering, Call, now, object, panicked, params_of};
use crate::handler::{Ended, Function, Running, drive};
use crate::server::Shared;
use crate::{Context, RequestError};

/// What answers a method of an extension: any object.
pub(crate) type Handler = Function<Value, RequestError>;

pub(super) fn answer(server: &Arc<Shared>, call: Call, handler: &Handler) -> Answering {
    let raw = params_of(&call);
    let method = call.message.method.clone();
    let cx = Context::new(server, call, None);
    let started = object(Some(raw.as_str()), "params").and_then(|params| {
        handler(params, cx.clone()).map_err(|error| ErrorObject::invalid_params(error.to_string()))
    });
    match started {
        Ok(running) => Box::pin(finish(method, running, cx)),
        Err(error) => now(Err(error)),
    }
}

async fn finish(
    method: MethodName,
    mut running: Running<Value, RequestError>,
    cx: Context,
) -> Answer {
    let _answered = cx.until_answered();
    let result = match drive(&cx, &mut running).await {
        Ended::Done(result) => result.map_err(|error| {
            error.into_answer(&method, cx.version(), || {
                ErrorObject::invalid_params("not found")
            })
        })?,
        Ended::Panicked | Ended::Asked | Ended::WantsTask => return Err(panicked(&method)),
    };
    match result {
        Value::Object(members) => Ok(RawJson::from(Value::Object(stamp(members, &cx)))),
        _ => {
            tracing::error!(%method, "the result of a method is no object");
            Err(ErrorObject::internal("the result could not be written"))
        }
    }
}

/// Adds what the revision wants in every result, where the handler has not.
fn stamp(mut members: Map<String, Value>, cx: &Context) -> Map<String, Value> {
    let version = cx.version();
    if version.has(Feature::ResultType) {
        let complete = ResultType::Complete.as_str();
        members
            .entry("resultType")
            .or_insert_with(|| complete.into());
    }
    if version.has(Feature::ServerInfoInMeta) {
        let info = cx.server().info.clone();
        let meta = members
            .entry("_meta")
            .or_insert_with(|| Value::Object(Map::new()));
        if let Some(meta) = meta.as_object_mut() {
            meta.entry(Meta::SERVER_INFO).or_insert(info);
        }
    }
    members
}
