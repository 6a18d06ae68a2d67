//! Any JSON in which no object has the same member twice.
//!
//! `serde_json` keeps the last of two; another program the first. What one of them has checked
//! the other must not read differently, so neither is taken.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use mcp_jsonrpc::is_distinct;
use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::{duplicate, insert};

/// Says of JSON text whether an object in it, however deep, has the same member twice.
///
/// # Errors
/// The first such member; or that the text is no JSON.
///
/// ```
/// use mcp_protocol::check_unique_members;
/// assert!(check_unique_members(r#"{"path":"a","also":{"path":"b"}}"#).is_ok());
/// let error = check_unique_members(r#"{"path":"a","p\u0061th":"b"}"#).unwrap_err();
/// assert!(error.to_string().contains("duplicate field `path`"));
/// ```
pub fn check_unique_members(json: &str) -> Result<(), serde_json::Error> {
    if is_distinct(json.as_bytes()) {
        return Ok(());
    }
    let mut json = serde_json::Deserializer::from_str(json);
    Check.deserialize(&mut json)?;
    json.end()
}

/// A value, in which no object has the same member twice.
pub(crate) fn value<'de, D: Deserializer<'de>>(json: D) -> Result<Value, D::Error> {
    json.deserialize_any(Build)
}

/// A value where there is one; `null` is one.
pub(crate) fn present_value<'de, D: Deserializer<'de>>(json: D) -> Result<Option<Value>, D::Error> {
    value(json).map(Some)
}

/// An object in which none has the same member twice.
pub(crate) fn object<'de, D: Deserializer<'de>>(json: D) -> Result<Map<String, Value>, D::Error> {
    match value(json)? {
        Value::Object(members) => Ok(members),
        other => Err(unexpected(&other)),
    }
}

/// Such an object, where there is one.
pub(crate) fn optional_object<'de, D: Deserializer<'de>>(
    json: D,
) -> Result<Option<Map<String, Value>>, D::Error> {
    match value(json)? {
        Value::Null => Ok(None),
        Value::Object(members) => Ok(Some(members)),
        other => Err(unexpected(&other)),
    }
}

fn unexpected<E: de::Error>(value: &Value) -> E {
    E::custom(format_args!("invalid type: {value}, expected an object"))
}

/// Reads a value and keeps nothing.
#[derive(Clone, Copy)]
struct Check;

/// The names of an object's members so far.
#[derive(Default)]
struct Names<'de> {
    few: Vec<Cow<'de, str>>,
    many: HashSet<Cow<'de, str>>,
}

impl<'de> Names<'de> {
    /// Up to so many are compared one by one.
    const FEW: usize = 16;

    /// `false` if the name was there before.
    fn add(&mut self, name: Cow<'de, str>) -> bool {
        if self.few.contains(&name) {
            return false;
        }
        if self.few.len() < Self::FEW {
            self.few.push(name);
            return true;
        }
        self.many.insert(name)
    }
}

impl<'de> DeserializeSeed<'de> for Check {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Check {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        while elements.next_element_seed(self)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let mut names = Names::default();
        while let Some(Name(name)) = members.next_key()? {
            if !names.add(name.clone()) {
                return Err(duplicate(&name));
            }
            members.next_value_seed(self)?;
        }
        Ok(())
    }
}

/// The name of a member, borrowed from the text where it has no escapes.
struct Name<'de>(Cow<'de, str>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        struct Text;

        impl<'de> Visitor<'de> for Text {
            type Value = Name<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a member")
            }

            fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Borrowed(name)))
            }

            fn visit_str<E>(self, name: &str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Owned(name.to_owned())))
            }
        }

        json.deserialize_str(Text)
    }
}

/// Reads a value and keeps it.
#[derive(Clone, Copy)]
struct Build;

impl<'de> DeserializeSeed<'de> for Build {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Value, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Build {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Value, E> {
        Ok(flag.into())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut all = Vec::new();
        while let Some(element) = elements.next_element_seed(self)? {
            all.push(element);
        }
        Ok(Value::Array(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut all = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            let member = members.next_value_seed(self)?;
            insert(&mut all, name, member)?;
        }
        Ok(Value::Object(all))
    }
}
