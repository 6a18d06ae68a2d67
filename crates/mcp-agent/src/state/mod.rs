//! What a run knows, and how the nodes' updates go into it.

mod append;
mod change;
mod field;
mod fold;
mod json;
mod last;
mod macros;
mod merge;
mod message_id;
mod messages;
mod messages_update;
mod set;

use std::sync::Arc;

use mcp_model::ChatMessage;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use mcp_interceptors::JsonMap;

pub use append::Append;
pub use change::{Change, Changes, Json};
pub use field::{Field, Overwrite, Write};
pub use fold::{Adding, Fold, Folded, Sum};
pub use json::{JsonSchema, JsonState};
pub use last::{Ephemeral, Hidden, Last, LastInOrder, Plain, Untracked};
pub use merge::Merge;
pub use message_id::MessageId;
pub(crate) use message_id::mix;
pub use messages::Messages;
pub use messages_update::{MessageUpdate, MessagesUpdate};
pub use set::Distinct;

/// What a run knows.
///
/// A state is a struct of [`Field`]s; the type of a field says how updates go into it. The
/// [`state!`](crate::state!) macro writes the implementation; [`JsonState`] is one whose fields
/// are chosen at run time.
///
/// A clone has to be cheap: the tasks of a step share one snapshot, and a snapshot that somebody
/// keeps makes the next step copy what it changes.
pub trait State: Clone + Send + Sync + 'static {
    /// What a node gives back: a new value for some of the fields.
    type Update: Serialize + DeserializeOwned + Send + Sync + 'static;

    /// Puts one task's update into the state.
    ///
    /// # Errors
    /// If a field refuses its part. The state may then be half updated; the run that owns it
    /// throws it away and goes back to the last checkpoint.
    fn apply(&mut self, update: Self::Update, write: &Write<'_>) -> Result<(), StateError>;

    /// Reads an update from JSON, as a [`Command`](mcp_interceptors::Command) carries it.
    ///
    /// # Errors
    /// If a name is no field, or a value does not fit its field.
    fn read(update: JsonMap) -> Result<Self::Update, StateError>;

    /// The messages that an update brings into a conversation, for those who listen. The default
    /// is a state without one.
    fn said(&self, update: &Self::Update) -> Vec<Arc<ChatMessage>> {
        let _ = update;
        Vec::new()
    }

    /// Tells every field that a new step begins.
    fn next_step(&mut self);

    /// What changed since the last time, or puts such changes back.
    ///
    /// # Errors
    /// If a value cannot be written as JSON, or read from it.
    fn log(&mut self, log: Log<'_>) -> Result<(), StateError>;

    /// The whole state as JSON, for people and streams.
    ///
    /// # Errors
    /// If a value cannot be written as JSON.
    fn to_json(&self) -> Result<JsonMap, StateError>;
}

/// The two directions of [`State::log`].
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "out and in; there is no third")]
pub enum Log<'a> {
    /// Put in what changed since the last time.
    Take(&'a mut Changes),
    /// Apply these changes to a state that has seen all changes before them.
    Replay(&'a Changes),
}

/// Why an update does not fit the state.
#[derive(Debug, thiserror::Error)]
#[error("{}", match field {
    Some(field) => format!("field {field}: {message}"),
    None => message.clone(),
})]
pub struct StateError {
    field: Option<String>,
    message: String,
}

impl StateError {
    /// An error with a sentence that says what is wrong: lower case, no full stop.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            field: None,
            message: message.into(),
        }
    }

    /// The same error with the name of the field.
    #[must_use]
    pub fn in_field(mut self, field: &str) -> Self {
        self.field.get_or_insert_with(|| field.to_owned());
        self
    }
}

impl From<serde_json::Error> for StateError {
    fn from(error: serde_json::Error) -> Self {
        Self::new(error.to_string())
    }
}

/// Names an unknown field and those that exist.
pub fn unknown_field<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> StateError {
    let known: Vec<&str> = known.into_iter().collect();
    StateError::new(format!(
        "there is no field {name}; the fields are {}",
        known.join(", ")
    ))
}

/// Reads one field's update from JSON.
///
/// # Errors
/// If the value does not fit.
pub fn read_field<T: DeserializeOwned>(value: Value) -> Result<T, StateError> {
    serde_json::from_value(value).map_err(StateError::from)
}
