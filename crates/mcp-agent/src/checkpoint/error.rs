//! Why a checkpoint cannot be kept or read.

use std::error::Error as StdError;

use crate::error::BoxError;

/// A checkpoint cannot be kept or read.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct CheckpointError {
    message: String,
    #[source]
    source: Option<BoxError>,
}

impl CheckpointError {
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
