//! A state whose fields are chosen at run time.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use indexmap::IndexMap;
use mcp_interceptors::JsonMap;
use mcp_model::ChatMessage;
use serde_json::Value;

use super::{
    Change, Changes, Field, Log, Messages, State, StateError, Write, read_field, unknown_field,
};

/// The fields of a [`JsonState`], each with what it holds to begin with.
///
/// ```
/// use mcp_agent::state::{JsonSchema, Last, Messages, Sum};
/// use serde_json::Value;
/// let state = JsonSchema::new()
///     .field("messages", Messages::new())
///     .field("cost", Sum::<f64>::default())
///     .field("place", Last::<Value>::default())
///     .build();
/// assert_eq!(state.get("cost"), Some(0.0.into()));
/// ```
#[derive(Clone, Debug, Default)]
pub struct JsonSchema(JsonState);

impl JsonSchema {
    /// No fields.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a field, in place of one of the same name.
    #[must_use]
    pub fn field<F: Field + fmt::Debug>(mut self, name: impl Into<String>, field: F) -> Self {
        self.0.fields.insert(name.into().into(), Box::new(field));
        self
    }

    /// What a field without a name of its own becomes: unknown names are then no error.
    #[must_use]
    pub fn any_other<F: Field + fmt::Debug>(mut self, field: F) -> Self {
        self.0.other = Some(Box::new(field));
        self
    }

    /// The state with its first values.
    #[must_use]
    pub fn build(self) -> JsonState {
        self.0
    }
}

/// A state whose fields are chosen at run time; an update is a JSON object.
#[derive(Clone, Default)]
pub struct JsonState {
    fields: IndexMap<Arc<str>, Box<dyn AnyField>>,
    other: Option<Box<dyn AnyField>>,
}

impl JsonState {
    /// A field's value as JSON. `None` if there is no such field.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Value> {
        self.fields.get(name).and_then(|field| field.json().ok())
    }

    /// A field as what it is. `None` if there is no such field or it is of another type.
    #[must_use]
    pub fn field<F: Field>(&self, name: &str) -> Option<&F> {
        self.fields
            .get(name)
            .and_then(|field| field.as_any().downcast_ref())
    }

    fn named(&mut self, name: &str) -> Result<&mut Box<dyn AnyField>, StateError> {
        if !self.fields.contains_key(name) {
            let Some(other) = self.other.clone() else {
                return Err(unknown_field(
                    name,
                    self.fields.keys().map(|known| &**known),
                ));
            };
            self.fields.insert(name.into(), other);
        }
        self.fields
            .get_mut(name)
            .ok_or_else(|| StateError::new("the field is gone"))
    }
}

impl fmt::Debug for JsonState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(&self.fields).finish()
    }
}

impl State for JsonState {
    type Update = JsonMap;

    fn apply(&mut self, update: JsonMap, write: &Write<'_>) -> Result<(), StateError> {
        for (name, value) in update {
            self.named(&name)?
                .write(value, write)
                .map_err(|error| error.in_field(&name))?;
        }
        Ok(())
    }

    fn read(update: JsonMap) -> Result<JsonMap, StateError> {
        Ok(update)
    }

    fn said(&self, update: &JsonMap) -> Vec<Arc<ChatMessage>> {
        let each = update.iter().filter_map(|(name, value)| {
            let messages = self.field::<Messages>(name)?;
            let update = read_field(value.clone()).ok()?;
            Some(messages.said(&update))
        });
        each.flatten().collect()
    }

    fn next_step(&mut self) {
        for field in self.fields.values_mut() {
            field.step();
        }
    }

    fn log(&mut self, log: Log<'_>) -> Result<(), StateError> {
        match log {
            Log::Take(changes) => {
                for (name, field) in &mut self.fields {
                    let change = field.take().map_err(|error| error.in_field(name))?;
                    changes.put(name.as_ref().to_owned(), change);
                }
            }
            Log::Replay(changes) => {
                for (name, change) in changes.iter() {
                    self.named(name)?
                        .replay_any(change)
                        .map_err(|error| error.in_field(name))?;
                }
            }
        }
        Ok(())
    }

    fn to_json(&self) -> Result<JsonMap, StateError> {
        let named = self.fields.iter();
        named
            .map(|(name, field)| {
                let value = field.json().map_err(|error| error.in_field(name))?;
                Ok((name.as_ref().to_owned(), value))
            })
            .collect()
    }
}

/// A state as a field of another one.
impl Field for JsonState {
    type Update = JsonMap;

    fn apply(&mut self, update: JsonMap, write: &Write<'_>) -> Result<(), StateError> {
        State::apply(self, update, write)
    }

    fn to_json(&self) -> Result<Value, StateError> {
        State::to_json(self).map(Value::Object)
    }

    fn next_step(&mut self) {
        State::next_step(self);
    }

    fn take_change(&mut self) -> Result<Option<Change>, StateError> {
        let mut changes = Changes::default();
        self.log(Log::Take(&mut changes))?;
        Ok(Some(Change::Fields(changes)).filter(|change| !change.is_empty()))
    }

    fn replay(&mut self, change: &Change) -> Result<(), StateError> {
        match change {
            Change::Fields(changes) => self.log(Log::Replay(changes)),
            Change::Set(_) | Change::Tail { .. } | Change::Entries { .. } => Err(change.unfit()),
        }
    }
}

/// A field of whatever type, written in JSON.
trait AnyField: fmt::Debug + Send + Sync {
    fn write(&mut self, value: Value, write: &Write<'_>) -> Result<(), StateError>;
    fn json(&self) -> Result<Value, StateError>;
    fn step(&mut self);
    fn take(&mut self) -> Result<Option<Change>, StateError>;
    fn replay_any(&mut self, change: &Change) -> Result<(), StateError>;
    fn boxed(&self) -> Box<dyn AnyField>;
    fn as_any(&self) -> &dyn Any;
}

impl<F: Field + fmt::Debug> AnyField for F {
    fn write(&mut self, value: Value, write: &Write<'_>) -> Result<(), StateError> {
        Field::apply(self, read_field(value)?, write)
    }

    fn json(&self) -> Result<Value, StateError> {
        Field::to_json(self)
    }

    fn step(&mut self) {
        Field::next_step(self);
    }

    fn take(&mut self) -> Result<Option<Change>, StateError> {
        self.take_change()
    }

    fn replay_any(&mut self, change: &Change) -> Result<(), StateError> {
        self.replay(change)
    }

    fn boxed(&self) -> Box<dyn AnyField> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Clone for Box<dyn AnyField> {
    fn clone(&self) -> Self {
        (**self).boxed()
    }
}
