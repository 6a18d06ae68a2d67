//! A list that grows.

use std::ops::Deref;
use std::sync::Arc;

use serde_json::Value;

use super::field::Replaced;
use super::last::Plain;
use super::{Change, Field, Json, Overwrite, StateError, Write};

/// A list to whose end every write adds, in task order.
///
/// A clone shares the list; a checkpoint keeps what was added.
#[derive(Clone, Debug)]
pub struct Append<T> {
    items: Arc<Vec<T>>,
    /// How many items at the beginning the last checkpoint has.
    kept: usize,
    replaced: Replaced,
}

impl<T> Append<T> {
    /// A list of these items to begin with.
    #[must_use]
    pub fn new(items: Vec<T>) -> Self {
        Self {
            items: Arc::new(items),
            kept: 0,
            replaced: Replaced::default(),
        }
    }
}

impl<T> Default for Append<T> {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl<T> Deref for Append<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.items
    }
}

impl<T: Plain> Field for Append<T> {
    type Update = Overwrite<Vec<T>, Vec<T>>;

    fn apply(&mut self, update: Self::Update, write: &Write<'_>) -> Result<(), StateError> {
        match update {
            Overwrite::With(mut more) if self.replaced.admits() => {
                Arc::make_mut(&mut self.items).append(&mut more);
            }
            Overwrite::With(_) => {}
            Overwrite::All(items) => {
                self.replaced.claim(write)?;
                self.items = Arc::new(items);
                self.kept = 0;
            }
        }
        Ok(())
    }

    fn to_json(&self) -> Result<Value, StateError> {
        Ok(serde_json::to_value(&*self.items)?)
    }

    fn next_step(&mut self) {
        self.replaced.reset();
    }

    fn take_change(&mut self) -> Result<Option<Change>, StateError> {
        let from = self.kept;
        let changed = from != self.items.len() || self.replaced != Replaced::default();
        if !changed {
            return Ok(None);
        }
        let new = self.items.get(from..).unwrap_or_default();
        let items = new.iter().map(Json::of).collect::<Result<_, _>>()?;
        self.kept = self.items.len();
        Ok(Some(Change::Tail { from, items }))
    }

    fn replay(&mut self, change: &Change) -> Result<(), StateError> {
        let Change::Tail { from, items } = change else {
            return Err(change.unfit());
        };
        Change::check_tail(*from, self.items.len())?;
        let list = Arc::make_mut(&mut self.items);
        list.truncate(*from);
        for item in items {
            list.push(item.read()?);
        }
        self.kept = list.len();
        Ok(())
    }
}
