//! Which dialect counts, and what a misfit is told.

use serde_json::json;

use crate::{check, compile, refused};

#[test]
fn proto_46_a_schema_that_names_no_dialect_is_of_2020_12() {
    // `prefixItems` is of 2020-12 alone.
    let schema = json!({"prefixItems": [{"type": "string"}]});
    assert!(check(&schema, &json!([1])).is_err());
    assert!(check(&schema, &json!(["a"])).is_ok());
}

#[test]
fn proto_46_an_unknown_dialect_is_an_error_and_no_silent_pass() {
    for name in [
        json!("https://example.com/mine"),
        json!("http://json-schema.org/draft-03/schema#"),
        json!("https://json-schema.org/draft/2077-01/schema"),
        json!(7),
        json!(null),
    ] {
        let error = refused(&json!({"$schema": name, "type": "object"}));
        assert!(error.contains("is not known; known are 2020-12"), "{error}");
    }
    let part = json!({"properties": {"a": {"$schema": "https://example.com/mine"}}});
    assert!(refused(&part).contains("unknown dialect https://example.com/mine"));
}

#[test]
fn earlier_dialects_count_where_they_are_named() {
    // In draft-07 `items` may be a list, which 2020-12 knows as `prefixItems`.
    let mut schema = json!({"items": [{"type": "string"}]});
    assert!(compile(&schema).is_err(), "not in 2020-12");
    for name in [
        "http://json-schema.org/draft-07/schema#",
        "http://json-schema.org/draft-07/schema",
        "https://json-schema.org/draft/2019-09/schema",
        "http://json-schema.org/draft-06/schema#",
        "http://json-schema.org/draft-04/schema#",
    ] {
        schema["$schema"] = json!(name);
        assert!(check(&schema, &json!([1])).is_err(), "{name}");
        assert!(check(&schema, &json!(["a", 1])).is_ok(), "{name}");
    }
}

#[test]
fn what_is_no_schema_is_refused_with_the_place() {
    for schema in [json!(null), json!([]), json!("object"), json!(1)] {
        assert!(compile(&schema).is_err(), "{schema}");
    }
    let error = compile(&json!({"properties": {"a": {"type": "strnig"}}})).err();
    assert_eq!(error.expect("an error").path, "/properties/a/type");
    assert!(check(&json!(true), &json!(1)).is_ok());
    assert!(check(&json!(false), &json!(1)).is_err());
}

#[test]
fn a_misfit_is_told_by_place_and_without_the_value() {
    let schema = json!({
        "type": "object",
        "properties": {"a/b": {"type": "array", "items": {"type": "integer"}}},
    });
    let secret = "secret".repeat(1000);
    let error = check(&schema, &json!({"a/b": [1, secret]})).expect_err("a misfit");
    assert_eq!(error.path, "/a~1b/1");
    assert_eq!(error.message, r#"this is not of type "integer""#);
}

#[test]
fn a_message_is_cut_where_it_is_long() {
    let error = check(&json!({"const": "ä".repeat(1000)}), &json!("x")).expect_err("a misfit");
    assert!(error.message.len() < 410, "{}", error.message);
    assert!(error.message.ends_with("..."), "{}", error.message);
}
