//! The same with the parser: for what is written in an unusual way, and to say what is wrong.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Hands over the members of an object, each name as it is meant and each value as it is written.
///
/// # Errors
/// If the text is not JSON, or JSON of another shape (a data error).
#[cold]
pub(crate) fn object<'a>(
    text: &'a [u8],
    member: impl FnMut(&str, &'a str),
) -> Result<(), serde_json::Error> {
    let mut json = serde_json::Deserializer::from_slice(text);
    Each(member).deserialize(&mut json)?;
    json.end()
}

struct Each<F>(F);

impl<'de, F: FnMut(&str, &'de str)> DeserializeSeed<'de> for Each<F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, F: FnMut(&str, &'de str)> Visitor<'de> for Each<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(Text(name)) = map.next_key()? {
            let value: &RawValue = map.next_value()?;
            (self.0)(&name, value.get());
        }
        Ok(())
    }
}

/// A string, if the value is one. Borrows where it was written without escapes.
pub(crate) fn string(value: &str) -> Option<Cow<'_, str>> {
    serde_json::from_str::<Text<'_>>(value)
        .ok()
        .map(|text| text.0)
}

struct Text<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E: serde::de::Error>(self, s: &'de str) -> Result<Text<'de>, E> {
        Ok(Text(Cow::Borrowed(s)))
    }

    fn visit_str<E: serde::de::Error>(self, s: &str) -> Result<Text<'de>, E> {
        Ok(Text(Cow::Owned(s.to_owned())))
    }
}
