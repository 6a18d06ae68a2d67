//! Objects whose `type` (or `mode`) says what they are, decoded in one pass.
//!
//! When the tag comes first, the rest of the object goes straight into its type. What comes
//! before the tag is kept as parsed values and moved, so a long string is never copied.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess};
use serde::ser::{Serialize, Serializer};
use serde_json::{Map, Value, map};

use crate::Extra;
use crate::unique::insert;

/// The members of an object besides its tag; those that came before it first.
pub(crate) struct Members<A> {
    early: map::IntoIter,
    value: Option<Value>,
    rest: A,
    tag: &'static str,
}

/// A type that an object with a tag decodes into. It has no member for the tag itself.
pub(crate) trait Body: for<'de> Deserialize<'de> {
    fn extra(&self) -> &Extra;
}

/// Reads up to the tag. `None` if the object has none.
pub(crate) fn read<'de, A, T>(
    mut map: A,
    tag: &'static str,
) -> Result<(Option<T>, Members<A>), A::Error>
where
    A: MapAccess<'de>,
    T: Deserialize<'de>,
{
    let mut early = Map::new();
    let mut found = None;
    while let Some(key) = map.next_key_seed(KeySeed(tag))? {
        let Some(key) = key else {
            found = Some(map.next_value()?);
            break;
        };
        let value = map.next_value()?;
        insert(&mut early, key, value)?;
    }
    let members = Members {
        early: early.into_iter(),
        value: None,
        rest: map,
        tag,
    };
    Ok((found, members))
}

impl<'de, A: MapAccess<'de>> Members<A> {
    /// Decodes the members into their type.
    pub(crate) fn into_body<T: Body>(self) -> Result<T, A::Error> {
        let tag = self.tag;
        let body = T::deserialize(MapAccessDeserializer::new(self))?;
        if body.extra().contains_key(tag) {
            return Err(de::Error::duplicate_field(tag));
        }
        Ok(body)
    }

    /// Keeps all members as they are, for an object of a kind that is not known.
    pub(crate) fn into_map(self, kind: String) -> Result<Map<String, Value>, A::Error> {
        let mut all = Map::new();
        all.insert(self.tag.to_owned(), Value::String(kind));
        for (key, value) in self.early {
            all.insert(key, value);
        }
        let mut rest = self.rest;
        while let Some((key, value)) = rest.next_entry()? {
            insert(&mut all, key, value)?;
        }
        Ok(all)
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Members<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        match self.early.next() {
            Some((key, value)) => {
                self.value = Some(value);
                seed.deserialize(key.into_deserializer()).map(Some)
            }
            None => self.rest.next_key_seed(seed),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        match self.value.take() {
            Some(value) => seed.deserialize(value).map_err(de::Error::custom),
            None => self.rest.next_value_seed(seed),
        }
    }
}

/// A key: `None` for the tag, which so costs no allocation.
struct KeySeed(&'static str);

impl<'de> DeserializeSeed<'de> for KeySeed {
    type Value = Option<String>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl de::Visitor<'_> for KeySeed {
    type Value = Option<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a member name")
    }

    fn visit_str<E: de::Error>(self, key: &str) -> Result<Self::Value, E> {
        Ok((key != self.0).then(|| key.to_owned()))
    }
}

/// Writes `body` with `"type": kind` in front.
pub(crate) fn write<T: Serialize, S: Serializer>(
    kind: &'static str,
    body: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    #[derive(serde::Serialize)]
    struct Tagged<'a, T> {
        r#type: &'static str,
        #[serde(flatten)]
        body: &'a T,
    }
    Tagged { r#type: kind, body }.serialize(serializer)
}
