//! One look at all of a schema: its size, and what in it may be referred to.

use std::io::{self, Write};

use mcp_protocol::SchemaError;
use serde_json::{Map, Value};

use crate::Limits;

/// What a schema has in it, wherever it stands.
#[derive(Debug, Default)]
pub(crate) struct Scan<'a> {
    /// Objects with an identifier of their own: references are relative to the nearest.
    pub(crate) resources: Vec<&'a Value>,
    /// Objects that a reference can name, with their names.
    pub(crate) anchors: Vec<(&'a str, &'a Value)>,
}

/// Looks at all of a schema, within the limits.
pub(crate) fn scan<'a>(schema: &'a Value, limits: &Limits) -> Result<Scan<'a>, SchemaError> {
    let mut found = Scan::default();
    let mut objects = 0;
    let mut todo = vec![(schema, 1)];
    while let Some((value, depth)) = todo.pop() {
        if depth > limits.schema_depth {
            return Err(more("is nested", limits.schema_depth, "levels deep"));
        }
        match value {
            Value::Object(members) => {
                objects += 1;
                found.note(value, members);
                todo.extend(members.values().map(|value| (value, depth + 1)));
            }
            Value::Array(items) => todo.extend(items.iter().map(|value| (value, depth + 1))),
            _ => {}
        }
        if objects > limits.subschemas {
            return Err(more("has", limits.subschemas, "subschemas"));
        }
    }
    // Only now: writing recurses.
    let mut counter = Counter(limits.schema_bytes);
    serde_json::to_writer(&mut counter, schema)
        .map_err(|_| more("has", limits.schema_bytes, "bytes"))?;
    Ok(found)
}

pub(crate) fn more(verb: &str, limit: impl std::fmt::Display, what: &str) -> SchemaError {
    SchemaError::new("", format!("the schema {verb} more than {limit} {what}"))
}

impl<'a> Scan<'a> {
    fn note(&mut self, value: &'a Value, members: &'a Map<String, Value>) {
        if identifier(members).is_some() {
            self.resources.push(value);
        }
        for keyword in ["$anchor", "$dynamicAnchor"] {
            if let Some(name) = members.get(keyword).and_then(Value::as_str) {
                self.anchors.push((name, value));
            }
        }
        // Until draft-07 an identifier may be an anchor.
        let id = members.get("$id").or_else(|| members.get("id"));
        if let Some(name) = id
            .and_then(Value::as_str)
            .and_then(|id| id.strip_prefix('#'))
        {
            self.anchors.push((name, value));
        }
        if members.get("$recursiveAnchor") == Some(&Value::Bool(true)) {
            self.anchors.push(("", value));
        }
    }
}

/// The identifier of an object that is a resource of its own.
fn identifier(members: &Map<String, Value>) -> Option<&str> {
    let id = members.get("$id").or_else(|| members.get("id"))?.as_str()?;
    (!id.starts_with('#')).then_some(id)
}

/// Counts down to what is too much.
struct Counter(usize);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let left = self.0.checked_sub(bytes.len());
        self.0 = left.ok_or(io::ErrorKind::FileTooLarge)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
