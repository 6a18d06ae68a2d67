//! Fields that only the program writes, and that nobody outside sees.

use std::ops::Deref;

use serde_json::Value;

use crate::state::{Change, Field, StateError, Write};

/// A field that only the program writes: no input, no tool. In JSON, and so in streams and for
/// tools, it is `null`; checkpoints keep it.
#[derive(Clone, Debug, Default)]
pub struct Private<F>(F);

impl<F> Private<F> {
    /// A field that begins with this.
    pub const fn new(field: F) -> Self {
        Self(field)
    }
}

impl<F> Deref for Private<F> {
    type Target = F;

    fn deref(&self) -> &F {
        &self.0
    }
}

impl<F: Field> Field for Private<F> {
    type Update = F::Update;

    fn apply(&mut self, update: F::Update, write: &Write<'_>) -> Result<(), StateError> {
        self.0.apply(update, write)
    }

    fn to_json(&self) -> Result<Value, StateError> {
        Ok(Value::Null)
    }

    fn next_step(&mut self) {
        self.0.next_step();
    }

    fn take_change(&mut self) -> Result<Option<Change>, StateError> {
        self.0.take_change()
    }

    fn replay(&mut self, change: &Change) -> Result<(), StateError> {
        self.0.replay(change)
    }
}
