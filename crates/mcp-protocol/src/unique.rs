//! Objects with free keys, each of which stands there once.

use std::fmt;
use std::marker::PhantomData;

use indexmap::IndexMap;
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::{Map, Value};

/// A map that says whether a key is new.
pub(crate) trait Members<V>: Default {
    fn has(&self, key: &str) -> bool;
    fn add(&mut self, key: String, value: V);
}

impl Members<Value> for Map<String, Value> {
    fn has(&self, key: &str) -> bool {
        self.contains_key(key)
    }

    fn add(&mut self, key: String, value: Value) {
        self.insert(key, value);
    }
}

impl<V> Members<V> for IndexMap<String, V> {
    fn has(&self, key: &str) -> bool {
        self.contains_key(key)
    }

    fn add(&mut self, key: String, value: V) {
        self.insert(key, value);
    }
}

/// Decodes an object, and refuses a key that stands there twice.
pub(crate) fn members<'de, D, M, V>(deserializer: D) -> Result<M, D::Error>
where
    D: Deserializer<'de>,
    M: Members<V>,
    V: Deserialize<'de>,
{
    deserializer.deserialize_map(MembersVisitor(PhantomData))
}

/// Adds a member that must be new.
pub(crate) fn insert<M, V, E>(members: &mut M, key: String, value: V) -> Result<(), E>
where
    M: Members<V>,
    E: de::Error,
{
    if members.has(&key) {
        return Err(E::custom(format_args!("duplicate field `{key}`")));
    }
    members.add(key, value);
    Ok(())
}

struct MembersVisitor<M, V>(PhantomData<(M, V)>);

impl<'de, M: Members<V>, V: Deserialize<'de>> Visitor<'de> for MembersVisitor<M, V> {
    type Value = M;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<M, A::Error> {
        let mut members = M::default();
        while let Some((key, value)) = map.next_entry()? {
            insert(&mut members, key, value)?;
        }
        Ok(members)
    }
}
