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

#[test]
fn http_35_each_rule_for_marks_has_an_error_of_its_own() {
    let property = |schema: Value| json!({"properties": {"a": schema}});
    let text = |name: &str| json!({"type": "string", "x-mcp-header": name});
    let name = |text: &str| text.to_owned();
    let bad_name = |mark: Value| InvalidParamHeader::Name {
        mark: mark.to_string(),
    };
    let place = || InvalidParamHeader::Place { name: name("A") };
    let kind = || InvalidParamHeader::Type { name: name("A") };
    let mut cases = vec![
        (
            property(json!({"type": "string", "x-mcp-header": 1})),
            bad_name(json!(1)),
        ),
        (
            property(json!({"type": "string", "x-mcp-header": null})),
            bad_name(json!(null)),
        ),
        (property(json!({"x-mcp-header": "A"})), kind()),
        (text("A"), place()),
        (
            json!({"properties": {"a": text("A"), "b": text("a")}}),
            InvalidParamHeader::Twice { name: name("a") },
        ),
    ];
    for bad in ["", "a b", "a:b", "ä", "a\nb", "(a)"] {
        cases.push((property(text(bad)), bad_name(json!(bad))));
    }
    for of in ["number", "array", "object", "null"] {
        let schema = json!({"type": of, "x-mcp-header": "A"});
        cases.push((property(schema), kind()));
    }
    cases.push((
        property(json!({"type": ["string"], "x-mcp-header": "A"})),
        kind(),
    ));
    for keyword in [
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
    ] {
        cases.push((json!({ (keyword): property(text("A")) }), place()));
    }
    for keyword in ["allOf", "anyOf", "oneOf", "prefixItems", "items"] {
        cases.push((json!({ (keyword): [property(text("A"))] }), place()));
    }
    for keyword in [
        "$defs",
        "definitions",
        "patternProperties",
        "dependentSchemas",
        "dependencies",
    ] {
        cases.push((json!({ (keyword): {"x": property(text("A"))} }), place()));
    }
    for (schema, why) in cases {
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
