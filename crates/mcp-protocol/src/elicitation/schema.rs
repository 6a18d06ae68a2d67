//! What a form has: a flat object of strings, numbers, booleans and choices.

use indexmap::IndexMap;
use serde::de::{DeserializeOwned, Deserializer, Error as _};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use super::EnumSchema;
use crate::{Extra, tagged, unique};

/// The schema of a form: an object without nesting.
///
/// Specification: Elicitation, Requested Schema. Since 2025-06-18.
///
/// ```
/// use mcp_protocol::{RequestedSchema, StringSchema};
/// let form = RequestedSchema::new().with_required("name", StringSchema::new().with_min_length(1u32));
/// let answer = serde_json::json!({"name": "octocat"});
/// assert!(form.check(answer.as_object().unwrap()).is_ok());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct RequestedSchema {
    /// The dialect of JSON Schema. Since 2025-11-25.
    #[serde(rename = "$schema", skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    #[serde(rename = "type", default)]
    kind: ObjectType,
    /// The fields of the form, in their order.
    #[serde(deserialize_with = "unique::members")]
    pub properties: IndexMap<String, PrimitiveSchemaDefinition>,
    /// The fields that must be filled in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required: Option<Vec<String>>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

/// The constant `object`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
enum ObjectType {
    #[default]
    #[serde(rename = "object")]
    Object,
}

impl RequestedSchema {
    /// A form without fields.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with one more field, which may be left out.
    #[must_use]
    pub fn with_property(
        mut self,
        name: impl Into<String>,
        schema: impl Into<PrimitiveSchemaDefinition>,
    ) -> Self {
        self.properties.insert(name.into(), schema.into());
        self
    }

    /// The same with one more field, which must be filled in.
    #[must_use]
    pub fn with_required(
        mut self,
        name: impl Into<String>,
        schema: impl Into<PrimitiveSchemaDefinition>,
    ) -> Self {
        let name = name.into();
        self.required.get_or_insert_default().push(name.clone());
        self.with_property(name, schema)
    }
}

/// One field of a form.
///
/// Specification: Elicitation, Supported Schema Types. Since 2025-06-18.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PrimitiveSchemaDefinition {
    /// Text.
    String(StringSchema),
    /// A number.
    Number(NumberSchema),
    /// Yes or no.
    Boolean(BooleanSchema),
    /// A choice.
    Enum(EnumSchema),
    /// A kind that this crate does not know. Nothing is checked about its answer.
    Other(Map<String, Value>),
}

impl From<StringSchema> for PrimitiveSchemaDefinition {
    fn from(schema: StringSchema) -> Self {
        Self::String(schema)
    }
}

impl From<NumberSchema> for PrimitiveSchemaDefinition {
    fn from(schema: NumberSchema) -> Self {
        Self::Number(schema)
    }
}

impl From<BooleanSchema> for PrimitiveSchemaDefinition {
    fn from(schema: BooleanSchema) -> Self {
        Self::Boolean(schema)
    }
}

impl<T: Into<EnumSchema>> From<T> for PrimitiveSchemaDefinition {
    fn from(schema: T) -> Self {
        Self::Enum(schema.into())
    }
}

impl Serialize for PrimitiveSchemaDefinition {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::String(schema) => tagged::write("string", schema, serializer),
            Self::Number(schema) => schema.serialize(serializer),
            Self::Boolean(schema) => tagged::write("boolean", schema, serializer),
            Self::Enum(schema) => schema.serialize(serializer),
            Self::Other(members) => members.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for PrimitiveSchemaDefinition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Schemas are small, and what a schema is depends on more members than one.
        let mut members = Map::deserialize(deserializer)?;
        let kind = members.get("type").and_then(Value::as_str).unwrap_or("");
        match kind {
            "number" | "integer" => decode(members).map(Self::Number),
            "boolean" => {
                members.remove("type");
                decode(members).map(Self::Boolean)
            }
            _ if EnumSchema::fits(&members) => decode(members).map(Self::Enum),
            "string" => {
                members.remove("type");
                decode(members).map(Self::String)
            }
            _ => Ok(Self::Other(members)),
        }
        .map_err(D::Error::custom)
    }
}

fn decode<T: DeserializeOwned>(members: Map<String, Value>) -> Result<T, serde_json::Error> {
    T::deserialize(Value::Object(members))
}

/// Text.
///
/// Specification: Elicitation, String Schema. Since 2025-06-18.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct StringSchema {
    /// The name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The least length, in characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_length: Option<u32>,
    /// The greatest length, in characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u32>,
    /// What kind of text it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<StringFormat>,
    /// What the form shows first. Since 2025-11-25.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl StringSchema {
    /// Any text.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

setters!(StringSchema {
    with_title(title: String),
    with_description(description: String),
    with_min_length(min_length: u32),
    with_max_length(max_length: u32),
    with_format(format: StringFormat),
    with_default(default: String),
});

open_enum! {
    /// What kind of text a field holds. Since 2025-06-18.
    StringFormat {
        /// A mail address.
        Email = "email",
        /// A URI.
        Uri = "uri",
        /// A day: `2025-06-18`.
        Date = "date",
        /// A point in time: `2025-06-18T12:00:00Z`.
        DateTime = "date-time",
    }
}

/// A number.
///
/// Specification: Elicitation, Number Schema. Since 2025-06-18.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct NumberSchema {
    /// Whether it must be whole (`type`).
    #[serde(rename = "type")]
    pub number_type: NumberType,
    /// The name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The least value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum: Option<Number>,
    /// The greatest value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maximum: Option<Number>,
    /// What the form shows first. Since 2025-11-25.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Number>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl NumberSchema {
    /// Any number of this kind.
    #[must_use]
    pub fn new(number_type: NumberType) -> Self {
        Self {
            number_type,
            title: None,
            description: None,
            minimum: None,
            maximum: None,
            default: None,
            extra: Extra::new(),
        }
    }
}

setters!(NumberSchema {
    with_title(title: String),
    with_description(description: String),
    with_minimum(minimum: Number),
    with_maximum(maximum: Number),
    with_default(default: Number),
});

open_enum! {
    /// Whether a number must be whole. Since 2025-06-18.
    NumberType {
        /// Any number.
        Number = "number",
        /// A whole number.
        Integer = "integer",
    }
}

/// Yes or no.
///
/// Specification: Elicitation, Boolean Schema. Since 2025-06-18.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct BooleanSchema {
    /// The name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What the form shows first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<bool>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl BooleanSchema {
    /// Yes or no.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

setters!(BooleanSchema {
    with_title(title: String),
    with_description(description: String),
    with_default(default: bool),
});
