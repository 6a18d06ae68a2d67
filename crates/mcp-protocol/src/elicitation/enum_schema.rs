//! Choices in a form: one or several, with or without titles.

use serde::de::{Deserializer, Error as _};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Extra, tagged};

/// A choice. `SingleSelectEnumSchema` and `MultiSelectEnumSchema` of the specification are the
/// halves of this type.
///
/// Specification: Elicitation, Enum Schema. Since 2025-06-18; titles and lists since 2025-11-25.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum EnumSchema {
    /// One of some values.
    UntitledSingleSelect(UntitledSingleSelectEnumSchema),
    /// One of some values that have titles. Since 2025-11-25.
    TitledSingleSelect(TitledSingleSelectEnumSchema),
    /// Several of some values. Since 2025-11-25.
    UntitledMultiSelect(UntitledMultiSelectEnumSchema),
    /// Several of some values that have titles. Since 2025-11-25.
    TitledMultiSelect(TitledMultiSelectEnumSchema),
    /// One of some values, with titles in a list beside them. Deprecated since 2025-11-25.
    LegacyTitled(LegacyTitledEnumSchema),
}

impl EnumSchema {
    /// Whether several values may be chosen.
    #[must_use]
    pub const fn is_multi_select(&self) -> bool {
        matches!(
            self,
            Self::UntitledMultiSelect(_) | Self::TitledMultiSelect(_)
        )
    }

    /// The values to choose from, each with its title where it has one.
    #[must_use]
    pub fn options(&self) -> Vec<(&str, Option<&str>)> {
        match self {
            Self::UntitledSingleSelect(schema) => untitled(&schema.values),
            Self::TitledSingleSelect(schema) => titled(&schema.one_of),
            Self::UntitledMultiSelect(schema) => untitled(&schema.items.values),
            Self::TitledMultiSelect(schema) => titled(&schema.items.any_of),
            Self::LegacyTitled(schema) => {
                let names = schema.enum_names.iter().flatten().map(String::as_str);
                let names = names.map(Some).chain(std::iter::repeat(None));
                schema
                    .values
                    .iter()
                    .map(String::as_str)
                    .zip(names)
                    .collect()
            }
        }
    }

    /// Whether an object is one of these schemas, by its members.
    pub(super) fn fits(members: &Map<String, Value>) -> bool {
        Shape::of(members).is_some()
    }
}

fn untitled(values: &[String]) -> Vec<(&str, Option<&str>)> {
    values.iter().map(|value| (value.as_str(), None)).collect()
}

fn titled(options: &[EnumOption]) -> Vec<(&str, Option<&str>)> {
    options
        .iter()
        .map(|option| (option.value.as_str(), Some(option.title.as_str())))
        .collect()
}

enum Shape {
    UntitledSingle,
    TitledSingle,
    UntitledMulti,
    TitledMulti,
    Legacy,
}

impl Shape {
    fn of(members: &Map<String, Value>) -> Option<Self> {
        let items = members.get("items").and_then(Value::as_object);
        match members.get("type")?.as_str()? {
            "string" if members.contains_key("oneOf") => Some(Self::TitledSingle),
            "string" if !members.contains_key("enum") => None,
            "string" if members.contains_key("enumNames") => Some(Self::Legacy),
            "string" => Some(Self::UntitledSingle),
            "array" if items?.contains_key("anyOf") => Some(Self::TitledMulti),
            "array" if items?.contains_key("enum") => Some(Self::UntitledMulti),
            _ => None,
        }
    }
}

impl Serialize for EnumSchema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::UntitledSingleSelect(schema) => tagged::write("string", schema, serializer),
            Self::TitledSingleSelect(schema) => tagged::write("string", schema, serializer),
            Self::UntitledMultiSelect(schema) => tagged::write("array", schema, serializer),
            Self::TitledMultiSelect(schema) => tagged::write("array", schema, serializer),
            Self::LegacyTitled(schema) => tagged::write("string", schema, serializer),
        }
    }
}

impl<'de> Deserialize<'de> for EnumSchema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut members = Map::deserialize(deserializer)?;
        let shape = Shape::of(&members).ok_or_else(|| D::Error::custom("not an enum schema"))?;
        members.remove("type");
        let value = Value::Object(members);
        match shape {
            Shape::UntitledSingle => {
                Deserialize::deserialize(value).map(Self::UntitledSingleSelect)
            }
            Shape::TitledSingle => Deserialize::deserialize(value).map(Self::TitledSingleSelect),
            Shape::UntitledMulti => Deserialize::deserialize(value).map(Self::UntitledMultiSelect),
            Shape::TitledMulti => Deserialize::deserialize(value).map(Self::TitledMultiSelect),
            Shape::Legacy => Deserialize::deserialize(value).map(Self::LegacyTitled),
        }
        .map_err(D::Error::custom)
    }
}

