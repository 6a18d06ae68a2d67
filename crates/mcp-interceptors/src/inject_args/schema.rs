//! Arguments in the schema of a tool, as far as its top level names them.

use serde_json::Value;

/// Whether the schema names the argument.
pub(super) fn declares(schema: &Value, name: &str) -> bool {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.is_some_and(|properties| properties.contains_key(name))
}

/// Whether there must be a value for the argument.
pub(super) fn requires(schema: &Value, name: &str) -> bool {
    let required = schema.get("required").and_then(Value::as_array);
    required.is_some_and(|required| required.iter().any(|of| of == name))
}

/// Takes arguments out.
pub(super) fn hide(schema: &mut Value, names: &[&str]) {
    let Some(schema) = schema.as_object_mut() else {
        return;
    };
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for name in names {
            // Keeps the order of the others.
            properties.shift_remove(*name);
        }
    }
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|of| of.as_str().is_none_or(|of| !names.contains(&of)));
        if required.is_empty() {
            schema.shift_remove("required");
        }
    }
}
