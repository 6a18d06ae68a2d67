//! GET: the stream for what the server sends of its own accord, in the handshake era.

use http::StatusCode;
use http::request::Parts;
use mcp_protocol::Feature;

use super::Shared;
use super::body::EventBody;
use super::place::{named_version, session};
use super::replay::{LANE, parse_event_id};
use super::reply::{self, Reply};
use super::session::InUse;
use super::stateless::names_modern_version;
use crate::headers::{LAST_EVENT_ID, accepted};

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
        Ok(in_use) => open(shared, parts, in_use),
        Err(lost) => lost.reply(),
    }
}

fn open(shared: &Shared, parts: &Parts, in_use: InUse) -> Reply {
    let period = shared.options.keep_alive;
    let keeps = shared.options.replay_per_stream > 0;
    let label = keeps.then_some(LANE);
    let last_id = parts.headers.get(LAST_EVENT_ID).filter(|_| keeps);
    let body = match last_id.map(|id| id.to_str().ok().and_then(parse_event_id)) {
        None => {
            let primes = in_use.session().context.version.has(Feature::HttpPolling);
            let reader = in_use.session().lane.attach();
            let body = EventBody::session(in_use, reader, label, period);
            if primes { body.primed() } else { body }
        }
        Some(Some((LANE, number))) => match in_use.session().lane.attach_after(number) {
            Some(reader) => EventBody::session(in_use, reader, label, period),
            None => return unknown_event(),
        },
        Some(Some((label, number))) => {
            let stream = in_use.session().stream(label);
            match stream.and_then(|s| s.outbox.attach_after(number).map(|reader| (s, reader))) {
                Some((s, reader)) => EventBody::resumed(s, reader, label, in_use, period),
                None => return unknown_event(),
            }
        }
        Some(None) => return unknown_event(),
    };
    reply::events(body)
}

/// Not 404, which would mean that the session is lost.
fn unknown_event() -> Reply {
    reply::refuse(
        StatusCode::BAD_REQUEST,
        "nothing is left to resume behind this event",
    )
}
