//! References stay within the schema.

use std::net::TcpListener;

use serde_json::json;

use crate::{check, compile, refused};

#[test]
fn proto_47_a_reference_over_the_network_is_refused_and_never_fetched() {
    let canary = TcpListener::bind("127.0.0.1:0").expect("a port");
    canary.set_nonblocking(true).expect("non-blocking");
    let url = format!(
        "http://{}/schema.json",
        canary.local_addr().expect("an address")
    );
    for schema in [
        json!({"$ref": url}),
        json!({"properties": {"a": {"$ref": format!("{url}#/$defs/a")}}}),
        json!({"$id": url, "properties": {"a": {"$ref": "other.json"}}}),
        json!({"$id": url, "$dynamicRef": "other.json#a"}),
        json!({"$schema": url}),
        json!({"$schema": "http://json-schema.org/draft-07/schema#", "$ref": url}),
    ] {
        assert!(compile(&schema).is_err(), "{schema}");
    }
    // Naming itself by a URL is no wish to have it fetched.
    let named = json!({"$id": url, "properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"type": "string"}}});
    assert!(check(&named, &json!({"a": 1})).is_err());
    let asked = canary.accept().expect_err("nobody asked");
    assert_eq!(asked.kind(), std::io::ErrorKind::WouldBlock);
}

#[test]
fn a_file_is_never_read() {
    let folder = std::env::temp_dir().join(format!("mcp-jsonschema-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("schema.json");
    std::fs::write(&file, r#"{"type": "string"}"#).expect("a file");
    for reference in [
        format!("file://{}", file.display()),
        file.display().to_string(),
    ] {
        let error = refused(&json!({"$ref": reference}));
        assert!(error.contains("leads out of the schema"), "{error}");
    }
    std::fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn references_within_the_schema_work() {
    let schema = json!({
        "$defs": {
            "by pointer": {"type": "string"},
            "b": {"$anchor": "by-anchor", "type": "integer"},
            "c": {"$id": "https://example.com/c", "type": "boolean"},
            "tree": {"type": "object", "additionalProperties": {"$ref": "#/$defs/tree"}},
        },
        "properties": {
            "a": {"$ref": "#/$defs/by%20pointer"},
            "b": {"$ref": "#by-anchor"},
            "c": {"$ref": "https://example.com/c"},
            "tree": {"$ref": "#/$defs/tree"},
        },
    });
    let good = json!({"a": "x", "b": 1, "c": true, "tree": {"x": {"y": {}}}});
    check(&schema, &good).expect("fits");
    for (name, value) in [
        ("a", json!(1)),
        ("b", json!("x")),
        ("c", json!(1)),
        ("tree", json!({"x": {"y": 1}})),
    ] {
        assert!(check(&schema, &json!({ name: value })).is_err(), "{name}");
    }
}

#[test]
fn a_reference_to_nothing_is_refused() {
    for reference in ["#/$defs/missing", "#missing", "#/%zz"] {
        assert!(compile(&json!({"$ref": reference})).is_err(), "{reference}");
    }
}

#[test]
fn a_schema_that_is_its_own_condition_is_refused() {
    for schema in [
        json!({"$ref": "#"}),
        json!({"allOf": [{"$ref": "#"}]}),
        json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"not": {"$ref": "#/$defs/a"}}}, "$ref": "#/$defs/a"}),
    ] {
        assert!(refused(&schema).contains("without end"), "{schema}");
    }
}
