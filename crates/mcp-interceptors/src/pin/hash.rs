//! What makes a definition the same.

use std::fmt::Write;

use mcp_protocol::Tool;
use serde_json::Value;

use crate::canonical;

/// SHA-256 over what a model or a person goes by: name, title, description, schemas, hints. The
/// order of members makes no difference; icons and `_meta` do not count.
pub(super) fn of(tool: &Tool) -> String {
    let mut text = String::new();
    canonical::text(&mut text, &tool.name);
    for part in [&tool.title, &tool.description] {
        match part {
            Some(part) => canonical::text(&mut text, part),
            None => text.push('-'),
        }
    }
    canonical::value(&mut text, &tool.input_schema);
    let annotations = serde_json::to_value(&tool.annotations).unwrap_or_default();
    let output = tool.output_schema.as_ref().unwrap_or(&Value::Null);
    canonical::value(&mut text, output);
    canonical::value(&mut text, &annotations);
    let mut hex = String::with_capacity(64);
    for byte in hmac_sha256::Hash::hash(text.as_bytes()) {
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}
