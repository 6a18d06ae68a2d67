//! Text to messages: one pass over the envelope, `params` and `result` left as they are.

use std::borrow::Cow;
use std::fmt;

use bytes::Bytes;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::{Frame, Message, Notification, Request, Response, raw};
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
    let envelope: Envelope<'_> = match serde_json::from_str(source) {
        Ok(envelope) => envelope,
        // A data error is JSON of another shape; tell it from text that is no JSON at all.
        Err(e) if e.is_data() && raw(source).is_ok() => {
            return Err(invalid(None, "a message is one object"));
        }
        Err(e) => return Err(syntax(e)),
    };
    envelope.into_message(text)
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
    jsonrpc: Option<&'a RawValue>,
    id: Option<&'a RawValue>,
    method: Option<&'a RawValue>,
    params: Option<&'a RawValue>,
    result: Option<&'a RawValue>,
    error: Option<&'a RawValue>,
    twice: bool,
    /// Of two ids neither is to be trusted.
    id_twice: bool,
}

impl<'a> Envelope<'a> {
    fn slot(&mut self, key: &str) -> Option<&mut Option<&'a RawValue>> {
        Some(match key {
            "jsonrpc" => &mut self.jsonrpc,
            "id" => &mut self.id,
            "method" => &mut self.method,
            "params" => &mut self.params,
            "result" => &mut self.result,
            "error" => &mut self.error,
            _ => return None,
        })
    }

    fn into_message(self, text: &Bytes) -> Result<Message, DecodeError> {
        let id = self.id.filter(|_| !self.id_twice);
        let id = id.and_then(|id| serde_json::from_str(id.get()).ok());
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
        match self.jsonrpc.map(RawValue::get) {
            Some("\"2.0\"") => None,
            Some(_) => Some("jsonrpc is not \"2.0\""),
            None => Some("jsonrpc is missing"),
        }
    }

    fn into_call(
        self,
        text: &Bytes,
        method: &RawValue,
        id: Option<Id>,
    ) -> Result<Message, DecodeError> {
        let Ok(method) = serde_json::from_str::<CowStr<'_>>(method.get()) else {
            return Err(invalid(id, "method is not a string"));
        };
        let method = MethodName::part(text, method.0);
        let id = match (self.id, id) {
            // Never a notification: whoever wrote an id waits for an answer.
            (Some(_), None) => return Err(invalid(None, "id is not a string or an integer")),
            (_, id) => id,
        };
        let params = match self.params.map(RawValue::get) {
            // `null` for an optional member is what many peers send for "none".
            None | Some("null") => None,
            Some(params) if params.starts_with('{') => {
                self.params.map(|params| RawJson::part(text, params))
            }
            Some(_) => return Err(DecodeError::Params { id }),
        };
        Ok(match id {
            Some(id) => Request { id, method, params }.into(),
            None => Notification { method, params }.into(),
        })
    }

    fn into_response(self, text: &Bytes, id: Option<Id>) -> Result<Message, DecodeError> {
        let flaw = |id, reason| Err(DecodeError::Response { id, reason });
        let error = self.error.filter(|error| error.get() != "null");
        // Some peers write both members, and `null` in the one that does not apply.
        let result = self.result.filter(|r| error.is_none() || r.get() != "null");
        let outcome = match (result, error) {
            (Some(result), None) => Ok(RawJson::part(text, result)),
            (None, Some(error)) => match serde_json::from_str::<ErrorObject>(error.get()) {
                Ok(error) => Err(error),
                Err(_) => return flaw(id, "error needs an integer code and a message"),
            },
            (Some(_), Some(_)) => return flaw(id, "it has both result and error"),
            (None, None) if self.error.is_some() => {
                return flaw(id, "it has neither result nor error");
            }
            (None, None) => return Err(invalid(id, "method is missing")),
        };
        match (id, &outcome) {
            (None, Ok(_)) => flaw(None, "it answers no request: id is missing or unreadable"),
            (id, _) => Ok(Response { id, outcome }.into()),
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Envelope<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EnvelopeVisitor)
    }
}

struct EnvelopeVisitor;

impl<'de> Visitor<'de> for EnvelopeVisitor {
    type Value = Envelope<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Envelope<'de>, A::Error> {
        let mut envelope = Envelope::default();
        while let Some(CowStr(key)) = map.next_key()? {
            let Some(slot) = envelope.slot(&key) else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            let twice = slot.replace(map.next_value()?).is_some();
            envelope.twice |= twice;
            envelope.id_twice |= twice && key == "id";
        }
        Ok(envelope)
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

/// A string that borrows where it was written without escapes.
struct CowStr<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for CowStr<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = CowStr<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_borrowed_str<E: serde::de::Error>(
                self,
                s: &'de str,
            ) -> Result<Self::Value, E> {
                Ok(CowStr(Cow::Borrowed(s)))
            }
            fn visit_str<E: serde::de::Error>(self, s: &str) -> Result<Self::Value, E> {
                Ok(CowStr(Cow::Owned(s.to_owned())))
            }
        }
        deserializer.deserialize_str(V)
    }
}
