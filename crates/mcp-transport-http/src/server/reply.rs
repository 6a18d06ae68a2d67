//! Responses: their status, type and body.

use bytes::Bytes;
use http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderName, HeaderValue, Response, StatusCode};
use mcp_jsonrpc::{DecodeError, ErrorCode, ErrorObject, Id, Message, Packet};

use mcp_protocol::error_code::{
    HEADER_MISMATCH, MISSING_CLIENT_CAPABILITY, UNSUPPORTED_PROTOCOL_VERSION,
};

use super::answers::Answers;
use super::body::{AnswerBody, EventBody};
use super::options;
use crate::headers;

pub(super) type Reply = Response<AnswerBody>;

const X_ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

pub(super) fn empty(status: StatusCode) -> Reply {
    let mut reply = Response::new(AnswerBody::empty());
    *reply.status_mut() = status;
    reply
}

/// A notification or an answer was taken.
pub(super) fn accepted() -> Reply {
    empty(StatusCode::ACCEPTED)
}

pub(super) fn json(status: StatusCode, packet: &Packet) -> Reply {
    let mut text = Vec::with_capacity(256);
    packet.encode_into(&mut text);
    let mut reply = Response::new(AnswerBody::full(Bytes::from(text)));
    *reply.status_mut() = status;
    reply.headers_mut().insert(CONTENT_TYPE, headers::JSON);
    reply
}

/// An error under the id of the request, where that is known.
pub(super) fn error(status: StatusCode, id: Option<Id>, error: ErrorObject) -> Reply {
    let answer = mcp_jsonrpc::Response::new(id, Err(error));
    json(status, &Message::from(answer).into())
}

/// A refusal before there is a message.
pub(super) fn refuse(status: StatusCode, why: &str) -> Reply {
    error(status, None, ErrorObject::invalid_request(why))
}

pub(super) fn not_allowed(allow: &'static str) -> Reply {
    let mut reply = refuse(
        StatusCode::METHOD_NOT_ALLOWED,
        "this HTTP method is not offered",
    );
    reply
        .headers_mut()
        .insert(ALLOW, HeaderValue::from_static(allow));
    reply
}

pub(super) fn busy(id: Option<Id>) -> Reply {
    let why = ErrorObject::internal("the server has too much to do");
    let mut reply = error(StatusCode::SERVICE_UNAVAILABLE, id, why);
    reply
        .headers_mut()
        .insert(RETRY_AFTER, options::RETRY_AFTER);
    reply
}

/// What could not be read.
pub(super) fn flaw(flaw: &DecodeError) -> Reply {
    match flaw.reply() {
        Some((id, error)) => self::error(StatusCode::BAD_REQUEST, id, error),
        None => empty(StatusCode::BAD_REQUEST),
    }
}

/// The answer to a request that stands alone; one that was given up has none.
pub(super) fn single(answers: Answers) -> Reply {
    match answers.one() {
        Some(answer) => json(stateless_status(&answer), &Message::from(answer).into()),
        None => accepted(),
    }
}

/// The status of an answer to a request that stands alone.
pub(super) fn stateless_status(answer: &mcp_jsonrpc::Response) -> StatusCode {
    match answer.outcome.as_ref().map_err(|error| error.code) {
        Err(ErrorCode::METHOD_NOT_FOUND) => StatusCode::NOT_FOUND,
        Err(HEADER_MISMATCH | MISSING_CLIENT_CAPABILITY | UNSUPPORTED_PROTOCOL_VERSION) => {
            StatusCode::BAD_REQUEST
        }
        _ => StatusCode::OK,
    }
}

pub(super) fn events(body: EventBody) -> Reply {
    let mut reply = Response::new(AnswerBody::events(body));
    let headers = reply.headers_mut();
    headers.insert(CONTENT_TYPE, headers::EVENT_STREAM);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(X_ACCEL_BUFFERING, HeaderValue::from_static("no"));
    reply
}
