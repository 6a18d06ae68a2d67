//! What is too much, of a schema and of a value.

use std::fmt::Write;

use mcp_jsonschema::{JsonSchema, Limits};
use mcp_protocol::SchemaValidator;
use serde_json::{Map, Value, json};

use crate::{check, compile, refused};

fn nested(levels: usize, innermost: Value) -> Value {
    (0..levels).fold(innermost, |inner, _| json!({"a": inner}))
}

/// A schema of which each part applies the next one twice.
fn doubling(parts: usize, last: &Value) -> Value {
    let mut defs = Map::new();
    for part in 0..parts {
        let next = json!({"$ref": format!("#/$defs/{}", part + 1)});
        defs.insert(part.to_string(), json!({"allOf": [next, next]}));
    }
    defs.insert(parts.to_string(), last.clone());
    json!({"$defs": defs, "allOf": [{"$ref": "#/$defs/0"}, false]})
}

#[test]
fn proto_48_a_deep_schema_is_refused() {
    let not = |levels| {
        (0..levels).fold(json!({}), |inner, _| {
            Value::Object(Map::from_iter([("not".to_owned(), inner)]))
        })
    };
    compile(&not(60)).expect("within the limit");
    assert_eq!(
        refused(&not(64)),
        "the schema is nested more than 64 levels deep"
    );
    // Far deeper than any stack.
    let deep = not(1_000_000);
    assert_eq!(
        refused(&deep),
        "the schema is nested more than 64 levels deep"
    );
    // Dropping it would need the stack that reading it did not.
    std::mem::forget(deep);
}

#[test]
fn proto_48_a_long_schema_is_refused() {
    let long = json!({"description": "x".repeat(256 * 1024)});
    assert_eq!(refused(&long), "the schema has more than 262144 bytes");
}

#[test]
fn proto_48_a_schema_of_too_many_parts_is_refused() {
    let parts: Vec<_> = (0..10_000).map(|_| json!({})).collect();
    assert_eq!(
        refused(&json!({"anyOf": parts})),
        "the schema has more than 10000 subschemas"
    );
    let patterns: Vec<_> = (0..129)
        .map(|i| json!({"pattern": format!("{i}")}))
        .collect();
    assert_eq!(
        refused(&json!({"anyOf": patterns})),
        "the schema has more than 128 patterns"
    );
}

#[test]
fn proto_48_patterns_take_linear_time_and_little_memory() {
    let evil = json!({"pattern": "^(a|a|aa)+(a*)*$"});
    let text = "a".repeat(100_000) + "!";
    assert!(check(&evil, &json!(text)).is_err());
    // What cannot be had in linear time is refused rather than waited for.
    for pattern in [r"^(?!evil)", r"^(a+)\1$", r"(?<=a)b"] {
        assert!(compile(&json!({"pattern": pattern})).is_err(), "{pattern}");
    }
    assert!(compile(&json!({"pattern": "((a{100}){100}){100}"})).is_err());
    assert!(compile(&json!({"patternProperties": {"((a{100}){100}){100}": {}}})).is_err());
}

#[test]
fn proto_48_references_that_double_at_each_step_are_not_followed_to_the_end() {
    for last in [
        json!({"type": "integer"}),
        json!({"minLength": 1}),
        json!(true),
    ] {
        let error = check(&doubling(30, &last), &json!(1)).expect_err("too much");
        assert_eq!(
            error.message,
            "would take more than 10000000 steps to check"
        );
        let error = check(&doubling(10, &last), &json!(1)).expect_err("does not fit");
        assert_eq!(error.message, "False schema does not allow this");
    }
    let mut unevaluated = doubling(8, &json!({"properties": {"a": true}}));
    unevaluated["unevaluatedProperties"] = json!(false);
    let error = check(&unevaluated, &json!({"a": 1})).expect_err("too much");
    assert_eq!(
        error.message,
        "would take more than 10000000 steps to check"
    );
}

