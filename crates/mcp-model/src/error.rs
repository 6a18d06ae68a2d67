//! Why a model gave no answer.

use std::error::Error;
use std::fmt;
use std::time::Duration;

/// A model gave no answer. [`kind`](Self::kind) says what a caller can do about it.
#[derive(Debug)]
pub struct ModelError {
    kind: ModelErrorKind,
    message: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

/// What kind of failure it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModelErrorKind {
    /// Too many requests or tokens in a time; wait and ask again.
    RateLimited {
        /// How long to wait, where the provider says so.
        retry_after: Option<Duration>,
    },
    /// The provider has no capacity or failed; ask again later.
    Overloaded,
    /// The conversation is longer than the model can read; shorten it.
    ContextTooLong,
    /// The request is wrong and will stay so; change it.
    BadRequest,
    /// The key is missing, wrong, or may not use this model.
    Auth,
    /// The provider was not reached, or the connection broke or took too long.
    Transport,
    /// The answer could not be read.
    Decode,
    /// A script for tests has no answer left, or was asked what it did not expect.
    Script,
}

impl ModelError {
    /// An error with a sentence that says what happened, lower case, without full stop.
    pub fn new(kind: ModelErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            source: None,
        }
    }

    /// The same error with what caused it.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// What kind of failure it was.
    #[must_use]
    pub const fn kind(&self) -> ModelErrorKind {
        self.kind
    }

    /// Whether the same request may succeed later.
    #[must_use]
    pub const fn is_transient(&self) -> bool {
        matches!(
            self.kind,
            ModelErrorKind::RateLimited { .. }
                | ModelErrorKind::Overloaded
                | ModelErrorKind::Transport
        )
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for ModelError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|e| e as _)
    }
}
