//! Who a message is from and to, read off its ends alone.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};

use crate::Id;

/// The id of a message of which only both ends are known, and whether it is a response.
///
/// The middle may hold anything, so an id is believed only where it must be the message's own: in
/// the head outside all values, or in the tail where the text from the member to the end closes
/// exactly one object.
pub(crate) fn peek(head: &[u8], tail: &[u8]) -> (Option<Id>, bool) {
    let mut seen = Seen::default();
    let mut json = serde_json::Deserializer::from_slice(head);
    // The head ends in the middle of something: what was seen before is what counts.
    let _cut_off = (&mut seen).deserialize(&mut json);
    if seen.id.is_none() {
        seen.id = last_id(tail);
    }
    (seen.id, seen.outcome && !seen.method)
}

fn last_id(tail: &[u8]) -> Option<Id> {
    const NAME: &[u8] = b"\"id\"";
    let mut end = tail.len();
    while let Some(at) = memchr::memmem::rfind(tail.get(..end)?, NAME) {
        let object = [b"{", tail.get(at..)?].concat();
        let mut seen = Seen::default();
        let mut json = serde_json::Deserializer::from_slice(&object);
        if (&mut seen).deserialize(&mut json).is_ok() && json.end().is_ok() {
            return seen.id;
        }
        end = at;
    }
    None
}

#[derive(Default)]
struct Seen {
    id: Option<Id>,
    method: bool,
    outcome: bool,
}

impl<'de> DeserializeSeed<'de> for &mut Seen {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut Seen {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut id = None;
        while let Some(key) = map.next_key::<String>()? {
            // Only now is it sure that the id was not cut off.
            self.id = self.id.take().or_else(|| id.take());
            match key.as_str() {
                "id" => {
                    id = Some(map.next_value::<Id>()?);
                    continue;
                }
                "method" => self.method = true,
                "result" | "error" => self.outcome = true,
                _ => {}
            }
            map.next_value::<IgnoredAny>()?;
        }
        self.id = self.id.take().or(id);
        Ok(())
    }
}
