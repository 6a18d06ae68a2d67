//! Objects with free keys, each of which stands there once.

mod json;

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use indexmap::IndexMap;
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::{Map, Value};

pub use json::check_unique_members;
pub(crate) use json::{object, optional_object, present_value};

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

impl<V> Members<V> for BTreeMap<String, V> {
    fn has(&self, key: &str) -> bool {
        self.contains_key(key)
    }

    fn add(&mut self, key: String, value: V) {
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

/// As [`members`], where there is such an object.
pub(crate) fn optional_members<'de, D, M, V>(deserializer: D) -> Result<Option<M>, D::Error>
where
    D: Deserializer<'de>,
    M: Members<V>,
    V: Deserialize<'de>,
{
    struct Once<M, V>(M, PhantomData<V>);

    impl<'de, M: Members<V>, V: Deserialize<'de>> Deserialize<'de> for Once<M, V> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            members(deserializer).map(|members| Self(members, PhantomData))
        }
    }

    let found: Option<Once<M, V>> = Option::deserialize(deserializer)?;
    Ok(found.map(|once| once.0))
}

/// Adds a member that must be new.
pub(crate) fn insert<M, V, E>(members: &mut M, key: String, value: V) -> Result<(), E>
where
    M: Members<V>,
    E: de::Error,
{
    if members.has(&key) {
        return Err(duplicate(&key));
    }
    members.add(key, value);
    Ok(())
}

fn duplicate<E: de::Error>(key: &str) -> E {
    E::custom(format_args!("duplicate field `{key}`"))
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
