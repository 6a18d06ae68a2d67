//! Text to messages: one pass over the envelope, `params` and `result` left as they are.

use std::borrow::Cow;
use std::fmt;

use bytes::Bytes;
use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::{Frame, Message, Notification, Request, Response, raw};
use crate::scan::{self, Index};
use crate::{DecodeError, ErrorObject, Id, MethodName, RawJson};

pub(super) fn frame(text: &Bytes) -> Result<Frame, DecodeError> {
    let start = text.trim_ascii_start();
    if start.first() != Some(&b'[') {
        return message(text).map(Frame::Single);
    }
    let Elements(elements) = serde_json::from_str(utf8(text)?).map_err(syntax)?;
    match elements.len() {
        0 => Err(invalid(None, "a batch is empty")),
        n if n > Frame::MAX_BATCH => Err(invalid(None, "a batch has more than 100 elements")),
        _ => Ok(Frame::Batch(
            elements
                .into_iter()
                .map(|element| message(&text.slice_ref(element.get().as_bytes())))
                .collect(),
        )),
    }
}

pub(super) fn message(text: &Bytes) -> Result<Message, DecodeError> {
    let source = utf8(text)?;
    let envelope = match Envelope::scan(source) {
        Some(envelope) => envelope,
        None => parse(source)?,
    };
    envelope.into_message(text)
}

/// What the scan does not know is rare, and mostly not what it should be.
#[cold]
fn parse(source: &str) -> Result<Envelope<'_>, DecodeError> {
    let mut envelope = Envelope::default();
    let take = |name: &str, value| envelope.take(name.as_bytes(), value);
    match scan::parse::object(source.as_bytes(), take) {
        Ok(()) => Ok(envelope),
        // A data error is JSON of another shape; tell it from text that is no JSON at all.
        Err(e) if e.is_data() && raw(source).is_ok() => {
            Err(invalid(None, "a message is one object"))
        }
        Err(e) => Err(syntax(e)),
    }
}

fn utf8(text: &Bytes) -> Result<&str, DecodeError> {
    std::str::from_utf8(text).map_err(|e| DecodeError::Syntax {
        detail: e.to_string(),
    })
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "used as a function of map_err"
)]
fn syntax(e: serde_json::Error) -> DecodeError {
    DecodeError::Syntax {
        detail: e.to_string(),
    }
}

fn invalid(id: Option<Id>, reason: &'static str) -> DecodeError {
    DecodeError::Request { id, reason }
}

/// The members that JSON-RPC knows, each as raw text.
#[derive(Default)]
struct Envelope<'a> {
    jsonrpc: Option<&'a str>,
    id: Option<&'a str>,
    method: Option<&'a str>,
    params: Option<&'a str>,
    result: Option<&'a str>,
    error: Option<&'a str>,
    /// Of `params` or `result`, of which a message has one; of two it is not known of which.
    index: Option<Index>,
    twice: bool,
    /// Of two ids neither is to be trusted.
    id_twice: bool,
}

impl<'a> Envelope<'a> {
    fn scan(source: &'a str) -> Option<Self> {
        let mut envelope = Self::default();
        let text = source.as_bytes();
        scan::object_with(text, |name, first, at| {
            let end = envelope.walk(text, name, first, at)?;
            // Both ends stand beside a byte of ASCII.
            envelope.take(name, source.get(at - 1..end).unwrap_or_default());
            Some(end)
        })?;
        Some(envelope)
    }

    /// Finds the end of a value, and notes where its members are if somebody will want them.
    fn walk(&mut self, text: &[u8], name: &[u8], first: u8, at: usize) -> Option<usize> {
        if !matches!(name, b"params" | b"result") {
            return scan::value(text, first, at);
        }
        let (index, end) = match first {
            b'{' => Index::of_object(text, at)?,
            _ => (Index::UNKNOWN, scan::value(text, first, at)?),
        };
        let only = self.index.is_none();
        self.index = Some(if only { index } else { Index::UNKNOWN });
        Some(end)
    }

    fn take(&mut self, name: &[u8], value: &'a str) {
        let slot = match name {
            b"jsonrpc" => &mut self.jsonrpc,
            b"id" => &mut self.id,
            b"method" => &mut self.method,
            b"params" => &mut self.params,
            b"result" => &mut self.result,
            b"error" => &mut self.error,
            _ => return,
        };
        if slot.replace(value).is_some() {
            self.twice = true;
            self.id_twice |= name == b"id";
        }
    }

