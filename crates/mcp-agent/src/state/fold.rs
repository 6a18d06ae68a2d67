//! Fields with a rule of one's own.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{AddAssign, Deref};

use serde_json::Value;

use super::field::Replaced;
use super::last::{Plain, read_set, take_set};
use super::{Change, Field, Overwrite, StateError, Write};

/// A rule of one's own: how an item goes into a value.
///
/// ```
/// use mcp_agent::state::{Fold, Folded};
///
/// #[derive(Clone, Debug)]
/// struct Longest;
/// impl Fold for Longest {
///     type Value = String;
///     type Item = String;
///     fn fold(value: &mut String, item: String) {
///         if item.len() > value.len() {
///             *value = item;
///         }
///     }
/// }
/// # let _: Folded<Longest> = Folded::default();
/// ```
pub trait Fold: 'static {
    /// What the field holds.
    type Value: Plain + Default;
    /// What a task writes.
    type Item: Plain;

    /// Puts an item into the value. Items come in task order.
    fn fold(value: &mut Self::Value, item: Self::Item);
}

/// A field with a rule of one's own. A checkpoint keeps the whole value whenever it changed.
pub struct Folded<F: Fold> {
    value: F::Value,
    changed: bool,
    replaced: Replaced,
    rule: PhantomData<fn() -> F>,
}

impl<F: Fold> Folded<F> {
    /// A field with this value to begin with.
    #[must_use]
    pub fn new(value: F::Value) -> Self {
        Self {
            value,
            changed: false,
            replaced: Replaced::default(),
            rule: PhantomData,
        }
    }
}

impl<F: Fold> Default for Folded<F> {
    fn default() -> Self {
        Self::new(F::Value::default())
    }
}

impl<F: Fold> Clone for Folded<F> {
    fn clone(&self) -> Self {
        Self {
            value: self.value.clone(),
            ..*self
        }
    }
}

impl<F: Fold<Value: fmt::Debug>> fmt::Debug for Folded<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

impl<F: Fold> Deref for Folded<F> {
    type Target = F::Value;

    fn deref(&self) -> &F::Value {
        &self.value
    }
}

impl<F: Fold> Field for Folded<F> {
    type Update = Overwrite<F::Item, F::Value>;

    fn apply(&mut self, update: Self::Update, write: &Write<'_>) -> Result<(), StateError> {
        match update {
            Overwrite::With(item) if self.replaced.admits() => F::fold(&mut self.value, item),
            Overwrite::With(_) => return Ok(()),
            Overwrite::All(value) => {
                self.replaced.claim(write)?;
                self.value = value;
            }
        }
        self.changed = true;
        Ok(())
    }

    fn to_json(&self) -> Result<Value, StateError> {
        Ok(serde_json::to_value(&self.value)?)
    }

    fn next_step(&mut self) {
        self.replaced.reset();
    }

    fn take_change(&mut self) -> Result<Option<Change>, StateError> {
        take_set(&mut self.changed, &self.value)
    }

    fn replay(&mut self, change: &Change) -> Result<(), StateError> {
        self.value = read_set(change)?;
        Ok(())
    }
}

/// The rule of [`Sum`].
#[derive(Debug)]
pub struct Adding<T>(PhantomData<fn() -> T>);

impl<T: Plain + Default + AddAssign> Fold for Adding<T> {
    type Value = T;
    type Item = T;

    fn fold(value: &mut T, item: T) {
        *value += item;
    }
}

/// The sum of all that was written.
pub type Sum<T> = Folded<Adding<T>>;
