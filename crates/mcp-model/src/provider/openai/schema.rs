//! Tool schemas as Chat Completions takes them: an object on top, nothing around it.

use serde_json::{Map, Value, json};

use crate::ToolSpec;

/// A tool definition.
pub(super) fn tool(spec: &ToolSpec) -> Value {
    json!({
        "type": "function",
        "function": {
            "name": spec.name,
            "description": spec.description.as_deref().unwrap_or_default(),
            "parameters": parameters(&spec.input_schema),
        },
    })
}

/// The schema with `type: object` and `properties` on top. Alternatives and references on top,
/// which the API refuses, are merged into one object: it accepts all that the tool accepts, and
/// the tool itself says what it does not.
fn parameters(schema: &Value) -> Value {
    let mut top = schema.as_object().cloned().unwrap_or_default();
    let referred = match top.remove("$ref") {
        Some(Value::String(pointer)) => local(schema, &pointer).and_then(Value::as_object),
        _ => None,
    };
    for (key, value) in referred.into_iter().flatten() {
        top.entry(key.clone()).or_insert_with(|| value.clone());
    }
    let mut properties = match top.remove("properties") {
        Some(Value::Object(map)) => map,
        _ => Map::new(),
    };
    for keyword in ["anyOf", "oneOf", "allOf"] {
        let Some(Value::Array(branches)) = top.remove(keyword) else {
            continue;
        };
        for branch in &branches {
            let branch = match branch.get("$ref").and_then(Value::as_str) {
                Some(pointer) => local(schema, pointer).unwrap_or(branch),
                None => branch,
            };
            for (name, property) in branch
                .get("properties")
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
            {
                properties
                    .entry(name.clone())
                    .or_insert_with(|| property.clone());
            }
        }
    }
    top.remove("not");
    top.remove("enum");
    top.insert("type".to_owned(), "object".into());
    top.insert("properties".to_owned(), properties.into());
    top.into()
}

/// What a reference within the schema points to.
fn local<'s>(schema: &'s Value, pointer: &str) -> Option<&'s Value> {
    schema.pointer(pointer.strip_prefix('#')?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_always_stands_on_top() {
        assert_eq!(
            parameters(&json!({})),
            json!({"type": "object", "properties": {}})
        );
        assert_eq!(
            parameters(&json!(true)),
            json!({"type": "object", "properties": {}})
        );
        let choice = json!({"type": "object", "anyOf": [
            {"properties": {"a": {"type": "string"}}, "required": ["a"]},
            {"$ref": "#/$defs/B"},
        ], "$defs": {"B": {"properties": {"b": {}}}}});
        let merged = parameters(&choice);
        assert_eq!(
            merged["properties"],
            json!({"a": {"type": "string"}, "b": {}})
        );
        assert!(merged.get("anyOf").is_none() && merged.get("required").is_none());
        let referred = json!({"$ref": "#/$defs/T", "$defs": {"T": {"properties": {"x": {}}, "required": ["x"]}}});
        assert_eq!(parameters(&referred)["required"], json!(["x"]));
    }
}
