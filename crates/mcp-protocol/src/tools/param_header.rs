//! Arguments of tools that Streamable HTTP repeats in headers: which those are, and what stands
//! there.
//!
//! Specification: Streamable HTTP, Custom Headers from Tool Parameters. Since 2026-07-28.

use serde_json::{Map, Value};

use super::Tool;

/// The keyword that marks a property of an input schema.
const MARK: &str = "x-mcp-header";
/// The deepest schema that is looked at; text nests less deeply where it is decoded at all.
const MAX_DEPTH: usize = 64;
/// The largest integer that every peer can tell from its neighbours: 2^53 - 1.
const MAX_SAFE: f64 = 9_007_199_254_740_991.0;

/// An argument of a tool that its input schema marks with `x-mcp-header`.
///
/// A client over HTTP repeats it in the header `Mcp-Param-{name}`, and a server checks that the
/// two are the same.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParamHeader {
    /// The mark: what follows `Mcp-Param-` in the header's name.
    pub name: String,
    /// The names of the properties that lead to the argument.
    pub path: Vec<String>,
}

impl ParamHeader {
    /// The header `Mcp-Param-{name}` for the argument at `path`.
    pub fn new(name: impl Into<String>, path: Vec<String>) -> Self {
        Self {
            name: name.into(),
            path,
        }
    }

    /// The argument that the header repeats; `None` where it is absent or `null`.
    #[must_use]
    pub fn argument<'a>(&self, arguments: &'a Value) -> Option<&'a Value> {
        let at = |value: &'a Value, key: &String| value.get(key);
        let argument = self.path.iter().try_fold(arguments, at);
        argument.filter(|value| !value.is_null())
    }

    /// What the header says of the argument, not yet encoded for HTTP. `None` for what has no
    /// header: it is absent, `null`, or of a type that cannot be marked.
    ///
    /// ```
    /// use mcp_protocol::ParamHeader;
    /// use serde_json::json;
    /// let header = ParamHeader::new("Dry-Run", vec!["options".to_owned(), "dry".to_owned()]);
    /// let value = header.value(&json!({"options": {"dry": true}}));
    /// assert_eq!(value.as_deref(), Some("true"));
    /// ```
    #[must_use]
    pub fn value(&self, arguments: &Value) -> Option<String> {
        match self.argument(arguments)? {
            Value::String(text) => Some(text.clone()),
            Value::Bool(flag) => Some(flag.to_string()),
            Value::Number(number) => integer(number),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        }
    }
}

/// The digits of an integer, which may be written as `42.0`.
fn integer(number: &serde_json::Number) -> Option<String> {
    match number.as_f64().filter(|_| number.is_f64()) {
        None => Some(number.to_string()),
        Some(float) if float.fract() == 0.0 && float.abs() <= MAX_SAFE => Some(format!("{float}")),
        Some(_) => None,
    }
}

/// What is wrong with the `x-mcp-header` marks of an input schema. A tool that has such marks
/// must not be offered over HTTP.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidParamHeader {
    /// The mark is not a name that a header can have.
    #[error("x-mcp-header is not a name that a header can have: {mark}")]
    Name {
        /// The mark, as JSON.
        mark: String,
    },
    /// Two properties have the same mark. Upper and lower case make no difference.
    #[error("two properties have the same x-mcp-header: {name}")]
    Twice {
        /// The mark.
        name: String,
    },
    /// The marked property is neither a string nor an integer nor a boolean.
    #[error("x-mcp-header {name} stands at a property that is no string, integer or boolean")]
    Type {
        /// The mark.
        name: String,
    },
    /// The mark stands where no chain of `properties` leads to.
    #[error("x-mcp-header {name} stands where no plain property leads to")]
    Place {
        /// The mark.
        name: String,
    },
}

