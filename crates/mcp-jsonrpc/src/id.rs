//! Request ids: a string or an integer, never equal across the two kinds.

use std::fmt;
use std::sync::Arc;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

/// The id of a request: a string or an integer.
///
/// `1` and `"1"` are different ids. Every integer from `i64::MIN` to `u64::MAX` is kept exactly;
/// fractions, exponents, `null` and anything else are not ids.
///
/// ```
/// use mcp_jsonrpc::Id;
/// assert_ne!(Id::from(1), Id::from("1"));
/// assert_eq!(serde_json::to_string(&Id::from("a")).unwrap(), "\"a\"");
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(Repr);

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Repr {
    Integer(i64),
    /// Only values above `i64::MAX`, so that equality of ids is equality of values.
    Large(u64),
    String(Arc<str>),
}

impl Id {
    /// The longest string id that is accepted, in bytes.
    pub const MAX_LEN: usize = 1024;

    /// The id as a string, where it is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match &self.0 {
            Repr::String(s) => Some(s),
            Repr::Integer(_) | Repr::Large(_) => None,
        }
    }

    /// The id as an unsigned integer, where it is one.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        match &self.0 {
            Repr::Integer(n) => u64::try_from(*n).ok(),
            Repr::Large(n) => Some(*n),
            Repr::String(_) => None,
        }
    }
}

impl From<i64> for Id {
    fn from(n: i64) -> Self {
        Self(Repr::Integer(n))
    }
}

impl From<u64> for Id {
    fn from(n: u64) -> Self {
        Self(i64::try_from(n).map_or(Repr::Large(n), Repr::Integer))
    }
}

impl From<i32> for Id {
    fn from(n: i32) -> Self {
        Self(Repr::Integer(n.into()))
    }
}

impl From<&str> for Id {
    fn from(s: &str) -> Self {
        Self(Repr::String(s.into()))
    }
}

impl From<String> for Id {
    fn from(s: String) -> Self {
        Self(Repr::String(s.into()))
    }
}

/// As in JSON, so that a log tells `1` from `"1"`.
impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Integer(n) => n.fmt(f),
            Repr::Large(n) => n.fmt(f),
            Repr::String(s) => write!(f, "{s:?}"),
        }
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Id({self})")
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Repr::Integer(n) => serializer.serialize_i64(*n),
            Repr::Large(n) => serializer.serialize_u64(*n),
            Repr::String(s) => serializer.serialize_str(s),
        }
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(IdVisitor)
    }
}

struct IdVisitor;

impl Visitor<'_> for IdVisitor {
    type Value = Id;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or an integer")
    }

    fn visit_i64<E: de::Error>(self, n: i64) -> Result<Id, E> {
        Ok(n.into())
    }

    fn visit_u64<E: de::Error>(self, n: u64) -> Result<Id, E> {
        Ok(n.into())
    }

    fn visit_str<E: de::Error>(self, s: &str) -> Result<Id, E> {
        if s.len() > Id::MAX_LEN {
            return Err(E::invalid_length(s.len(), &"an id of at most 1024 bytes"));
        }
        Ok(s.into())
    }
}
