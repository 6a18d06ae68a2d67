//! Forms, URLs, and what users answer.

use mcp_protocol::{
    ClientCapabilities, ElicitRequestFormParams, ElicitRequestParams, ElicitResult,
    ElicitationMode, EnumOption, EnumSchema, InputRequests, InputResponses, InvalidAnswer,
    ListRootsResult, NumberSchema, NumberType, PrimitiveSchemaDefinition, RequestedSchema, Root,
    StringFormat, StringSchema, TitledMultiSelectEnumSchema, TitledMultiSelectItems,
    TitledSingleSelectEnumSchema,
};
use serde_json::{Value, json};

use super::{read, round_trip};

fn form(properties: &Value) -> RequestedSchema {
    let schema = json!({"type": "object", "properties": properties});
    read(&schema.to_string()).unwrap()
}

fn check(schema: &Value, answer: &Value) -> Result<(), InvalidAnswer> {
    let content = json!({"field": answer});
    form(&json!({"field": schema})).check(content.as_object().unwrap())
}

#[test]
fn proto_14_elicitation_without_a_mode_means_forms() {
    let modes = |text: &str| {
        let client: ClientCapabilities = read(text).unwrap();
        (client.has_form_elicitation(), client.has_url_elicitation())
    };
    assert_eq!(modes("{}"), (false, false));
    assert_eq!(modes(r#"{"elicitation":null}"#), (false, false));
    assert_eq!(modes(r#"{"elicitation":{}}"#), (true, false));
    assert_eq!(modes(r#"{"elicitation":{"form":{}}}"#), (true, false));
    assert_eq!(modes(r#"{"elicitation":{"url":{}}}"#), (false, true));
    assert_eq!(
        modes(r#"{"elicitation":{"form":{},"url":{}}}"#),
        (true, true)
    );
}

#[test]
fn proto_16_a_request_without_a_mode_is_a_form_whatever_the_order() {
    let schema = r#""requestedSchema":{"type":"object","properties":{}}"#;
    for text in [
        format!(r#"{{"message":"m",{schema}}}"#),
        format!(r#"{{"mode":null,"message":"m",{schema}}}"#),
        format!(r#"{{{schema},"message":"m","mode":"form"}}"#),
    ] {
        let params: ElicitRequestParams = read(&text).unwrap();
        assert_eq!(params.mode(), ElicitationMode::Form);
        assert_eq!(params.message(), "m");
    }
    let text = r#"{"url":"https://example.com","message":"m","mode":"url"}"#;
    assert_eq!(
        read::<ElicitRequestParams>(text).unwrap().mode(),
        ElicitationMode::Url
    );
}

#[test]
fn proto_17_a_mode_that_is_not_known_or_not_whole_does_not_decode() {
    for text in [
        r#"{"mode":"telepathy","message":"m"}"#,
        r#"{"mode":"url","message":"m"}"#,
        r#"{"message":"m"}"#,
        r#"{"message":"m","requestedSchema":{"type":"array","properties":{}}}"#,
    ] {
        assert!(read::<ElicitRequestParams>(text).is_err(), "{text}");
    }
}

#[test]
fn proto_20_every_kind_of_schema_is_told_by_its_members() {
    let option = |value: &str, title: &str| json!({"const": value, "title": title});
    for (schema, several, options) in [
        (
            json!({"type": "string", "enum": ["a", "b"]}),
            false,
            vec![("a", None), ("b", None)],
        ),
        (
            json!({"type": "string", "oneOf": [option("a", "A")]}),
            false,
            vec![("a", Some("A"))],
        ),
        (
            json!({"type": "array", "items": {"type": "string", "enum": ["a"]}, "minItems": 1}),
            true,
            vec![("a", None)],
        ),
        (
            json!({"type": "array", "items": {"anyOf": [option("a", "A")]}, "default": ["a"]}),
            true,
            vec![("a", Some("A"))],
        ),
        (
            json!({"type": "string", "enum": ["a", "b"], "enumNames": ["A"]}),
            false,
            vec![("a", Some("A")), ("b", None)],
        ),
    ] {
        assert_eq!(round_trip::<PrimitiveSchemaDefinition>(&schema), schema);
        let decoded: EnumSchema = read(&schema.to_string()).unwrap();
        assert_eq!(decoded.is_multi_select(), several, "{schema}");
        assert_eq!(decoded.options(), options, "{schema}");
    }
}

#[test]
fn proto_20_text_is_checked_by_length_and_format() {
    let schema = json!({"type": "string", "minLength": 2, "maxLength": 3});
    assert_eq!(check(&schema, &json!("äö")), Ok(()));
    for text in ["ä", "äöüß"] {
        let wrong = check(&schema, &json!(text));
        assert!(matches!(wrong, Err(InvalidAnswer::Length { .. })), "{text}");
    }
    let fits = |format: &str, text: &str| {
        check(&json!({"type": "string", "format": format}), &json!(text)).is_ok()
    };
    for (format, good, bad) in [
        (
            "email",
            vec!["a@b", "a.b+c@d.example"],
            vec!["a", "@b", "a@", "a b@c"],
        ),
        (
            "uri",
            vec!["https://example.com", "urn:a"],
            vec!["a", "1a:b", "a:", "a:b c", "//a"],
        ),
        (
            "date",
            vec!["2024-02-29", "2000-02-29", "2025-12-31"],
            vec![
                "2025-02-29",
                "1900-02-29",
                "2025-13-01",
                "2025-00-10",
                "2025-1-1",
                "2025-01-01-1",
            ],
        ),
        (
            "date-time",
            vec!["2025-06-18T12:00:00Z", "2025-06-18t23:59:60.25+02:00"],
            vec![
                "2025-06-18",
                "2025-06-18T24:00:00Z",
                "2025-06-18T12:00:00",
                "2025-06-18T12:00Z",
            ],
        ),
        ("color", vec!["anything"], vec![]),
    ] {
        assert!(good.iter().all(|text| fits(format, text)), "{format}");
        assert!(!bad.iter().any(|text| fits(format, text)), "{format}");
    }
}

#[test]
fn proto_20_numbers_are_checked_however_they_are_written() {
    let schema = json!({"type": "integer", "minimum": 1, "maximum": 10.5});
    for good in ["1", "10", "3.0", "1e1"] {
        assert_eq!(check(&schema, &read(good).unwrap()), Ok(()), "{good}");
    }
    for bad in ["0", "11", "3.5", "1e300", "\"3\"", "null", "true"] {
        assert!(check(&schema, &read(bad).unwrap()).is_err(), "{bad}");
    }
    assert_eq!(check(&json!({"type": "number"}), &json!(3.5)), Ok(()));
    let schema = json!({"type": "number", "minimum": -1, "default": 0.5});
    assert_eq!(round_trip::<PrimitiveSchemaDefinition>(&schema), schema);
}

#[test]
fn proto_20_choices_are_checked_with_their_bounds() {
    let one = json!({"type": "string", "oneOf": [{"const": "a", "title": "A"}]});
    assert_eq!(check(&one, &json!("a")), Ok(()));
    assert!(matches!(
        check(&one, &json!("A")),
        Err(InvalidAnswer::Choice { .. })
    ));
    let some = json!({
        "type": "array",
        "items": {"type": "string", "enum": ["a", "b", "c"]},
        "minItems": 1,
        "maxItems": 2,
    });
    assert_eq!(check(&some, &json!(["a", "c"])), Ok(()));
    for bad in [json!([]), json!(["a", "b", "c"])] {
        let wrong = check(&some, &bad);
        assert!(matches!(wrong, Err(InvalidAnswer::Count { .. })));
    }
    assert!(matches!(
        check(&some, &json!(["d"])),
        Err(InvalidAnswer::Choice { .. })
    ));
    assert!(matches!(
        check(&some, &json!("a")),
        Err(InvalidAnswer::Type { .. })
    ));
    assert_eq!(check(&json!({"type": "boolean"}), &json!(false)), Ok(()));
    assert!(check(&json!({"type": "boolean"}), &json!("false")).is_err());
}

#[test]
fn proto_20_fields_that_must_be_filled_in_are_missed() {
    let option = EnumOption::new("a", "A");
    let items = TitledMultiSelectItems::new(vec![option.clone()]);
    let form = RequestedSchema::new()
        .with_required("mail", StringSchema::new().with_format(StringFormat::Email))
        .with_property(
            "age",
            NumberSchema::new(NumberType::Integer).with_minimum(18),
        )
        .with_property("one", TitledSingleSelectEnumSchema::new(vec![option]))
        .with_property(
            "some",
            TitledMultiSelectEnumSchema::new(items).with_max_items(2u32),
        );
    let check = |answer: Value| form.check(answer.as_object().unwrap());
    assert_eq!(check(json!({"mail": "a@b"})), Ok(()));
    let field = "mail".to_owned();
    assert_eq!(
        check(json!({"age": 20})),
        Err(InvalidAnswer::Missing { field })
    );
    assert!(check(json!({"mail": null})).is_err());
    let order: Vec<_> = form.properties.keys().map(String::as_str).collect();
    assert_eq!(order, ["mail", "age", "one", "some"]);
    let text = serde_json::to_string(&form).unwrap();
    assert_eq!(read::<RequestedSchema>(&text).unwrap(), form);
}

#[test]
fn proto_24_roots_are_files() {
    assert!(Root::new("file:///home/a").is_file());
    assert!(!Root::new("https://example.com").is_file());
}

#[test]
fn proto_60_answers_are_read_by_their_key_and_malformed_ones_are_errors() {
    let answers: InputResponses =
        read(r#"{"a":{"action":"accept","content":{"n":1}},"b":{"action":7},"c":[]}"#).unwrap();
    let accepted: ElicitResult = answers.get("a").unwrap().unwrap();
    assert_eq!(accepted.content.unwrap()["n"], 1);
    assert!(answers.get::<ElicitResult>("b").is_err());
    assert!(answers.get::<ListRootsResult>("c").is_err());
    assert!(answers.get::<ElicitResult>("d").unwrap().is_none());
}

#[test]
fn proto_58_questions_keep_their_order_and_their_shape() {
    let form = ElicitRequestFormParams::new("who?", RequestedSchema::new());
    let mut requests = InputRequests::new();
    requests.insert("z", form.clone());
    requests.insert("a", form);
    let text = serde_json::to_string(&requests).unwrap();
    let again: InputRequests = read(&text).unwrap();
    let keys: Vec<_> = again.iter().map(|(key, _)| key).collect();
    assert_eq!(keys, ["z", "a"]);
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["z"]["method"], "elicitation/create");
    assert_eq!(json["z"].as_object().unwrap().len(), 2, "{json}");
}
