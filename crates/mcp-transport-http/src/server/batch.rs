//! Several messages in one POST, in the one revision that has them.

use std::sync::Arc;

use http::StatusCode;
use mcp_jsonrpc::{DecodeError, Message, Packet, Request, Response};
use mcp_protocol::Feature;
use mcp_protocol::lifecycle::stateless::{Admission, admit};

use super::answers::Answers;
use super::exchange::Exchange;
use super::handshake::{Started, notified, start};
use super::place::Place;
use super::post::{Outcome, Post, Runs};
use super::reply::{self, Reply};
use super::running::{Running, Slot, Task};
use super::stateless::names_modern_version;

/// Answers a batch: one array, or a stream in which each answer is an event.
pub(super) fn batch(post: &Post<'_>, elements: Vec<Result<Message, DecodeError>>) -> Outcome {
    let not_agreed = || reply::refuse(StatusCode::BAD_REQUEST, "batches are not agreed on").into();
    if names_modern_version(&post.parts.headers) {
        return not_agreed();
    }
    let mut place = match Place::find(post, None) {
        Ok(place) => place,
        Err(refusal) => return (*refusal).into(),
    };
    if !place.context.version.has(Feature::Batches) {
        return not_agreed();
    }
    let Some(slot) = Slot::take(post.shared) else {
        return reply::busy(None).into();
    };
    let exchange = Arc::new(Exchange::new(place.session().cloned()));
    let mut parts = Parts::default();
    for element in elements {
        parts.take(post, &place, &exchange, element);
    }
    if parts.answers.is_empty() && parts.tasks.is_empty() {
        return reply::accepted().into();
    }
    let in_use = place.in_use.take();
    let mut running = Running::new(Arc::clone(&exchange), None, false, slot, in_use);
    for task in parts.tasks {
        running.add(task);
    }
    Outcome::Runs(Runs {
        exchange,
        running,
        answers: parts.answers,
        json: array,
    })
}

fn array(answers: Answers) -> Reply {
    let messages = answers.into_iter().map(Message::from).collect();
    reply::json(StatusCode::OK, &Packet::Batch(messages))
}

/// What a batch comes to: what is answered already, and what runs.
#[derive(Default)]
struct Parts {
    answers: Answers,
    tasks: Vec<Task>,
}

impl Parts {
    fn take(
        &mut self,
        post: &Post<'_>,
        place: &Place,
        exchange: &Arc<Exchange>,
        element: Result<Message, DecodeError>,
    ) {
        match element {
            Ok(Message::Request(request)) => self.request(post, place, exchange, request),
            Ok(Message::Notification(notification)) => {
                if !notified(post, place, notification) {
                    tracing::warn!("too many notifications wait, one is dropped");
                }
            }
            Ok(Message::Response(response)) => {
                if let Some(session) = place.session() {
                    session.answered(response);
                }
            }
            Err(flaw) => {
                if let Some((id, error)) = flaw.reply() {
                    self.answers.push(Response::new(id, Err(error)));
                }
            }
        }
    }

    fn request(
        &mut self,
        post: &Post<'_>,
        place: &Place,
        exchange: &Arc<Exchange>,
        request: Request,
    ) {
        let id = request.id.clone();
        let progress = match admit(&request, &post.shared.identity) {
            Ok(Admission::Handshake(token)) if &*request.method != "initialize" => token,
            Ok(_) => {
                let why = "a request of this kind stands alone, not in a batch";
                let error = mcp_jsonrpc::ErrorObject::invalid_request(why);
                return self.answers.push(Response::new(id, Err(error)));
            }
            Err(error) => return self.answers.push(Response::new(id, Err(error))),
        };
        match start(post, place, request, progress, exchange) {
            Started::Running(task) => self.tasks.push(task),
            Started::Answered(answer) => self.answers.push(answer),
            Started::Twice(error) => self.answers.push(Response::new(id, Err(error))),
        }
    }
}
