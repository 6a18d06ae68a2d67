//! One field of a state: a value, and the rule by which updates go into it.

use std::sync::Arc;

use mcp_model::ChatMessage;
use serde::de::{DeserializeOwned, Deserializer};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Change, StateError};

/// One field of a state: a value, and the rule by which updates go into it.
pub trait Field: Clone + Send + Sync + 'static {
    /// What a node writes.
    type Update: Serialize + DeserializeOwned + Send + Sync + 'static;

    /// Puts one task's update in.
    ///
    /// # Errors
    /// If the rule refuses it.
    fn apply(&mut self, update: Self::Update, write: &Write<'_>) -> Result<(), StateError>;

    /// The value as JSON.
    ///
    /// # Errors
    /// If it cannot be written as JSON.
    fn to_json(&self) -> Result<Value, StateError>;

    /// The messages that an update brings into a conversation. The default is a field that is
    /// none.
    fn said(&self, update: &Self::Update) -> Vec<Arc<ChatMessage>> {
        let _ = update;
        Vec::new()
    }

    /// A new step begins. The default does nothing.
    fn next_step(&mut self) {}

    /// What changed since the last time. The default is a field that no checkpoint keeps.
    ///
    /// # Errors
    /// If the value cannot be written as JSON.
    fn take_change(&mut self) -> Result<Option<Change>, StateError> {
        Ok(None)
    }

    /// Puts a change back. The default is a field that no checkpoint keeps.
    ///
    /// # Errors
    /// If the change does not fit.
    fn replay(&mut self, change: &Change) -> Result<(), StateError> {
        Err(change.unfit())
    }
}

/// Which task writes, and under which conditions.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Write<'a> {
    /// The node.
    pub node: &'a str,
    /// The step, from 0 for the input.
    pub step: u64,
    /// Differs for each task of each thread's namespace and is the same when a run is repeated;
    /// ids are made from it.
    pub seed: u64,
    /// Whether several values for a plain field are fine, the last in task order winning.
    pub last_wins: bool,
}

impl<'a> Write<'a> {
    /// A write by a task of `node`.
    #[must_use]
    pub const fn new(node: &'a str, step: u64, seed: u64) -> Self {
        Self {
            node,
            step,
            seed,
            last_wins: false,
        }
    }

    /// The same write where the last of several values wins.
    #[must_use]
    pub const fn last_wins(mut self) -> Self {
        self.last_wins = true;
        self
    }
}

/// An update for a field that gathers: one more, or instead of all.
///
/// In JSON an overwriting update is `{"__overwrite__": value}`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "one more, or instead of all")]
pub enum Overwrite<T, V> {
    /// Goes in by the field's rule.
    With(T),
    /// Replaces the value. Other writes of the same step are ignored; a second one that
    /// replaces is an error.
    All(V),
}

impl<T, V> From<T> for Overwrite<T, V> {
    fn from(value: T) -> Self {
        Self::With(value)
    }
}

const MARK: &str = "__overwrite__";

impl<T: Serialize, V: Serialize> Serialize for Overwrite<T, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::With(value) => value.serialize(serializer),
            Self::All(value) => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry(MARK, value)?;
                map.end()
            }
        }
    }
}

impl<'de, T: DeserializeOwned, V: DeserializeOwned> Deserialize<'de> for Overwrite<T, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error as _;
        let mut value = Value::deserialize(deserializer)?;
        let marked = value
            .as_object_mut()
            .filter(|map| map.len() == 1)
            .and_then(|map| map.remove(MARK));
        match marked {
            Some(all) => serde_json::from_value(all).map(Self::All),
            None => serde_json::from_value(value).map(Self::With),
        }
        .map_err(D::Error::custom)
    }
}

/// What a gathering field remembers of the step: whether its value was replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Replaced(bool);

impl Replaced {
    pub(crate) fn reset(&mut self) {
        self.0 = false;
    }

    /// Whether a plain write still counts.
    pub(crate) const fn admits(self) -> bool {
        !self.0
    }

    /// Claims the one replacing write of the step.
    pub(crate) fn claim(&mut self, write: &Write<'_>) -> Result<(), StateError> {
        if self.0 && !write.last_wins {
            return Err(StateError::new(format!(
                "two tasks of step {} replace the whole value, the second is {}",
                write.step, write.node
            )));
        }
        self.0 = true;
        Ok(())
    }
}
