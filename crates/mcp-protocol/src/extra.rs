//! Members of objects that this crate does not know.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::LazyLock;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use serde_json::{Map, Value, map};

use crate::unique::insert;

/// Members of an object that this crate does not know, kept for a round trip.
///
/// A map from names to JSON that takes no more than a pointer while it is empty, as it nearly
/// always is.
///
/// ```
/// use mcp_protocol::Extra;
/// let mut extra = Extra::new();
/// extra.insert("colour".to_owned(), "red".into());
/// assert_eq!(extra.get("colour").unwrap(), "red");
/// ```
#[derive(Clone, Default)]
pub struct Extra(Option<Box<Map<String, Value>>>);

static EMPTY: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);

impl Extra {
    /// No members.
    #[must_use]
    pub const fn new() -> Self {
        Self(None)
    }

    /// All members.
    #[must_use]
    pub fn into_map(self) -> Map<String, Value> {
        self.0.map(|members| *members).unwrap_or_default()
    }
}

impl Deref for Extra {
    type Target = Map<String, Value>;

    fn deref(&self) -> &Map<String, Value> {
        self.0.as_deref().unwrap_or(&EMPTY)
    }
}

impl DerefMut for Extra {
    fn deref_mut(&mut self) -> &mut Map<String, Value> {
        self.0.get_or_insert_default()
    }
}

impl PartialEq for Extra {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl fmt::Debug for Extra {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl From<Map<String, Value>> for Extra {
    fn from(members: Map<String, Value>) -> Self {
        Self(Some(members).filter(|m| !m.is_empty()).map(Box::new))
    }
}

impl FromIterator<(String, Value)> for Extra {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(members: I) -> Self {
        members.into_iter().collect::<Map<_, _>>().into()
    }
}

impl IntoIterator for Extra {
    type Item = (String, Value);
    type IntoIter = map::IntoIter;

    fn into_iter(self) -> map::IntoIter {
        self.into_map().into_iter()
    }
}

impl<'a> IntoIterator for &'a Extra {
    type Item = (&'a String, &'a Value);
    type IntoIter = map::Iter<'a>;

    fn into_iter(self) -> map::Iter<'a> {
        self.iter()
    }
}

impl Serialize for Extra {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self)
    }
}

impl<'de> Deserialize<'de> for Extra {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ExtraVisitor)
    }
}

struct ExtraVisitor;

impl<'de> Visitor<'de> for ExtraVisitor {
    type Value = Extra;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Extra, A::Error> {
        let mut extra = Extra::new();
        while let Some((key, value)) = map.next_entry()? {
            insert(&mut *extra, key, value)?;
        }
        Ok(extra)
    }
}
