//! Fields that hold the last value written.

use std::ops::Deref;

use serde::de::{DeserializeOwned, Deserializer, IgnoredAny};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Change, Field, Json, StateError, Write};

/// Values that a plain field can hold.
pub trait Plain: Clone + Serialize + DeserializeOwned + Send + Sync + 'static {}

impl<T: Clone + Serialize + DeserializeOwned + Send + Sync + 'static> Plain for T {}

macro_rules! plain_field {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default)]
        pub struct $name<T> {
            value: T,
            written: bool,
            changed: bool,
        }

        impl<T> $name<T> {
            /// A field with this value to begin with.
            pub const fn new(value: T) -> Self {
                Self { value, written: false, changed: false }
            }

            /// The value.
            pub const fn get(&self) -> &T {
                &self.value
            }
        }

        impl<T> Deref for $name<T> {
            type Target = T;

            fn deref(&self) -> &T {
                &self.value
            }
        }
    };
}

plain_field! {
    /// The last value written. Two values in one step are an error, because which of two
    /// parallel tasks is right is for a rule to say: use another field, or [`LastInOrder`].
    Last
}

plain_field! {
    /// The last value written; of several in one step, that of the last task in task order,
    /// whichever finished first.
    LastInOrder
}

plain_field! {
    /// A value for the next step only: it is back to its default one step later, unless written
    /// again.
    Ephemeral
}

/// A value that no checkpoint and no stream shows, such as a handle: after a resume it is back
/// to its default. It cannot be written from JSON.
#[derive(Clone, Debug, Default)]
pub struct Untracked<T> {
    value: T,
    written: bool,
}

impl<T> Deref for Untracked<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

fn refuse_second(written: bool, write: &Write<'_>) -> Result<(), StateError> {
    if written && !write.last_wins {
        return Err(StateError::new(format!(
            "more than one value in step {}, the second from {}; a field that several tasks \
             write needs a rule that combines them",
            write.step, write.node
        )));
    }
    Ok(())
}

impl<T: Plain> Field for Last<T> {
    type Update = T;

    fn apply(&mut self, update: T, write: &Write<'_>) -> Result<(), StateError> {
        refuse_second(self.written, write)?;
        self.value = update;
        self.written = true;
        self.changed = true;
        Ok(())
    }

    fn to_json(&self) -> Result<Value, StateError> {
        Ok(serde_json::to_value(&self.value)?)
    }

    fn next_step(&mut self) {
        self.written = false;
    }

    fn take_change(&mut self) -> Result<Option<Change>, StateError> {
        take_set(&mut self.changed, &self.value)
    }

    fn replay(&mut self, change: &Change) -> Result<(), StateError> {
        self.value = read_set(change)?;
        Ok(())
    }
}

impl<T: Plain> Field for LastInOrder<T> {
    type Update = T;

    fn apply(&mut self, update: T, _: &Write<'_>) -> Result<(), StateError> {
        self.value = update;
        self.written = true;
        self.changed = true;
        Ok(())
    }

    fn to_json(&self) -> Result<Value, StateError> {
        Ok(serde_json::to_value(&self.value)?)
    }

    fn take_change(&mut self) -> Result<Option<Change>, StateError> {
        take_set(&mut self.changed, &self.value)
    }

    fn replay(&mut self, change: &Change) -> Result<(), StateError> {
        self.value = read_set(change)?;
        Ok(())
    }
}

impl<T: Plain + Default> Field for Ephemeral<T> {
    type Update = T;

    fn apply(&mut self, update: T, write: &Write<'_>) -> Result<(), StateError> {
        refuse_second(self.written, write)?;
        self.value = update;
        self.written = true;
        self.changed = true;
        Ok(())
    }

    fn to_json(&self) -> Result<Value, StateError> {
        Ok(serde_json::to_value(&self.value)?)
    }

    fn next_step(&mut self) {
        if self.written {
            self.value = T::default();
            self.changed = true;
        }
        self.written = false;
    }

    fn take_change(&mut self) -> Result<Option<Change>, StateError> {
        take_set(&mut self.changed, &self.value)
    }

    fn replay(&mut self, change: &Change) -> Result<(), StateError> {
        self.value = read_set(change)?;
        // It lives for one step also after a resume.
        self.written = true;
        Ok(())
    }
}

impl<T: Clone + Send + Sync + 'static> Field for Untracked<T> {
    type Update = Hidden<T>;

    fn apply(&mut self, update: Hidden<T>, write: &Write<'_>) -> Result<(), StateError> {
        let Some(value) = update.0 else { return Ok(()) };
        refuse_second(self.written, write)?;
        self.value = value;
        self.written = true;
        Ok(())
    }

    fn to_json(&self) -> Result<Value, StateError> {
        Ok(Value::Null)
    }

    fn next_step(&mut self) {
        self.written = false;
    }
}

/// A value for an [`Untracked`] field: in JSON it is `null`, and `null` writes nothing.
#[derive(Clone, Debug)]
pub struct Hidden<T>(Option<T>);

impl<T> From<T> for Hidden<T> {
    fn from(value: T) -> Self {
        Self(Some(value))
    }
}

impl<T> Serialize for Hidden<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

impl<'de, T> Deserialize<'de> for Hidden<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Self(None))
    }
}

pub(super) fn take_set<T: Serialize>(
    changed: &mut bool,
    value: &T,
) -> Result<Option<Change>, StateError> {
    if !std::mem::take(changed) {
        return Ok(None);
    }
    Json::of(value).map(|value| Some(Change::Set(value)))
}

pub(super) fn read_set<T: DeserializeOwned>(change: &Change) -> Result<T, StateError> {
    match change {
        Change::Set(value) => value.read(),
        Change::Tail { .. } | Change::Entries { .. } | Change::Fields(_) => Err(change.unfit()),
    }
}
