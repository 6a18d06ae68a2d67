//! The validator, and schemas that it has read.

use jsonschema::{PatternOptions, Retrieve, Uri, ValidationError, Validator};
use mcp_protocol::{SchemaCheck, SchemaError, SchemaValidator};
use serde_json::Value;

use crate::cost::Cost;
use crate::graph::Graph;
use crate::scan::scan;
use crate::{Limits, dialect};

/// The longest message of an error, in bytes.
const MESSAGE: usize = 400;

/// Reads JSON Schemas of the dialects 2020-12 (the default), 2019-09, draft-07, draft-06 and
/// draft-04.
///
/// Nothing is ever fetched, and what exceeds its [`Limits`] is refused. It keeps nothing: whoever
/// asks keeps the [`SchemaCheck`] that a schema was made into.
#[derive(Clone, Copy, Debug, Default)]
pub struct JsonSchema {
    limits: Limits,
}

impl JsonSchema {
    /// A validator with the default limits.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A validator with other limits.
    #[must_use]
    pub const fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// What is taken on.
    #[must_use]
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }
}

impl SchemaValidator for JsonSchema {
    fn compile(&self, schema: &Value) -> Result<Box<dyn SchemaCheck>, SchemaError> {
        let draft = dialect::of(schema)?;
        let scan = scan(schema, &self.limits)?;
        let graph = Graph::new(schema, &scan, &self.limits)?;
        let patterns = PatternOptions::regex()
            .size_limit(self.limits.pattern_bytes)
            .dfa_size_limit(self.limits.pattern_bytes);
        let validator = jsonschema::options()
            .with_draft(draft)
            .with_retriever(Nothing)
            .with_pattern_options(patterns)
            .build(schema)
            .map_err(|error| described(&error))?;
        Ok(Box::new(Checked {
            validator,
            cost: Cost::new(graph),
            limits: self.limits,
        }))
    }
}

/// A schema that was read.
struct Checked {
    validator: Validator,
    cost: Cost,
    limits: Limits,
}

impl SchemaCheck for Checked {
    fn check(&self, value: &Value) -> Result<(), SchemaError> {
        self.cost.admit(value, &self.limits)?;
        // The short answer remembers what it has seen; the long one is for what does not fit.
        if self.validator.is_valid(value) {
            return Ok(());
        }
        match self.validator.validate(value) {
            Ok(()) => Err(SchemaError::new("", "does not fit the schema")),
            Err(error) => Err(described(&error)),
        }
    }
}

/// Fetches nothing.
struct Nothing;

impl Retrieve for Nothing {
    fn retrieve(&self, _: &Uri<String>) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        Err("references out of a schema are not followed".into())
    }
}

/// The error with its place, and without the value, which may be long.
fn described(error: &ValidationError<'_>) -> SchemaError {
    let mut message = error.masked_with("this").to_string();
    if message.len() > MESSAGE {
        let end = (0..=MESSAGE)
            .rev()
            .find(|end| message.is_char_boundary(*end));
        message.truncate(end.unwrap_or_default());
        message.push_str("...");
    }
    SchemaError::new(error.instance_path().as_str(), message)
}
