//! Why a store did not do what it was asked.

use std::error::Error as StdError;

use crate::error::BoxError;

/// A store did not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct StoreError {
    message: String,
    #[source]
    source: Option<BoxError>,
}

impl StoreError {
    /// An error with a sentence that says what happened: lower case, no full stop.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            source: None,
        }
    }

    /// The same error with what caused it.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }
}