/// A value to choose, with its title.
///
/// Specification: Elicitation, Enum Schema. Since 2025-11-25.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct EnumOption {
    /// The value (`const`).
    #[serde(rename = "const")]
    pub value: String,
    /// What people see.
    pub title: String,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl EnumOption {
    /// A value with its title.
    pub fn new(value: impl Into<String>, title: impl Into<String>) -> Self {
        Self {
            value: value.into(),
            title: title.into(),
            extra: Extra::new(),
        }
    }
}

/// A schema of a choice: its values, what all of them have, and what only this one has.
macro_rules! enum_schema {
    (
        $(#[$meta:meta])* $name:ident in $variant:ident {
            $(#[$values_meta:meta])* $values:ident: $values_type:ty,
            $($(#[$field_meta:meta])* $with:ident($field:ident: $type:ty),)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[non_exhaustive]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            /// The name for people.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub title: Option<String>,
            /// What it means.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub description: Option<String>,
            $(#[$values_meta])*
            pub $values: $values_type,
            $(
                $(#[$field_meta])*
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $field: Option<$type>,
            )*
            /// Members that this crate does not know.
            #[serde(flatten)]
            pub extra: Extra,
        }

        impl $name {
            /// A choice among these.
            #[must_use]
            pub fn new($values: $values_type) -> Self {
                Self {
                    title: None,
                    description: None,
                    $values,
                    $($field: None,)*
                    extra: Extra::new(),
                }
            }
        }

        setters!($name {
            with_title(title: String),
            with_description(description: String),
            $($with($field: $type),)*
        });

        impl From<$name> for EnumSchema {
            fn from(schema: $name) -> Self {
                Self::$variant(schema)
            }
        }
    };
}

enum_schema! {
    /// One of some values.
    ///
    /// Specification: Elicitation, Enum Schema. Since 2025-06-18.
    UntitledSingleSelectEnumSchema in UntitledSingleSelect {
        /// The values (`enum`).
        #[serde(rename = "enum")]
        values: Vec<String>,
        /// What the form shows first. Since 2025-11-25.
        with_default(default: String),
    }
}

enum_schema! {
    /// One of some values that have titles.
    ///
    /// Specification: Elicitation, Enum Schema. Since 2025-11-25.
    TitledSingleSelectEnumSchema in TitledSingleSelect {
        /// The values with their titles.
        one_of: Vec<EnumOption>,
        /// What the form shows first.
        with_default(default: String),
    }
}

enum_schema! {
    /// Several of some values.
    ///
    /// Specification: Elicitation, Enum Schema. Since 2025-11-25.
    UntitledMultiSelectEnumSchema in UntitledMultiSelect {
        /// What to choose from.
        items: UntitledMultiSelectItems,
        /// The least number of values.
        with_min_items(min_items: u32),
        /// The greatest number of values.
        with_max_items(max_items: u32),
        /// What the form shows first.
        with_default(default: Vec<String>),
    }
}

enum_schema! {
    /// Several of some values that have titles.
    ///
    /// Specification: Elicitation, Enum Schema. Since 2025-11-25.
    TitledMultiSelectEnumSchema in TitledMultiSelect {
        /// What to choose from.
        items: TitledMultiSelectItems,
        /// The least number of values.
        with_min_items(min_items: u32),
        /// The greatest number of values.
        with_max_items(max_items: u32),
        /// What the form shows first.
        with_default(default: Vec<String>),
    }
}

enum_schema! {
    /// One of some values, with titles in a list beside them.
    ///
    /// Specification: Elicitation (2025-06-18, where it has no name of its own); Enum Schema
    /// (deprecated since 2025-11-25, to be accepted).
    LegacyTitledEnumSchema in LegacyTitled {
        /// The values (`enum`).
        #[serde(rename = "enum")]
        values: Vec<String>,
        /// Their titles, in the same order.
        with_enum_names(enum_names: Vec<String>),
        /// What the form shows first. Since 2025-11-25.
        with_default(default: String),
    }
}

/// The values of an [`UntitledMultiSelectEnumSchema`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct UntitledMultiSelectItems {
    #[serde(rename = "type", default)]
    kind: StringType,
    /// The values (`enum`).
    #[serde(rename = "enum")]
    pub values: Vec<String>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

/// The constant `string`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
enum StringType {
    #[default]
    #[serde(rename = "string")]
    String,
}

impl UntitledMultiSelectItems {
    /// These values.
    #[must_use]
    pub fn new(values: Vec<String>) -> Self {
        Self {
            kind: StringType::String,
            values,
            extra: Extra::new(),
        }
    }
}

/// The values of a [`TitledMultiSelectEnumSchema`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct TitledMultiSelectItems {
    /// The values with their titles.
    pub any_of: Vec<EnumOption>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl TitledMultiSelectItems {
    /// These values.
    #[must_use]
    pub fn new(any_of: Vec<EnumOption>) -> Self {
        Self {
            any_of,
            extra: Extra::new(),
        }
    }
}
