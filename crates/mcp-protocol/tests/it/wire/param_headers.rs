//! `x-mcp-header`: which arguments have headers, what these say, and which marks are none.

use mcp_protocol::{InvalidParamHeader, ParamHeader, Tool};
use serde_json::{Value, json};

fn marked(schema: Value) -> Result<Vec<ParamHeader>, InvalidParamHeader> {
    Tool::new("t", schema).param_headers()
}

#[test]
fn http_34_marked_properties_have_headers_however_deep_they_are() {
    let schema = json!({"type": "object", "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "nested": {"type": "object", "properties": {
            "count": {"type": "integer", "x-mcp-header": "Count"},
            "dry": {"type": "boolean", "x-mcp-header": "Dry"},
        }},
        "x-mcp-header": {"type": "string"},
    }});
    let marked = marked(schema).unwrap();
    let path = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    assert_eq!(
        marked,
        [
            ParamHeader::new("Region", path(&["region"])),
            ParamHeader::new("Count", path(&["nested", "count"])),
            ParamHeader::new("Dry", path(&["nested", "dry"])),
        ]
    );
    let arguments = json!({"region": "us west", "nested": {"count": 42, "dry": null}});
    let values: Vec<_> = marked.iter().map(|m| m.value(&arguments)).collect();
    assert_eq!(
        values,
        [Some("us west".to_owned()), Some("42".to_owned()), None]
    );
}

#[test]
fn http_34_an_integer_is_written_in_digits_and_what_is_none_has_no_header() {
    let header = ParamHeader::new("N", vec!["n".to_owned()]);
    for (value, expected) in [
        (json!(42), Some("42")),
        (json!(-7), Some("-7")),
        (json!(42.0), Some("42")),
        (json!(1e3), Some("1000")),
        (json!(u64::MAX), Some("18446744073709551615")),
        (json!(0.5), None),
        (json!(1e300), None),
        (json!([1]), None),
        (json!({"n": 1}), None),
        (json!(""), Some("")),
    ] {
        let found = header.value(&json!({ "n": value }));
        assert_eq!(found.as_deref(), expected, "{value}");
    }
    assert_eq!(header.value(&json!({})), None);
    assert_eq!(header.value(&json!(null)), None);
}

fn property(schema: &Value) -> Value {
    json!({"properties": {"a": schema}})
}

fn text(mark: &str) -> Value {
    json!({"type": "string", "x-mcp-header": mark})
}

#[test]
fn http_35_a_mark_is_a_name_that_a_header_may_have_and_that_stands_once() {
    let bad = ["", "a b", "a:b", "ä", "a\nb", "(a)"].map(Value::from);
    for mark in bad.into_iter().chain([json!(1), json!(null)]) {
        let why = InvalidParamHeader::Name {
            mark: mark.to_string(),
        };
        let schema = property(&json!({"type": "string", "x-mcp-header": mark}));
        assert_eq!(marked(schema), Err(why));
    }
    let twice = json!({"properties": {"a": text("A"), "b": text("a")}});
    let name = "a".to_owned();
    assert_eq!(marked(twice), Err(InvalidParamHeader::Twice { name }));
}

#[test]
fn http_35_only_what_has_a_simple_type_is_marked() {
    let kinds = ["number", "array", "object", "null"].map(|of| json!({ "type": of }));
    for mut schema in kinds
        .into_iter()
        .chain([json!({}), json!({"type": ["string"]})])
    {
        schema["x-mcp-header"] = json!("A");
        let why = InvalidParamHeader::Type {
            name: "A".to_owned(),
        };
        assert_eq!(marked(property(&schema)), Err(why), "{schema}");
    }
}

/// Keywords with schemas that are no properties of the arguments.
const ELSEWHERE: [&str; 12] = [
    "items",
    "additionalItems",
    "contains",
    "additionalProperties",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contentSchema",
    "not",
    "if",
    "then",
    "else",
];
const ELSEWHERE_IN_LISTS: [&str; 5] = ["allOf", "anyOf", "oneOf", "prefixItems", "items"];
const ELSEWHERE_BY_NAME: [&str; 5] = [
    "$defs",
    "definitions",
    "patternProperties",
    "dependentSchemas",
    "dependencies",
];

#[test]
fn http_35_only_properties_are_marked() {
    let schema = || property(&text("A"));
    let alone = ELSEWHERE.map(|keyword| json!({ (keyword): schema() }));
    let listed = ELSEWHERE_IN_LISTS.map(|keyword| json!({ (keyword): [schema()] }));
    let named = ELSEWHERE_BY_NAME.map(|keyword| json!({ (keyword): {"x": schema()} }));
    let all = alone.into_iter().chain(listed).chain(named);
    for schema in all.chain([text("A")]) {
        let why = InvalidParamHeader::Place {
            name: "A".to_owned(),
        };
        assert_eq!(marked(schema.clone()), Err(why), "{schema}");
    }
}

#[test]
fn what_only_looks_like_a_mark_is_none() {
    for schema in [
        json!({}),
        json!({"type": "object", "properties": {"x-mcp-header": {"type": "array"}}}),
        json!({"properties": {"a": {"const": {"x-mcp-header": ""}, "enum": [{"x-mcp-header": 1}]}}}),
        json!({"properties": {"a": true}}),
    ] {
        assert_eq!(marked(schema.clone()), Ok(Vec::new()), "{schema}");
    }
}
