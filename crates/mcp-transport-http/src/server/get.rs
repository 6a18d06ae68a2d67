//! GET: the stream for what the server sends of its own accord, in the handshake era.

use http::StatusCode;
use http::request::Parts;

use super::Shared;
use super::body::EventBody;
use super::place::{named_version, session};
use super::reply::{self, Reply};
use super::stateless::names_modern_version;
use crate::headers::accepted;

pub(super) fn handle(shared: &Shared, parts: &Parts) -> Reply {
    if !shared.has_sessions() || names_modern_version(&parts.headers) {
        return reply::not_allowed("POST");
    }
    if !accepted(&parts.headers).1 {
        return reply::refuse(
            StatusCode::NOT_ACCEPTABLE,
            "the answer is text/event-stream",
        );
    }
    if let Err(error) = named_version(shared, parts) {
        return reply::error(StatusCode::BAD_REQUEST, None, error);
    }
    match session(shared, parts) {
        Ok(in_use) => reply::events(EventBody::session(in_use, shared.options.keep_alive)),
        Err(lost) => lost.reply(),
    }
}
