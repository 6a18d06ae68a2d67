//! A set that grows.

use std::hash::Hash;
use std::ops::Deref;
use std::sync::Arc;

use indexmap::IndexSet;
use serde_json::Value;

use super::field::Replaced;
use super::last::Plain;
use super::{Change, Field, Json, Overwrite, StateError, Write};

/// A set of different items in the order in which they first came.
#[derive(Clone, Debug)]
pub struct Distinct<T> {
    items: Arc<IndexSet<T>>,
    kept: usize,
    replaced: Replaced,
}

impl<T> Default for Distinct<T> {
    fn default() -> Self {
        Self {
            items: Arc::new(IndexSet::new()),
            kept: 0,
            replaced: Replaced::default(),
        }
    }
}

impl<T> Deref for Distinct<T> {
    type Target = IndexSet<T>;

    fn deref(&self) -> &IndexSet<T> {
        &self.items
    }
}

impl<T: Plain + Hash + Eq> Field for Distinct<T> {
    type Update = Overwrite<Vec<T>, Vec<T>>;

    fn apply(&mut self, update: Self::Update, write: &Write<'_>) -> Result<(), StateError> {
        match update {
            Overwrite::With(more) if self.replaced.admits() => {
                Arc::make_mut(&mut self.items).extend(more);
            }
            Overwrite::With(_) => {}
            Overwrite::All(items) => {
                self.replaced.claim(write)?;
                self.items = Arc::new(items.into_iter().collect());
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
        if from == self.items.len() && self.replaced == Replaced::default() {
            return Ok(None);
        }
        let new = self.items.iter().skip(from);
        let items = new.map(Json::of).collect::<Result<_, _>>()?;
        self.kept = self.items.len();
        Ok(Some(Change::Tail { from, items }))
    }

    fn replay(&mut self, change: &Change) -> Result<(), StateError> {
        let Change::Tail { from, items } = change else {
            return Err(change.unfit());
        };
        Change::check_tail(*from, self.items.len())?;
        let set = Arc::make_mut(&mut self.items);
        set.truncate(*from);
        for item in items {
            set.insert(item.read()?);
        }
        self.kept = set.len();
        Ok(())
    }
}
