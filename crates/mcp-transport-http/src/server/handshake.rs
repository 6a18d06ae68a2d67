//! POSTs of the handshake era: each names its session.

use std::sync::Arc;

use http::StatusCode;
use mcp_jsonrpc::{DecodeError, ErrorObject, Message, Notification, RawJson, Request, Response};
use mcp_protocol::lifecycle::method_exists;
use mcp_protocol::{CancelledParams, ProgressToken};

use super::answers::Answers;
use super::exchange::Exchange;
use super::initialize::initialize;
use super::notices;
use super::place::Place;
use super::post::{Outcome, Post, Runs};
use super::reply::{self, Reply};
use super::running::{Running, Slot, Task};
use super::stateless::names_modern_version;
use crate::progress::PROGRESS;

/// A request that carries no revision of its own.
pub(super) fn request(post: &Post<'_>, request: Request, token: Option<ProgressToken>) -> Outcome {
    if &*request.method == "initialize" {
        return initialize(post, &request).into();
    }
    let id = Some(request.id.clone());
    let mut place = match Place::find(post, id.as_ref()) {
        Ok(place) => place,
        Err(refusal) => return (*refusal).into(),
    };
    let Some(slot) = Slot::take(post.shared) else {
        return reply::busy(id).into();
    };
    let exchange = Arc::new(Exchange::new(place.session().cloned()));
    let task = match start(post, &place, request, token, &exchange) {
        Started::Running(task) => task,
        Started::Answered(answer) => return single(answer.into()).into(),
        Started::Twice(error) => return reply::error(StatusCode::BAD_REQUEST, id, error).into(),
    };
    let running = Running::new(
        Arc::clone(&exchange),
        Some(task),
        false,
        slot,
        place.in_use.take(),
    );
    Outcome::Runs(Runs {
        exchange,
        running,
        answers: Answers::default(),
        json: single,
    })
}

fn single(answers: Answers) -> Reply {
    match answers.one() {
        Some(answer) => reply::json(StatusCode::OK, &Message::from(answer).into()),
        None => reply::accepted(),
    }
}

/// What becomes of a request.
pub(super) enum Started {
    Running(Task),
    Answered(Response),
    /// One with its id is being answered.
    Twice(ErrorObject),
}

/// Answers a request if that needs no handler, else starts its handler.
pub(super) fn start(
    post: &Post<'_>,
    place: &Place,
    request: Request,
    progress: Option<ProgressToken>,
    exchange: &Arc<Exchange>,
) -> Started {
    let known = match &*request.method {
        "ping" => Some(Ok(RawJson::EMPTY)),
        method if !method_exists(method, place.context.version) => {
            Some(Err(ErrorObject::method_not_found(method)))
        }
        _ => None,
    };
    if let Some(outcome) = known {
        return Started::Answered(Response::new(request.id, outcome));
    }
    let mut context = place.context.clone();
    context.progress_token = progress;
    let incoming = post.incoming(request, context, exchange);
    let (id, token) = (&incoming.message.id, &incoming.cancelled);
    let in_flight = match place.session().map(|s| s.begin(id, token, exchange)) {
        Some(None) => {
            let why = "a request with this id is being answered";
            return Started::Twice(ErrorObject::invalid_request(why));
        }
        Some(in_flight) => in_flight,
        None => None,
    };
    Started::Running(post.start(incoming, in_flight))
}

/// A notification outside of a batch.
pub(super) fn notification(post: &Post<'_>, notification: Notification) -> Reply {
    match Place::find(post, None) {
        Ok(place) if notified(post, &place, notification) => reply::accepted(),
        Ok(_) => reply::busy(None),
        Err(refusal) => *refusal,
    }
}

/// Takes a notification; `false` where too many wait for their handler.
pub(super) fn notified(post: &Post<'_>, place: &Place, notification: Notification) -> bool {
    let params = notification.params.as_ref();
    match place.session() {
        Some(session) => {
            match &*notification.method {
                PROGRESS if session.progress.report(params) => return true,
                "notifications/cancelled" => {
                    // One that cannot be read is none.
                    let target = params.and_then(|p| p.decode::<CancelledParams>().ok());
                    if !target.is_some_and(|target| session.cancel(&target.request_id)) {
                        return true;
                    }
                }
                "notifications/initialized" if !session.initialized() => return true,
                _ => {}
            }
            let channel = Arc::clone(session.face.channel());
            let mut notice = post.notice(notification, place.context.clone(), channel);
            notice.session = Some(session.face.clone());
            session.notice(notice, &post.shared.handler, &post.shared.tasks)
        }
        None => outside(post, place, notification),
    }
}

/// A notification where the server keeps no sessions.
fn outside(post: &Post<'_>, place: &Place, notification: Notification) -> bool {
    let Some(slot) = Slot::take(post.shared) else {
        return false;
    };
    let exchange = Arc::new(Exchange::new(None));
    exchange.outbox.finish();
    let notice = post.notice(notification, place.context.clone(), exchange);
    let handler = Arc::clone(&post.shared.handler);
    notices::run(&post.shared.tasks, async move {
        let _slot = slot;
        notices::handle(&handler, notice).await;
    });
    true
}

/// The client's answer to a request of ours, or what should have been one.
pub(super) fn response(post: &Post<'_>, response: Result<Response, DecodeError>) -> Reply {
    let refuse = |why| reply::refuse(StatusCode::BAD_REQUEST, why);
    if names_modern_version(&post.parts.headers) {
        return refuse("the server has sent no request that this could answer");
    }
    let place = match Place::find(post, None) {
        Ok(place) => place,
        Err(refusal) => return *refusal,
    };
    match (place.session(), response) {
        (Some(session), Ok(response)) => {
            session.answered(response);
            reply::accepted()
        }
        (Some(session), Err(flaw)) => {
            session.answered_badly(flaw);
            refuse("the body is no valid response")
        }
        (None, _) => refuse("the server has sent no requests"),
    }
}
