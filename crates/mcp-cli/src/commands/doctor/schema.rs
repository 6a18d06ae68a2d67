//! What is wrong with a JSON Schema.

use mcp::protocol::SchemaValidator as _;
use mcp_jsonschema::JsonSchema;
use serde_json::{Map, Value};

/// The most complaints about one schema.
const MAX: usize = 5;
/// No schema nests deeper for a reason.
const MAX_DEPTH: usize = 64;

const TYPES: [&str; 7] = [
    "array", "boolean", "integer", "null", "number", "object", "string",
];

/// The complaints about the schema of a tool's arguments.
pub(super) fn of_arguments(schema: &Value) -> Vec<String> {
    let mut complaints = of(schema);
    let is_object = schema.get("type").and_then(Value::as_str) == Some("object");
    if !is_object && complaints.len() < MAX {
        complaints.insert(0, "its `type` is not `object`".to_owned());
    }
    complaints
}

/// The complaints about a schema: about its structure, or else what a validator says.
pub(super) fn of(schema: &Value) -> Vec<String> {
    let mut walk = Walk {
        root: schema,
        complaints: Vec::new(),
    };
    walk.schema(schema, "", 0);
    if let ([], Err(error)) = (&*walk.complaints, JsonSchema::new().compile(schema)) {
        walk.complaints.push(error.to_string());
    }
    walk.complaints
}

struct Walk<'a> {
    root: &'a Value,
    complaints: Vec<String>,
}