#[test]
fn proto_48_recursion_that_doubles_at_each_level_of_the_value_is_not_followed_to_the_end() {
    let recursive = json!({
        "$defs": {"r": {"allOf": [
            {"properties": {"a": {"$ref": "#/$defs/r"}}},
            {"properties": {"a": {"$ref": "#/$defs/r"}}},
        ]}},
        "allOf": [{"$ref": "#/$defs/r"}, false],
    });
    let error = check(&recursive, &nested(60, json!(1))).expect_err("too much");
    assert_eq!(
        error.message,
        "would take more than 10000000 steps to check"
    );
    let error = check(&recursive, &nested(10, json!(1))).expect_err("does not fit");
    assert_eq!(error.message, "False schema does not allow this");
    let dynamic = json!({
        "$dynamicAnchor": "r",
        "allOf": [
            {"properties": {"a": {"$dynamicRef": "#r"}}},
            {"properties": {"a": {"$dynamicRef": "#r"}}},
        ],
    });
    let error = check(&dynamic, &nested(60, json!(1))).expect_err("too much");
    assert_eq!(
        error.message,
        "would take more than 10000000 steps to check"
    );
}

#[test]
fn a_deep_value_is_refused() {
    let tree = json!({"type": "object", "additionalProperties": {"$ref": "#"}});
    check(&tree, &nested(127, json!({}))).expect("within the limit");
    let error = check(&tree, &nested(128, json!({}))).expect_err("too deep");
    assert_eq!(error.message, "is nested more than 128 levels deep");
}

/// On the stack of a test, which is that of a worker of Tokio, without optimisation.
#[test]
fn the_deepest_check_that_is_made_fits_onto_the_stack() {
    let mut defs = Map::new();
    for part in 0..100 {
        let next = json!({"allOf": [{"anyOf": [{"$ref": format!("#/$defs/{}", part + 1)}]}]});
        defs.insert(part.to_string(), next);
    }
    defs.insert("100".to_owned(), json!({"type": "integer"}));
    let chain = json!({"$defs": defs, "$ref": "#/$defs/0"});
    let error = check(&chain, &json!(1)).expect_err("too deep");
    assert_eq!(error.message, "would need more than 256 subschemas at once");
    let shorter = json!({"$defs": chain["$defs"], "$ref": "#/$defs/20"});
    check(&shorter, &json!(1)).expect("within the limit");
    assert!(check(&shorter, &json!("x")).is_err());

    let not = |inner| json!({"not": {"not": inner}});
    let tree = not(json!({"type": ["object", "integer"], "additionalProperties": {"$ref": "#"}}));
    let error = check(&tree, &nested(100, json!(1))).expect_err("too deep");
    assert_eq!(error.message, "would need more than 256 subschemas at once");
    check(&tree, &nested(60, json!(1))).expect("within the limit");
    assert!(check(&tree, &nested(60, json!("x"))).is_err());
}

#[test]
fn large_honest_values_are_checked() {
    let schema = json!({
        "type": "object",
        "properties": {
            "numbers": {"type": "array", "items": {"type": "number", "minimum": 0}, "uniqueItems": true},
            "text": {"type": "string", "pattern": "^[a-z ]*$"},
        },
    });
    let numbers: Vec<u32> = (0..500_000).collect();
    let value = json!({"numbers": numbers, "text": "lorem ipsum ".repeat(100_000)});
    check(&schema, &value).expect("fits");
}

#[test]
fn limits_are_set_by_whoever_makes_the_validator() {
    let mut limits = Limits::default();
    limits.steps = 10;
    limits.schema_bytes = 100;
    let validator = JsonSchema::new().with_limits(limits);
    let check = validator
        .compile(&json!({"items": {"type": "integer"}}))
        .expect("a schema");
    check.check(&json!([1, 2])).expect("fits");
    let error = check
        .check(&json!([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]))
        .expect_err("too long");
    assert_eq!(error.message, "would take more than 10 steps to check");
    let mut long = String::new();
    write!(long, "{:100}", "").expect("written");
    assert!(validator.compile(&json!({"description": long})).is_err());
}
