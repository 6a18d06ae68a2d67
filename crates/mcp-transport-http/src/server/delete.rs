//! DELETE: the client ends its session.

use http::StatusCode;
use http::request::Parts;

use super::Shared;
use super::place::{named_version, session};
use super::reply::{self, Reply};
use super::stateless::names_modern_version;

pub(super) fn handle(shared: &Shared, parts: &Parts) -> Reply {
    if !shared.has_sessions() || names_modern_version(&parts.headers) {
        return reply::not_allowed("POST");
    }
    if let Err(error) = named_version(shared, parts) {
        return reply::error(StatusCode::BAD_REQUEST, None, error);
    }
    match session(shared, parts) {
        Ok(in_use) => {
            shared.sessions.remove(in_use.session());
            reply::empty(StatusCode::NO_CONTENT)
        }
        Err(lost) => lost.reply(),
    }
}
