//! Whether what the user filled in is what the form asked for.

use serde_json::{Map, Number, Value};

use super::{
    EnumSchema, NumberSchema, NumberType, PrimitiveSchemaDefinition, RequestedSchema, StringFormat,
    StringSchema, format,
};

/// An answer that is not what the form asked for.
///
/// Specification: Elicitation, Security Considerations (since 2025-06-18): both sides check.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidAnswer {
    /// A field that must be filled in is not.
    #[error("`{field}` is not filled in")]
    Missing {
        /// The field.
        field: String,
    },
    /// The value is of another type.
    #[error("`{field}` is not {expected}")]
    Type {
        /// The field.
        field: String,
        /// What it should be, with an article.
        expected: &'static str,
    },
    /// The text is too short or too long.
    #[error("`{field}` has {length} characters: fewer or more than allowed")]
    Length {
        /// The field.
        field: String,
        /// How many characters it has.
        length: usize,
    },
    /// The text is not of the format that was asked for.
    #[error("`{field}` is not in the format `{format}`")]
    Format {
        /// The field.
        field: String,
        /// The format.
        format: StringFormat,
    },
    /// The number is too small or too large.
    #[error("`{field}` is less or more than allowed")]
    Range {
        /// The field.
        field: String,
    },
    /// The value is none of those to choose from.
    #[error("`{field}` is none of the values to choose from")]
    Choice {
        /// The field.
        field: String,
    },
    /// Too few or too many values are chosen.
    #[error("`{field}` has {count} values: fewer or more than allowed")]
    Count {
        /// The field.
        field: String,
        /// How many are chosen.
        count: usize,
    },
}

impl RequestedSchema {
    /// Checks the content of an [`ElicitResult`](super::ElicitResult).
    ///
    /// Members that the form does not have are let through, as JSON Schema does.
    ///
    /// # Errors
    /// The first field that is not what the form asked for.
    pub fn check(&self, content: &Map<String, Value>) -> Result<(), InvalidAnswer> {
        let missing = |name: &&String| !content.contains_key(*name);
        if let Some(name) = self.required.iter().flatten().find(missing) {
            let field = name.clone();
            return Err(InvalidAnswer::Missing { field });
        }
        self.properties
            .iter()
            .filter_map(|(name, schema)| Some((name, schema, content.get(name)?)))
            .try_for_each(|(name, schema, value)| check(name, schema, value))
    }
}

fn check(
    field: &str,
    schema: &PrimitiveSchemaDefinition,
    value: &Value,
) -> Result<(), InvalidAnswer> {
    let wrong = |expected| InvalidAnswer::Type {
        field: field.to_owned(),
        expected,
    };
    match schema {
        PrimitiveSchemaDefinition::String(schema) => {
            text(field, schema, value.as_str().ok_or_else(|| wrong("text"))?)
        }
        PrimitiveSchemaDefinition::Number(schema) => match value {
            Value::Number(value) => number(field, schema, value),
            _ => Err(wrong("a number")),
        },
        PrimitiveSchemaDefinition::Boolean(_) if value.is_boolean() => Ok(()),
        PrimitiveSchemaDefinition::Boolean(_) => Err(wrong("true or false")),
        PrimitiveSchemaDefinition::Enum(schema) => choice(field, schema, value),
        PrimitiveSchemaDefinition::Other(_) => Ok(()),
    }
}

fn text(field: &str, schema: &StringSchema, value: &str) -> Result<(), InvalidAnswer> {
    let length = value.chars().count();
    if !is_within(length, schema.min_length, schema.max_length) {
        return Err(InvalidAnswer::Length {
            field: field.to_owned(),
            length,
        });
    }
    match &schema.format {
        Some(format) if !format::fits(format, value) => Err(InvalidAnswer::Format {
            field: field.to_owned(),
            format: format.clone(),
        }),
        _ => Ok(()),
    }
}

fn number(field: &str, schema: &NumberSchema, value: &Number) -> Result<(), InvalidAnswer> {
    let field = || field.to_owned();
    let value = value.as_f64().unwrap_or(f64::NAN);
    if schema.number_type == NumberType::Integer && value.fract() != 0.0 {
        return Err(InvalidAnswer::Type {
            field: field(),
            expected: "a whole number",
        });
    }
    let least = schema.minimum.as_ref().and_then(Number::as_f64);
    let most = schema.maximum.as_ref().and_then(Number::as_f64);
    if least.is_some_and(|least| value < least) || most.is_some_and(|most| value > most) {
        return Err(InvalidAnswer::Range { field: field() });
    }
    Ok(())
}

fn choice(field: &str, schema: &EnumSchema, value: &Value) -> Result<(), InvalidAnswer> {
    let field = || field.to_owned();
    let options = schema.options();
    let is_option = |value: &Value| {
        let value = value.as_str();
        options.iter().any(|(option, _)| value == Some(option))
    };
    if !schema.is_multi_select() {
        return if is_option(value) {
            Ok(())
        } else {
            Err(InvalidAnswer::Choice { field: field() })
        };
    }
    let Value::Array(values) = value else {
        return Err(InvalidAnswer::Type {
            field: field(),
            expected: "a list",
        });
    };
    let (least, most) = match schema {
        EnumSchema::UntitledMultiSelect(schema) => (schema.min_items, schema.max_items),
        EnumSchema::TitledMultiSelect(schema) => (schema.min_items, schema.max_items),
        _ => (None, None),
    };
    let count = values.len();
    if !is_within(count, least, most) {
        return Err(InvalidAnswer::Count {
            field: field(),
            count,
        });
    }
    if values.iter().all(is_option) {
        Ok(())
    } else {
        Err(InvalidAnswer::Choice { field: field() })
    }
}

fn is_within(n: usize, least: Option<u32>, most: Option<u32>) -> bool {
    let n = u64::try_from(n).unwrap_or(u64::MAX);
    least.is_none_or(|least| n >= least.into()) && most.is_none_or(|most| n <= most.into())
}