    fn into_message(self, text: &Bytes) -> Result<Message, DecodeError> {
        let id = self.id.filter(|_| !self.id_twice).and_then(read_id);
        let is_response = self.method.is_none() && (self.result.is_some() || self.error.is_some());
        if let Some(reason) = self.flaw() {
            return Err(if is_response {
                DecodeError::Response { id, reason }
            } else {
                invalid(id, reason)
            });
        }
        match self.method {
            Some(method) => self.into_call(text, method, id),
            None => self.into_response(text, id),
        }
    }

    /// What is wrong whatever kind of message it is.
    fn flaw(&self) -> Option<&'static str> {
        if self.twice {
            return Some("a member stands twice");
        }
        match self.jsonrpc {
            Some("\"2.0\"") => None,
            Some(_) => Some("jsonrpc is not \"2.0\""),
            None => Some("jsonrpc is missing"),
        }
    }

    fn into_call(self, text: &Bytes, method: &str, id: Option<Id>) -> Result<Message, DecodeError> {
        let Some(method) = read_string(method) else {
            return Err(invalid(id, "method is not a string"));
        };
        let method = MethodName::part(text, method);
        let id = match (self.id, id) {
            // Never a notification: whoever wrote an id waits for an answer.
            (Some(_), None) => return Err(invalid(None, "id is not a string or an integer")),
            (_, id) => id,
        };
        let index = self.index.unwrap_or(Index::UNKNOWN);
        let params = match self.params {
            // `null` for an optional member is what many peers send for "none".
            None | Some("null") => None,
            Some(params) if params.starts_with('{') => Some(RawJson::part(text, params, index)),
            Some(_) => return Err(DecodeError::Params { id }),
        };
        Ok(match id {
            Some(id) => Request { id, method, params }.into(),
            None => Notification { method, params }.into(),
        })
    }

    fn into_response(self, text: &Bytes, id: Option<Id>) -> Result<Message, DecodeError> {
        let flaw = |id, reason| Err(DecodeError::Response { id, reason });
        let error = self.error.filter(|error| *error != "null");
        // Some peers write both members, and `null` in the one that does not apply.
        let result = self.result.filter(|r| error.is_none() || *r != "null");
        let index = self.index.unwrap_or(Index::UNKNOWN);
        let outcome = match (result, error) {
            (Some(result), None) => Ok(RawJson::part(text, result, index)),
            (None, Some(error)) => match serde_json::from_str::<ErrorObject>(error) {
                Ok(error) => Err(error),
                Err(_) => return flaw(id, "error needs an integer code and a message"),
            },
            (Some(_), Some(_)) => return flaw(id, "it has both result and error"),
            (None, None) if self.error.is_some() => {
                return flaw(id, "it has neither result nor error");
            }
            (None, None) => return Err(invalid(id, DecodeError::NO_KIND)),
        };
        match (id, &outcome) {
            (None, Ok(_)) => flaw(None, "it answers no request: id is missing or unreadable"),
            (id, _) => Ok(Response { id, outcome }.into()),
        }
    }
}

/// An id, if the value is one.
fn read_id(value: &str) -> Option<Id> {
    // Nearly all are short numbers. A sign, or too many digits, is for the parser.
    if value.bytes().all(|byte| byte.is_ascii_digit())
        && let Ok(number) = value.parse::<i64>()
    {
        return Some(number.into());
    }
    serde_json::from_str(value).ok()
}

/// A string, if the value is one. Borrows where it was written without escapes.
fn read_string(value: &str) -> Option<Cow<'_, str>> {
    match value.strip_prefix('"').and_then(|v| v.strip_suffix('"')) {
        Some(plain) if !plain.contains('\\') => Some(Cow::Borrowed(plain)),
        _ => scan::parse::string(value),
    }
}

/// The elements of an array as raw text; beyond the limit of a batch only one more.
struct Elements<'a>(Vec<&'a RawValue>);

impl<'de: 'a, 'a> Deserialize<'de> for Elements<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(ElementsVisitor)
    }
}

struct ElementsVisitor;

impl<'de> Visitor<'de> for ElementsVisitor {
    type Value = Elements<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Elements<'de>, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = seq.next_element()? {
            if elements.len() <= Frame::MAX_BATCH {
                elements.push(element);
            }
        }
        Ok(Elements(elements))
    }
}
