//! What a step changed, in the form that a checkpoint keeps.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use super::StateError;

/// A JSON value as text, written once.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Json(Box<RawValue>);

impl Json {
    /// Writes a value.
    ///
    /// # Errors
    /// If it cannot be written as JSON.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Result<Self, StateError> {
        Ok(Self(to_raw_value(value)?))
    }

    /// Reads it.
    ///
    /// # Errors
    /// If it does not fit `T`.
    pub fn read<'a, T: Deserialize<'a>>(&'a self) -> Result<T, StateError> {
        Ok(serde_json::from_str(self.0.get())?)
    }

    /// The JSON text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.get()
    }
}

/// `null`.
impl Default for Json {
    fn default() -> Self {
        Self(RawValue::NULL.to_owned())
    }
}

impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

/// What a step changed in one field. Never the whole of a list or a map because of one entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(
    clippy::exhaustive_enums,
    reason = "every storage has to know them all"
)]
pub enum Change {
    /// The field has this value now.
    Set(Json),
    /// From index `from` on, the list consists of `items`.
    Tail {
        /// How many items at the beginning stay.
        from: usize,
        /// The items behind them.
        items: Vec<Json>,
    },
    /// These entries of the map are new or changed, those are gone.
    Entries {
        /// New and changed entries, in their order.
        set: Vec<(String, Json)>,
        /// Entries that are gone.
        removed: Vec<String>,
    },
    /// The field has fields of its own, of which these changed.
    Fields(Changes),
}

impl Change {
    /// Whether nothing is changed by it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Set(_) | Self::Tail { .. } => false,
            Self::Entries { set, removed } => set.is_empty() && removed.is_empty(),
            Self::Fields(changes) => changes.is_empty(),
        }
    }

    /// Whether a list of `len` items can go on with a tail from `from` on.
    pub(super) fn check_tail(from: usize, len: usize) -> Result<(), StateError> {
        if from <= len {
            return Ok(());
        }
        let message = format!("the checkpoint goes on at item {from} of a list of {len}");
        Err(StateError::new(message))
    }

    /// What a field says to a change that is not of its kind.
    #[must_use]
    pub fn unfit(&self) -> StateError {
        StateError::new("the checkpoint holds a change that does not fit this field's type")
    }
}

/// What a step changed, by field. In JSON it is an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes(Vec<(Cow<'static, str>, Change)>);

impl Changes {
    /// Sets a field's change, if there is one.
    pub fn put(&mut self, field: impl Into<Cow<'static, str>>, change: Option<Change>) {
        let Some(change) = change else { return };
        let field = field.into();
        match self.get_mut(&field) {
            Some(known) => *known = change,
            None => self.0.push((field, change)),
        }
    }

    /// A field's change.
    #[must_use]
    pub fn get(&self, field: &str) -> Option<&Change> {
        let mut named = self.iter();
        named.find(|(name, _)| *name == field).map(|(_, c)| c)
    }

    fn get_mut(&mut self, field: &str) -> Option<&mut Change> {
        let mut named = self.0.iter_mut();
        named.find(|(name, _)| name == field).map(|(_, c)| c)
    }

    /// The changes with the names of their fields.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Change)> {
        self.0.iter().map(|(name, change)| (&**name, change))
    }

    /// Whether nothing changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Changes {
    /// Puts later changes behind these, so that both count as one.
    pub fn then(&mut self, later: &Self) {
        for (field, change) in &later.0 {
            match self.get_mut(field) {
                Some(earlier) => earlier.then(change),
                None => self.0.push((field.clone(), change.clone())),
            }
        }
    }
}

impl Serialize for Changes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for Changes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ReadChanges)
    }
}

struct ReadChanges;

impl<'de> Visitor<'de> for ReadChanges {
    type Value = Changes;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("changes by field")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Changes, A::Error> {
        let mut changes = Changes::default();
        while let Some((field, change)) = map.next_entry::<String, Change>()? {
            changes.put(field, Some(change));
        }
        Ok(changes)
    }
}

impl Change {
    fn then(&mut self, later: &Self) {
        match (self, later) {
            (
                Self::Tail { from, items },
                Self::Tail {
                    from: again,
                    items: more,
                },
            ) if again >= from => {
                items.truncate(again - *from);
                items.extend_from_slice(more);
            }
            (
                Self::Entries { set, removed },
                Self::Entries {
                    set: newer,
                    removed: gone,
                },
            ) => {
                set.retain(|(key, _)| !gone.contains(key));
                removed.extend_from_slice(gone);
                for (key, value) in newer {
                    removed.retain(|removed| removed != key);
                    match set.iter_mut().find(|(known, _)| known == key) {
                        Some((_, known)) => *known = value.clone(),
                        None => set.push((key.clone(), value.clone())),
                    }
                }
            }
            (Self::Fields(earlier), Self::Fields(later)) => earlier.then(later),
            (earlier, later) => *earlier = later.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(value: i32) -> Json {
        Json::of(&value).unwrap()
    }

    fn tail(from: usize, items: &[i32]) -> Change {
        let items = items.iter().copied().map(json).collect();
        Change::Tail { from, items }
    }

    #[test]
    fn changes_put_together_are_as_if_made_one_after_the_other() {
        let mut list = tail(0, &[1, 2, 3]);
        list.then(&tail(3, &[4]));
        list.then(&tail(1, &[9]));
        assert_eq!(list, tail(0, &[1, 9]));
        let mut short = tail(4, &[5]);
        short.then(&tail(2, &[7]));
        assert_eq!(short, tail(2, &[7]));

        let entries = |set: &[(&str, i32)], removed: &[&str]| Change::Entries {
            set: set
                .iter()
                .map(|(k, v)| ((*k).to_owned(), json(*v)))
                .collect(),
            removed: removed.iter().map(|k| (*k).to_owned()).collect(),
        };
        let mut map = entries(&[("a", 1), ("b", 2)], &[]);
        map.then(&entries(&[("a", 3)], &["b"]));
        assert_eq!(map, entries(&[("a", 3)], &["b"]));
        map.then(&entries(&[("b", 4)], &[]));
        assert_eq!(map, entries(&[("a", 3), ("b", 4)], &[]));

        let mut value = Change::Set(json(1));
        value.then(&Change::Set(json(2)));
        assert_eq!(value, Change::Set(json(2)));
    }
}
