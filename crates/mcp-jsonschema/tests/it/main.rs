//! The validator from outside.

#![expect(clippy::expect_used, reason = "a test may panic")]

mod bounds;
mod dialects;
mod random;
mod references;

use mcp_jsonschema::JsonSchema;
use mcp_protocol::{SchemaCheck, SchemaError, SchemaValidator};
use serde_json::Value;

fn compile(schema: &Value) -> Result<Box<dyn SchemaCheck>, SchemaError> {
    JsonSchema::new().compile(schema)
}

/// Why a schema is refused.
fn refused(schema: &Value) -> String {
    compile(schema).err().expect("a refusal").to_string()
}

fn check(schema: &Value, value: &Value) -> Result<(), SchemaError> {
    compile(schema).expect("a schema").check(value)
}
