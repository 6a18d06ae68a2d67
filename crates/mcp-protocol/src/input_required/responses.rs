//! The client's answers to what a server asked.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::unique;

/// The client's answers to an input-required result, by the keys of its requests.
///
/// Each is a bare result: an [`ElicitResult`](crate::ElicitResult), a
/// [`CreateMessageResult`](crate::CreateMessageResult) or a
/// [`ListRootsResult`](crate::ListRootsResult). Who asked under a key knows which, so an answer
/// is decoded by key, never guessed.
///
/// Specification: Multi Round-Trip Requests. Since 2026-07-28.
///
/// ```
/// use mcp_protocol::{ElicitAction, ElicitResult, InputResponses};
/// let mut answers = InputResponses::new();
/// answers.insert("login", &ElicitResult::decline()).unwrap();
/// let login: ElicitResult = answers.get("login").unwrap().unwrap();
/// assert_eq!(login.action, ElicitAction::Decline);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct InputResponses(#[serde(deserialize_with = "unique::members")] Map<String, Value>);

impl InputResponses {
    /// No answers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the answer to the request under `key`.
    ///
    /// # Errors
    /// If the answer cannot be encoded as JSON.
    pub fn insert<T: Serialize>(
        &mut self,
        key: impl Into<String>,
        answer: &T,
    ) -> Result<(), serde_json::Error> {
        self.0.insert(key.into(), serde_json::to_value(answer)?);
        Ok(())
    }

    /// The answer under `key`; `None` if there is none yet.
    ///
    /// # Errors
    /// If the answer is not what was asked for.
    pub fn get<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, serde_json::Error> {
        self.0.get(key).map(T::deserialize).transpose()
    }

    /// The keys that are answered.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Whether nothing is answered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
