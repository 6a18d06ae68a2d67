//! Requests that stand alone, as since 2026-07-28: checked in the order that the specification
//! gives to the errors, then run as long as the client is there.

use std::sync::Arc;

use http::{HeaderMap, StatusCode};
use mcp_jsonrpc::{ErrorCode, ErrorObject, Id, Notification, RawJson, Request, Response};
use mcp_protocol::lifecycle::stateless::{discover, missing};
use mcp_protocol::{ProtocolVersion, RequestContext, Stamp as _, SubscriptionsListenResult};

use super::Shared;
use super::answers::Answers;
use super::exchange::Exchange;
use super::notices;
use super::post::{Outcome, Post, Runs};
use super::reply::{self, Reply};
use super::running::{Running, Slot};
use crate::headers::{
    PROTOCOL_VERSION, check_mirror, check_names, check_param_headers, mismatch, name_in, required,
};

/// Whether the version header names a revision without a handshake.
pub(super) fn names_modern_version(headers: &HeaderMap) -> bool {
    required(headers, &PROTOCOL_VERSION)
        .ok()
        .and_then(|version| ProtocolVersion::parse(&version))
        .is_some_and(ProtocolVersion::is_stateless)
}

/// The header says that the request stands alone, the body does not say how.
pub(super) fn no_version(id: Id) -> Reply {
    reply::error(
        StatusCode::BAD_REQUEST,
        Some(id),
        missing("protocolVersion"),
    )
}

/// A request that was admitted: the headers have to agree with it, then its handler runs.
pub(super) fn request(post: &Post<'_>, request: Request, context: RequestContext) -> Outcome {
    let method = request.method.as_str();
    if let Err(error) = check(post, &request, method, context.version.as_str()) {
        return reply::error(StatusCode::BAD_REQUEST, Some(request.id), error).into();
    }
    if method == "server/discover" {
        return reply::single(Response::new(request.id, discovered(post)).into()).into();
    }
    let Some(slot) = Slot::take(post.shared) else {
        return reply::busy(Some(request.id)).into();
    };
    let exchange = Arc::new(Exchange::new(None));
    let task = post.start(post.incoming(request, context, &exchange), None);
    let running = Running::new(Arc::clone(&exchange), Some(task), true, slot, None);
    Outcome::Runs(Runs {
        exchange,
        running,
        answers: Answers::default(),
        json: reply::single,
    })
}

/// The answer to a subscription that the server ends.
pub(super) fn listened(shared: &Shared, id: &Id) -> Response {
    let mut result = SubscriptionsListenResult::new(id);
    // An implementation is strings, lists and maps: it always encodes.
    let info = serde_json::to_value(&shared.identity.info).ok();
    result.stamp(ProtocolVersion::LATEST, info.as_ref());
    let result = RawJson::encode(&result).map_err(|e| ErrorObject::internal(e.to_string()));
    Response::new(id.clone(), result)
}

/// A request that was not admitted. What its headers get wrong comes first where the
/// specification wants it.
pub(super) fn refusal(post: &Post<'_>, request: &Request, error: ErrorObject) -> Reply {
    let id = Some(request.id.clone());
    let (status, error) = match error.code {
        // `_meta` itself is at fault.
        ErrorCode::INVALID_PARAMS => (StatusCode::BAD_REQUEST, error),
        ErrorCode::METHOD_NOT_FOUND => {
            let mirrored = || {
                check_mirror(
                    &post.parts.headers,
                    &request.method,
                    request.params.as_ref(),
                )
            };
            match check_named_version(post, request).and_then(|()| mirrored()) {
                Ok(()) => (StatusCode::NOT_FOUND, error),
                Err(mismatch) => (StatusCode::BAD_REQUEST, mismatch),
            }
        }
        _ => match check_named_version(post, request) {
            Ok(()) => (StatusCode::BAD_REQUEST, error),
            Err(mismatch) => (StatusCode::BAD_REQUEST, mismatch),
        },
    };
    reply::error(status, id, error)
}

/// A notification; nothing is kept between requests that it could be about.
pub(super) fn notification(post: &Post<'_>, notification: Notification) -> Reply {
    // The end of the response cancels, a message has no effect.
    if &*notification.method == "notifications/cancelled" {
        return reply::accepted();
    }
    let Some(slot) = Slot::take(post.shared) else {
        return reply::busy(None);
    };
    let exchange = Arc::new(Exchange::new(None));
    exchange.outbox.finish();
    let incoming = post.notice(notification, RequestContext::default(), exchange);
    let handler = Arc::clone(&post.shared.handler);
    notices::run(&post.shared.tasks, async move {
        let _slot = slot;
        notices::handle(&handler, incoming).await;
    });
    reply::accepted()
}

fn check(
    post: &Post<'_>,
    request: &Request,
    method: &str,
    version: &str,
) -> Result<(), ErrorObject> {
    check_version(post, version)?;
    let name = name_in(method, request.params.as_ref());
    check_names(&post.parts.headers, method, name.as_deref())?;
    match name {
        Some(tool) if method == "tools/call" => check_arguments(post, request, &tool),
        // What is not params of a call, the handler refuses.
        _ => Ok(()),
    }
}

fn check_version(post: &Post<'_>, version: &str) -> Result<(), ErrorObject> {
    if required(&post.parts.headers, &PROTOCOL_VERSION)? == version {
        Ok(())
    } else {
        Err(mismatch(format!(
            "header {PROTOCOL_VERSION} differs from the body"
        )))
    }
}

fn check_arguments(post: &Post<'_>, request: &Request, tool: &str) -> Result<(), ErrorObject> {
    #[derive(serde::Deserialize)]
    struct Params {
        #[serde(default)]
        arguments: serde_json::Value,
    }
    let marked = post.shared.identity.param_headers.of(tool);
    if marked.is_empty() {
        return Ok(());
    }
    match request.params.as_ref().map(RawJson::decode::<Params>) {
        Some(Ok(params)) => check_param_headers(&post.parts.headers, &marked, &params.arguments),
        _ => Ok(()),
    }
}

/// As [`check_version`], for a revision that `_meta` names and that may not be spoken here.
fn check_named_version(post: &Post<'_>, request: &Request) -> Result<(), ErrorObject> {
    #[derive(serde::Deserialize)]
    struct Params {
        #[serde(rename = "_meta")]
        meta: Meta,
    }
    #[derive(serde::Deserialize)]
    struct Meta {
        #[serde(rename = "io.modelcontextprotocol/protocolVersion")]
        version: String,
    }
    match request.params.as_ref().map(RawJson::decode::<Params>) {
        Some(Ok(params)) => check_version(post, &params.meta.version),
        _ => Ok(()),
    }
}

fn discovered(post: &Post<'_>) -> Result<RawJson, ErrorObject> {
    RawJson::encode(&discover(&post.shared.identity))
        .map_err(|e| ErrorObject::internal(e.to_string()))
}
