//! A map that grows by key.

use std::ops::Deref;
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};
use serde_json::Value;

use super::field::Replaced;
use super::last::Plain;
use super::{Change, Field, Json, Overwrite, StateError, Write};

/// A map into which every write merges its entries; the last write of a key wins, in task
/// order. An entry whose new value is `None` is removed.
///
/// A clone shares the map; a checkpoint keeps the entries that changed.
#[derive(Clone, Debug)]
pub struct Merge<V> {
    entries: Arc<IndexMap<String, V>>,
    /// Each key once, so that it does not grow where nothing keeps checkpoints.
    changed: IndexSet<String>,
    replaced: Replaced,
}

impl<V> Merge<V> {
    /// A map of these entries to begin with.
    #[must_use]
    pub fn new(entries: IndexMap<String, V>) -> Self {
        Self {
            changed: entries.keys().cloned().collect(),
            entries: Arc::new(entries),
            replaced: Replaced::default(),
        }
    }
}

impl<V> Default for Merge<V> {
    fn default() -> Self {
        Self::new(IndexMap::new())
    }
}

impl<V> Deref for Merge<V> {
    type Target = IndexMap<String, V>;

    fn deref(&self) -> &IndexMap<String, V> {
        &self.entries
    }
}

impl<V: Plain> Merge<V> {
    fn put(&mut self, key: String, value: Option<V>) {
        let entries = Arc::make_mut(&mut self.entries);
        match value {
            Some(value) => {
                entries.insert(key.clone(), value);
            }
            None => {
                entries.shift_remove(&key);
            }
        }
        self.changed.insert(key);
    }
}

impl<V: Plain> Field for Merge<V> {
    type Update = Overwrite<IndexMap<String, Option<V>>, IndexMap<String, V>>;

    fn apply(&mut self, update: Self::Update, write: &Write<'_>) -> Result<(), StateError> {
        match update {
            Overwrite::With(entries) if self.replaced.admits() => {
                for (key, value) in entries {
                    self.put(key, value);
                }
            }
            Overwrite::With(_) => {}
            Overwrite::All(entries) => {
                self.replaced.claim(write)?;
                self.changed.extend(self.entries.keys().cloned());
                self.changed.extend(entries.keys().cloned());
                self.entries = Arc::new(entries);
            }
        }
        Ok(())
    }

    fn to_json(&self) -> Result<Value, StateError> {
        Ok(serde_json::to_value(&*self.entries)?)
    }

    fn next_step(&mut self) {
        self.replaced.reset();
    }

    fn take_change(&mut self) -> Result<Option<Change>, StateError> {
        if self.changed.is_empty() {
            return Ok(None);
        }
        let (mut set, mut removed) = (Vec::new(), Vec::new());
        for key in std::mem::take(&mut self.changed) {
            match self.entries.get(&key) {
                Some(value) => set.push((key, Json::of(value)?)),
                None => removed.push(key),
            }
        }
        Ok(Some(Change::Entries { set, removed }))
    }

    fn replay(&mut self, change: &Change) -> Result<(), StateError> {
        let Change::Entries { set, removed } = change else {
            return Err(change.unfit());
        };
        let entries = Arc::make_mut(&mut self.entries);
        for key in removed {
            entries.shift_remove(key);
        }
        for (key, value) in set {
            entries.insert(key.clone(), value.read()?);
        }
        self.changed.clear();
        Ok(())
    }
}
