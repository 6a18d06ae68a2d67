//! Whatever comes, there is an answer.

use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};
use serde_json::{Map, Value, json};

use crate::compile;

const KEYWORDS: [&str; 34] = [
    "$anchor",
    "$defs",
    "$dynamicAnchor",
    "$dynamicRef",
    "$id",
    "$recursiveRef",
    "$ref",
    "$schema",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "contains",
    "dependencies",
    "dependentSchemas",
    "else",
    "enum",
    "format",
    "if",
    "items",
    "maxItems",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "patternProperties",
    "prefixItems",
    "properties",
    "propertyNames",
    "required",
    "then",
    "type",
    "unevaluatedProperties",
];

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        Just(Value::Null),
        "#(/[$a-z]{0,5}){0,2}".prop_map(Value::from),
        "(object|string|a|x)".prop_map(Value::from),
        "http://json-schema.org/draft-0[4-7]/schema#".prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ]
}

fn anything() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(6, 60, 5, |inner| {
        let keyword = proptest::sample::select(&KEYWORDS[..]).prop_map(str::to_owned);
        let name = prop_oneof![8 => keyword, 2 => "[a-c]"];
        prop_oneof![
            1 => proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            4 => proptest::collection::vec((name, inner), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

proptest! {
    #[test]
    fn any_schema_is_read_or_refused_and_any_value_checked(schema in anything(), value in anything()) {
        if let Ok(check) = compile(&schema) {
            let _ = check.check(&value);
            let _ = check.check(&json!({"a": [value]}));
        }
    }
}