impl Tool {
    /// The arguments that Streamable HTTP repeats in headers.
    ///
    /// # Errors
    /// The first mark that breaks a rule. A client does not offer the tool over HTTP, a server
    /// does not register it.
    ///
    /// ```
    /// use mcp_protocol::Tool;
    /// let tool = Tool::new("deploy", serde_json::json!({"type": "object", "properties": {
    ///     "region": {"type": "string", "x-mcp-header": "Region"},
    /// }}));
    /// assert_eq!(tool.param_headers().unwrap()[0].name, "Region");
    /// ```
    pub fn param_headers(&self) -> Result<Vec<ParamHeader>, InvalidParamHeader> {
        let mut walk = Walk::default();
        walk.schema(&self.input_schema, true, 0)?;
        Ok(walk.found)
    }
}

/// What leads from a schema to the schemas in it.
enum Inner<'a> {
    Properties(&'a Map<String, Value>),
    One(&'a Value),
    Many(Vec<&'a Value>),
    None,
}

impl<'a> Inner<'a> {
    fn of(keyword: &str, value: &'a Value) -> Self {
        match (keyword, value) {
            ("properties", Value::Object(properties)) => Self::Properties(properties),
            (
                "$defs" | "definitions" | "patternProperties" | "dependentSchemas" | "dependencies",
                Value::Object(schemas),
            ) => Self::Many(schemas.values().collect()),
            ("allOf" | "anyOf" | "oneOf" | "prefixItems" | "items", Value::Array(schemas)) => {
                Self::Many(schemas.iter().collect())
            }
            (
                "items"
                | "additionalItems"
                | "contains"
                | "additionalProperties"
                | "propertyNames"
                | "unevaluatedItems"
                | "unevaluatedProperties"
                | "contentSchema"
                | "not"
                | "if"
                | "then"
                | "else",
                schema,
            ) => Self::One(schema),
            _ => Self::None,
        }
    }
}

#[derive(Default)]
struct Walk {
    path: Vec<String>,
    found: Vec<ParamHeader>,
}

impl Walk {
    /// Looks at a schema; `plain` says that nothing but `properties` leads to it.
    fn schema(
        &mut self,
        schema: &Value,
        plain: bool,
        depth: usize,
    ) -> Result<(), InvalidParamHeader> {
        let Some(schema) = schema.as_object().filter(|_| depth < MAX_DEPTH) else {
            return Ok(());
        };
        if let Some(mark) = schema.get(MARK) {
            self.mark(schema, mark, plain)?;
        }
        for (keyword, value) in schema {
            match Inner::of(keyword, value) {
                Inner::Properties(properties) => self.properties(properties, plain, depth)?,
                Inner::One(inner) => self.schema(inner, false, depth + 1)?,
                Inner::Many(schemas) => schemas
                    .into_iter()
                    .try_for_each(|inner| self.schema(inner, false, depth + 1))?,
                Inner::None => {}
            }
        }
        Ok(())
    }

    fn properties(
        &mut self,
        properties: &Map<String, Value>,
        plain: bool,
        depth: usize,
    ) -> Result<(), InvalidParamHeader> {
        for (name, schema) in properties {
            self.path.push(name.clone());
            self.schema(schema, plain, depth + 1)?;
            self.path.pop();
        }
        Ok(())
    }

    fn mark(
        &mut self,
        schema: &Map<String, Value>,
        mark: &Value,
        plain: bool,
    ) -> Result<(), InvalidParamHeader> {
        let name = mark.as_str().filter(|name| is_token(name));
        let name = name.ok_or_else(|| InvalidParamHeader::Name {
            mark: mark.to_string(),
        })?;
        let name = name.to_owned();
        if !plain || self.path.is_empty() {
            return Err(InvalidParamHeader::Place { name });
        }
        let kind = schema.get("type").and_then(Value::as_str);
        if !matches!(kind, Some("string" | "integer" | "boolean")) {
            return Err(InvalidParamHeader::Type { name });
        }
        let mut found = self.found.iter();
        if found.any(|other| other.name.eq_ignore_ascii_case(&name)) {
            return Err(InvalidParamHeader::Twice { name });
        }
        self.found.push(ParamHeader::new(name, self.path.clone()));
        Ok(())
    }
}

/// A token of RFC 9110, section 5.6.2.
fn is_token(name: &str) -> bool {
    let is_char = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    !name.is_empty() && name.bytes().all(is_char)
}
