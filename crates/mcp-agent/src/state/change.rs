//! What a step changed, in the form that a checkpoint keeps.

use std::collections::BTreeMap;

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
}

impl Change {
    /// What a field says to a change that is not of its kind.
    #[must_use]
    pub fn unfit(&self) -> StateError {
        StateError::new("the checkpoint holds a change that does not fit this field's type")
    }
}

/// What a step changed, by field.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Changes(pub BTreeMap<String, Change>);

impl Changes {
    /// Adds a field's change, if there is one.
    pub fn put(&mut self, field: &str, change: Option<Change>) {
        if let Some(change) = change {
            self.0.insert(field.to_owned(), change);
        }
    }

    /// A field's change.
    #[must_use]
    pub fn get(&self, field: &str) -> Option<&Change> {
        self.0.get(field)
    }

    /// Whether nothing changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
