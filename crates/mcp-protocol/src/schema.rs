//! The seam for JSON Schema: what reads a schema, and what checks values against it.

use std::fmt;

use serde_json::Value;

/// Reads JSON Schemas.
///
/// A schema that names no dialect is of 2020-12; one of a dialect that is not known is refused.
/// Nothing is ever fetched: a reference that leads out of the schema is refused as well.
/// Specification: basic protocol, JSON Schema Usage (since 2025-11-25).
pub trait SchemaValidator: fmt::Debug + Send + Sync + 'static {
    /// Reads a schema, once for all values.
    ///
    /// # Errors
    /// If it is not a schema, or more than the validator takes on.
    fn compile(&self, schema: &Value) -> Result<Box<dyn SchemaCheck>, SchemaError>;
}

/// A schema that was read.
pub trait SchemaCheck: Send + Sync + 'static {
    /// Checks a value, in bounded time.
    ///
    /// # Errors
    /// The first place where the value does not fit, if it does not.
    fn check(&self, value: &Value) -> Result<(), SchemaError>;
}

/// Where a value does not fit its schema, or a schema is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", if .path.is_empty() { String::new() } else { format!("at {path}: ") })]
#[non_exhaustive]
pub struct SchemaError {
    /// Where, as a JSON Pointer; empty for the whole.
    pub path: String,
    /// What is wrong there, for people and models.
    pub message: String,
}

impl SchemaError {
    /// An error at a place.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            message: message.into(),
        }
    }
}