impl Walk<'_> {
    fn complain(&mut self, at: &str, what: &str) {
        if self.complaints.len() < MAX {
            self.complaints.push(match at {
                "" => what.to_owned(),
                _ => format!("at {at}: {what}"),
            });
        }
    }

    fn schema(&mut self, schema: &Value, at: &str, depth: usize) {
        match schema {
            Value::Bool(_) => {}
            Value::Object(members) if depth < MAX_DEPTH => {
                for (key, value) in members {
                    self.member(key, value, &format!("{at}/{key}"), depth + 1);
                }
                self.required(members, at);
            }
            Value::Object(_) => self.complain(at, "it nests too deep"),
            _ => self.complain(at, "a schema is an object, or true or false"),
        }
    }

    fn member(&mut self, key: &str, value: &Value, at: &str, depth: usize) {
        match key {
            "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => {
                let Some(schemas) = value.as_object() else {
                    return self.complain(at, "expected an object of schemas");
                };
                for (name, schema) in schemas {
                    self.schema(schema, &format!("{at}/{name}"), depth);
                }
            }
            "allOf" | "anyOf" | "oneOf" | "prefixItems" => match value.as_array() {
                Some(schemas) if !schemas.is_empty() => self.each(schemas, at, depth),
                _ => self.complain(at, "expected a list of schemas, not an empty one"),
            },
            "items" if value.is_array() => {
                self.complain(at, "a list of schemas is `prefixItems` since 2020-12");
            }
            "items"
            | "additionalProperties"
            | "contains"
            | "propertyNames"
            | "not"
            | "if"
            | "then"
            | "else"
            | "unevaluatedItems"
            | "unevaluatedProperties" => {
                self.schema(value, at, depth);
            }
            "type" => self.kind(value, at),
            "enum" if !value.is_array() => self.complain(at, "expected a list"),
            "$ref" => self.reference(value, at),
            _ => {}
        }
    }

    fn each(&mut self, schemas: &[Value], at: &str, depth: usize) {
        for (n, schema) in schemas.iter().enumerate() {
            self.schema(schema, &format!("{at}/{n}"), depth);
        }
    }

    fn kind(&mut self, value: &Value, at: &str) {
        let known = |value: &Value| value.as_str().is_some_and(|name| TYPES.contains(&name));
        let fits = match value {
            Value::Array(kinds) => !kinds.is_empty() && kinds.iter().all(known),
            kind => known(kind),
        };
        if !fits {
            self.complain(at, &format!("there is no type {value}"));
        }
    }

    /// Every name that is required should be one that there is.
    fn required(&mut self, members: &Map<String, Value>, at: &str) {
        let Some(required) = members.get("required") else {
            return;
        };
        let at = format!("{at}/required");
        let Some(names) = required.as_array() else {
            return self.complain(&at, "expected a list of names");
        };
        let properties = members.get("properties").and_then(Value::as_object);
        for name in names {
            match (name.as_str(), properties) {
                (None, _) => self.complain(&at, "expected a list of names"),
                (Some(name), Some(properties)) if !properties.contains_key(name) => {
                    self.complain(&at, &format!("there is no property {name:?}"));
                }
                _ => {}
            }
        }
    }

    fn reference(&mut self, value: &Value, at: &str) {
        match value.as_str().map(|text| text.strip_prefix('#')) {
            None => self.complain(at, "expected a reference"),
            Some(None) => self.complain(at, "it leads out of the schema, where nobody follows"),
            Some(Some(pointer)) if pointer.is_empty() || pointer.starts_with('/') => {
                // A pointer with escapes is not followed here.
                if !pointer.contains('%') && self.root.pointer(pointer).is_none() {
                    self.complain(at, "it leads nowhere");
                }
            }
            // An anchor.
            Some(Some(_)) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn sound_schemas_are_left_alone() {
        for schema in [
            json!({"type": "object"}),
            json!({"type": "object", "properties": {"a": true, "b": {"$ref": "#/$defs/b"}},
                "required": ["a"], "$defs": {"b": {"type": ["string", "null"]}},
                "additionalProperties": false}),
            json!({"type": "object", "properties": {"type": {"type": "string"},
                "required": {"type": "boolean"}}, "required": ["type", "required"]}),
        ] {
            assert_eq!(of_arguments(&schema), [""; 0], "{schema}");
        }
    }

    #[test]
    fn each_mistake_is_told_with_its_place() {
        for (schema, complaint) in [
            (json!({}), "its `type` is not `object`"),
            (json!({"type": "array"}), "its `type` is not `object`"),
            (
                json!({"type": "object", "properties": {"a": {"type": "text"}}}),
                "at /properties/a/type: there is no type \"text\"",
            ),
            (
                json!({"type": "object", "properties": {"a": "string"}}),
                "at /properties/a: a schema is an object, or true or false",
            ),
            (
                json!({"type": "object", "properties": [], "required": ["a"]}),
                "at /properties: expected an object of schemas",
            ),
            (
                json!({"type": "object", "properties": {}, "required": ["a"]}),
                "at /required: there is no property \"a\"",
            ),
            (
                json!({"type": "object", "required": true}),
                "at /required: expected a list of names",
            ),
            (
                json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}}),
                "at /properties/a/$ref: it leads nowhere",
            ),
            (
                json!({"type": "object", "properties": {"a": {"$ref": "other.json"}}}),
                "at /properties/a/$ref: it leads out of the schema, where nobody follows",
            ),
            (
                json!({"type": "object", "oneOf": []}),
                "at /oneOf: expected a list of schemas, not an empty one",
            ),
            (
                json!({"type": "object", "properties": {"a": {"type": "array", "items": [{}]}}}),
                "at /properties/a/items: a list of schemas is `prefixItems` since 2020-12",
            ),
        ] {
            assert_eq!(of_arguments(&schema), [complaint], "{schema}");
        }
        for schema in [
            json!({"type": "object", "minProperties": "many"}),
            json!({"type": "object", "$schema": "https://schemas.example/mine"}),
            json!({"type": "object", "properties": {"a": {"pattern": "("}}}),
        ] {
            assert_eq!(of_arguments(&schema).len(), 1, "{schema}");
        }
    }

    #[test]
    fn complaints_are_bounded() {
        let mut deep = json!({"type": "x"});
        for _ in 0..100 {
            deep = json!({"type": "x", "not": deep});
        }
        assert_eq!(of(&deep).len(), MAX);
    }
}
