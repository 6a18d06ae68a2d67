//! The keywords that apply other schemas, and to what.

use serde_json::Value;

/// What a subschema is applied to.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// The value itself.
    Here,
    /// The member of an object with this name.
    Member(Box<str>),
    /// Any member of an object.
    AnyMember,
    /// The item of an array at this index.
    Item(usize),
    /// Any item of an array.
    AnyItem,
}

/// The subschemas that stand in a keyword, with their places.
pub(crate) fn subschemas<'a>(keyword: &str, value: &'a Value) -> Vec<(Place, &'a Value)> {
    match keyword {
        "allOf" | "anyOf" | "oneOf" => each(value, |_| Place::Here),
        "not" | "if" | "then" | "else" => vec![(Place::Here, value)],
        "dependentSchemas" | "dependencies" => members(value, |_| Place::Here),
        "properties" => members(value, |name| Place::Member(name.into())),
        "patternProperties" => members(value, |_| Place::AnyMember),
        "additionalProperties" | "unevaluatedProperties" | "propertyNames" => {
            vec![(Place::AnyMember, value)]
        }
        "items" if value.is_array() => each(value, Place::Item),
        "prefixItems" => each(value, Place::Item),
        "items" | "additionalItems" | "unevaluatedItems" | "contains" => {
            vec![(Place::AnyItem, value)]
        }
        _ => Vec::new(),
    }
}

fn each(value: &Value, place: impl Fn(usize) -> Place) -> Vec<(Place, &Value)> {
    let items = value.as_array().into_iter().flatten().enumerate();
    items.map(|(index, item)| (place(index), item)).collect()
}

fn members(value: &Value, place: impl Fn(&str) -> Place) -> Vec<(Place, &Value)> {
    let members = value.as_object().into_iter().flatten();
    members
        .map(|(name, schema)| (place(name), schema))
        .collect()
}
