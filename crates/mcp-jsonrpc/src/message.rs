//! The three messages, decoded by hand from the envelope.

mod decode;
mod peek;

use bytes::Bytes;
use serde_json::value::RawValue;

use crate::{DecodeError, ErrorObject, Id, MethodName, RawJson};

/// A call that wants an answer.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Request {
    /// Names the call; the answer carries it.
    pub id: Id,
    /// What to do.
    pub method: MethodName,
    /// With what: an object, undecoded.
    pub params: Option<RawJson>,
}

/// A message that is never answered.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Notification {
    /// What happened.
    pub method: MethodName,
    /// The details: an object, undecoded.
    pub params: Option<RawJson>,
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Response {
    /// The id of the request; absent only in an error about something whose id could not be read.
    pub id: Option<Id>,
    /// The result, undecoded, or the error.
    pub outcome: Result<RawJson, ErrorObject>,
}

/// One JSON-RPC 2.0 message.
///
/// ```
/// use mcp_jsonrpc::Message;
/// let text = r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#;
/// let message = Message::decode(text.into()).unwrap();
/// assert!(matches!(&message, Message::Request(r) if &*r.method == "ping"));
/// assert_eq!(message.encode(), text.as_bytes());
/// ```
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "JSON-RPC 2.0 has these three and is frozen"
)]
pub enum Message {
    /// Wants an answer.
    Request(Request),
    /// Wants none.
    Notification(Notification),
    /// Is one.
    Response(Response),
}

/// What one line or one body holds: a message, or a batch of them.
///
/// Only revision 2025-03-26 of the protocol knows batches; who owns the revision decides.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a JSON text is an array or it is not"
)]
pub enum Frame {
    /// A single message.
    Single(Message),
    /// An array; each element is a message, or what is wrong with it.
    Batch(Vec<Result<Message, DecodeError>>),
}

/// What goes out as one line or one body.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a JSON text is an array or it is not"
)]
pub enum Packet {
    /// A single message.
    Single(Message),
    /// The answers to a batch.
    Batch(Vec<Message>),
}

impl Packet {
    /// Appends the packet to `out` as compact JSON on one line, without a line end.
    pub fn encode_into(&self, out: &mut Vec<u8>) {
        match self {
            Self::Single(message) => message.encode_into(out),
            Self::Batch(messages) => {
                let mut before = b'[';
                for message in messages {
                    out.push(before);
                    message.encode_into(out);
                    before = b',';
                }
                out.push(b']');
            }
        }
    }
}

impl From<Message> for Packet {
    fn from(message: Message) -> Self {
        Self::Single(message)
    }
}

impl Frame {
    /// The most elements that a batch may have.
    pub const MAX_BATCH: usize = 100;

    /// Decodes a line or a body that may be a batch.
    ///
    /// # Errors
    /// As [`Message::decode`]; also for an empty array and one of more than
    /// [`MAX_BATCH`](Self::MAX_BATCH) elements.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "the message keeps the buffer"
    )]
    pub fn decode(text: Bytes) -> Result<Self, DecodeError> {
        decode::frame(&text)
    }
}

impl Message {
    /// Decodes one message. Its parts share `text`.
    ///
    /// # Errors
    /// [`DecodeError::Syntax`] if the text is not JSON; [`DecodeError::Request`] or
    /// [`DecodeError::Response`] if the envelope breaks JSON-RPC 2.0: another `jsonrpc`, an id
    /// that is neither string nor integer, `params` that is no object, a member twice, an array.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "the message keeps the buffer"
    )]
    pub fn decode(text: Bytes) -> Result<Self, DecodeError> {
        decode::message(&text)
    }

    /// How long the rest is besides method and payload, in bytes, where the id is short.
    const ENVELOPE: usize = 80;

    /// The message as compact JSON on one line, without a line end.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.encode_into(&mut out);
        out
    }

    /// Appends the message to `out`, as [`encode`](Self::encode).
    pub fn encode_into(&self, out: &mut Vec<u8>) {
        out.reserve(Self::ENVELOPE + self.payload_len());
        out.extend_from_slice(br#"{"jsonrpc":"2.0""#);
        match self {
            Self::Request(m) => {
                member(out, "id", &m.id);
                call(out, &m.method, m.params.as_ref());
            }
            Self::Notification(m) => call(out, &m.method, m.params.as_ref()),
            Self::Response(m) => {
                if let Some(id) = &m.id {
                    member(out, "id", id);
                }
                match &m.outcome {
                    Ok(result) => raw_member(out, "result", result),
                    Err(error) => member(out, "error", error),
                }
            }
        }
        out.push(b'}');
    }

    fn payload_len(&self) -> usize {
        let raw = |r: Option<&RawJson>| r.map_or(0, |r| r.as_bytes().len());
        match self {
            Self::Request(m) => m.method.len() + raw(m.params.as_ref()),
            Self::Notification(m) => m.method.len() + raw(m.params.as_ref()),
            Self::Response(m) => raw(m.outcome.as_ref().ok()),
        }
    }
}

fn call(out: &mut Vec<u8>, method: &MethodName, params: Option<&RawJson>) {
    if method.is_plain() {
        out.extend_from_slice(br#","method":""#);
        out.extend_from_slice(method.as_bytes());
        out.push(b'"');
    } else {
        member(out, "method", method.as_str());
    }
    if let Some(params) = params {
        raw_member(out, "params", params);
    }
}

fn member<T: serde::Serialize + ?Sized>(out: &mut Vec<u8>, name: &str, value: &T) {
    key(out, name);
    // Ids, method names and error objects always encode: strings, integers and checked JSON.
    let written = serde_json::to_writer(&mut *out, value);
    debug_assert!(written.is_ok(), "a {name} that JSON cannot express");
}

/// Raw JSON from outside may hold line ends between tokens; a line must not.
fn raw_member(out: &mut Vec<u8>, name: &str, value: &RawJson) {
    key(out, name);
    let text = value.as_bytes();
    if memchr::memchr2(b'\n', b'\r', text).is_none() {
        out.extend_from_slice(text);
    } else {
        // Inside strings JSON has no raw line end, so all of these stand between tokens.
        out.extend(text.iter().filter(|b| !matches!(b, b'\n' | b'\r')));
    }
}

fn key(out: &mut Vec<u8>, name: &str) {
    out.extend_from_slice(b",\"");
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\":");
}

impl Request {
    /// A request.
    pub fn new(id: impl Into<Id>, method: impl Into<MethodName>, params: Option<RawJson>) -> Self {
        Self {
            id: id.into(),
            method: method.into(),
            params,
        }
    }
}

impl Notification {
    /// A notification.
    pub fn new(method: impl Into<MethodName>, params: Option<RawJson>) -> Self {
        Self {
            method: method.into(),
            params,
        }
    }
}

impl Response {
    /// A response to the request with this id.
    pub fn new(id: impl Into<Option<Id>>, outcome: Result<RawJson, ErrorObject>) -> Self {
        Self {
            id: id.into(),
            outcome,
        }
    }
}

impl From<Request> for Message {
    fn from(m: Request) -> Self {
        Self::Request(m)
    }
}

impl From<Notification> for Message {
    fn from(m: Notification) -> Self {
        Self::Notification(m)
    }
}

impl From<Response> for Message {
    fn from(m: Response) -> Self {
        Self::Response(m)
    }
}

pub(crate) use peek::peek;

/// Checks one value without keeping it.
pub(crate) fn raw(text: &str) -> Result<&RawValue, serde_json::Error> {
    serde_json::from_str(text)
}
