//! Arguments of tools that Streamable HTTP repeats in headers.
//!
//! Specification: Streamable HTTP, `x-mcp-header`. Since 2026-07-28.

use serde_json::{Map, Value};

const MARK: &str = "x-mcp-header";
/// No schema nests deeper for a reason.
const MAX_DEPTH: usize = 64;

/// An argument that its schema marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Marked {
    /// What follows `Mcp-Param-` in the name of the header.
    pub(crate) header: String,
    /// The names of the properties that lead to it.
    path: Vec<String>,
}

/// Why a client must not offer a tool over HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum InvalidMark {
    #[error("x-mcp-header is not a name that a header can have")]
    Name,
    #[error("two properties have the same x-mcp-header")]
    Twice,
    #[error("x-mcp-header stands at a property that is neither string, integer nor boolean")]
    Type,
    #[error("x-mcp-header stands where no plain property leads to")]
    Place,
}

/// The marked arguments of a tool with this input schema.
///
/// # Errors
/// The first mark that breaks a rule.
pub(crate) fn marked(schema: &Value) -> Result<Vec<Marked>, InvalidMark> {
    let mut walk = Walk::default();
    walk.schema(schema, true, 0)?;
    Ok(walk.found)
}

/// The headers of a call with these arguments: name parts and plain values. What is absent,
/// `null` or of another type has none.
pub(crate) fn values(marked: &[Marked], arguments: &Value) -> Vec<(String, String)> {
    let value = |marked: &Marked| {
        let at = |value, key: &String| Value::get(value, key);
        let text = match marked.path.iter().try_fold(arguments, at)? {
            Value::String(text) => text.clone(),
            Value::Bool(flag) => flag.to_string(),
            Value::Number(number) if !number.is_f64() => number.to_string(),
            _ => return None,
        };
        Some((marked.header.clone(), text))
    };
    marked.iter().filter_map(value).collect()
}

#[derive(Default)]
struct Walk {
    path: Vec<String>,
    found: Vec<Marked>,
}

impl Walk {
    /// Looks at a schema; `plain` says that nothing but `properties` leads to it.
    fn schema(&mut self, schema: &Value, plain: bool, depth: usize) -> Result<(), InvalidMark> {
        let Some(schema) = schema.as_object().filter(|_| depth < MAX_DEPTH) else {
            return Ok(());
        };
        if let Some(mark) = schema.get(MARK) {
            self.mark(schema, mark, plain)?;
        }
        for (key, value) in schema {
            match (key.as_str(), value) {
                ("properties", Value::Object(properties)) => {
                    self.properties(properties, plain, depth)?;
                }
                (
                    "$defs" | "definitions" | "patternProperties" | "dependentSchemas",
                    Value::Object(schemas),
                ) => self.each(schemas.values(), depth)?,
                ("allOf" | "anyOf" | "oneOf" | "prefixItems" | "items", Value::Array(schemas)) => {
                    self.each(schemas.iter(), depth)?;
                }
                (
                    "items"
                    | "additionalItems"
                    | "contains"
                    | "additionalProperties"
                    | "propertyNames"
                    | "unevaluatedItems"
                    | "unevaluatedProperties"
                    | "not"
                    | "if"
                    | "then"
                    | "else",
                    schema,
                ) => self.schema(schema, false, depth + 1)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn properties(
        &mut self,
        properties: &Map<String, Value>,
        plain: bool,
        depth: usize,
    ) -> Result<(), InvalidMark> {
        for (name, schema) in properties {
            self.path.push(name.clone());
            self.schema(schema, plain, depth + 1)?;
            self.path.pop();
        }
        Ok(())
    }

    fn each<'a>(
        &mut self,
        schemas: impl Iterator<Item = &'a Value>,
        depth: usize,
    ) -> Result<(), InvalidMark> {
        for schema in schemas {
            self.schema(schema, false, depth + 1)?;
        }
        Ok(())
    }

    fn mark(
        &mut self,
        schema: &Map<String, Value>,
        mark: &Value,
        plain: bool,
    ) -> Result<(), InvalidMark> {
        let header = mark.as_str().filter(|name| is_token(name));
        let header = header.ok_or(InvalidMark::Name)?;
        if !plain || self.path.is_empty() {
            return Err(InvalidMark::Place);
        }
        let kind = schema.get("type").and_then(Value::as_str);
        if !matches!(kind, Some("string" | "integer" | "boolean")) {
            return Err(InvalidMark::Type);
        }
        if self
            .found
            .iter()
            .any(|other| other.header.eq_ignore_ascii_case(header))
        {
            return Err(InvalidMark::Twice);
        }
        self.found.push(Marked {
            header: header.to_owned(),
            path: self.path.clone(),
        });
        Ok(())
    }
}

/// A token of RFC 9110, section 5.6.2.
fn is_token(name: &str) -> bool {
    let is_char = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    !name.is_empty() && name.bytes().all(is_char)
}

#[cfg(test)]
mod tests {
    use super::{InvalidMark, marked, values};
    use serde_json::json;

    #[test]
    fn marked_arguments_become_headers() {
        let schema = json!({"type": "object", "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "nested": {"type": "object", "properties": {
                "count": {"type": "integer", "x-mcp-header": "Count"},
                "dry": {"type": "boolean", "x-mcp-header": "Dry"},
            }},
            "x-mcp-header": {"type": "string"},
        }});
        let marked = marked(&schema).unwrap();
        assert_eq!(marked.len(), 3);
        let arguments = json!({"region": "us west", "nested": {"count": 42, "dry": null}});
        let mut headers = values(&marked, &arguments);
        headers.sort();
        let text = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(headers, [text("Count", "42"), text("Region", "us west")]);
    }

    #[test]
    fn marks_that_break_a_rule_are_found() {
        let property = |schema| json!({"properties": {"a": schema}});
        for (schema, why) in [
            (
                property(json!({"type": "string", "x-mcp-header": ""})),
                InvalidMark::Name,
            ),
            (
                property(json!({"type": "string", "x-mcp-header": "a b"})),
                InvalidMark::Name,
            ),
            (
                property(json!({"type": "string", "x-mcp-header": 1})),
                InvalidMark::Name,
            ),
            (
                property(json!({"type": "number", "x-mcp-header": "A"})),
                InvalidMark::Type,
            ),
            (property(json!({"x-mcp-header": "A"})), InvalidMark::Type),
            (
                json!({"type": "string", "x-mcp-header": "A"}),
                InvalidMark::Place,
            ),
            (
                property(json!({"items": {"type": "string", "x-mcp-header": "A"}})),
                InvalidMark::Place,
            ),
            (
                json!({"oneOf": [property(json!({"type": "string", "x-mcp-header": "A"}))]}),
                InvalidMark::Place,
            ),
            (
                json!({"properties": {
                    "a": {"type": "string", "x-mcp-header": "A"},
                    "b": {"type": "string", "x-mcp-header": "a"},
                }}),
                InvalidMark::Twice,
            ),
        ] {
            assert_eq!(marked(&schema), Err(why), "{schema}");
        }
    }
}
