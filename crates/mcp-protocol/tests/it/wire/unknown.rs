//! Values and members that this crate does not know: kept, and never fatal.

use mcp_protocol::{
    CallToolResult, CompletionReference, ContentBlock, CreateMessageResult, InputRequest,
    LoggingLevel, LoggingMessageParams, PrimitiveSchemaDefinition, RequestedSchema, Resource, Role,
    ServerCapabilities, StopReason, Tool,
};
use serde_json::json;

use super::{read, round_trip};

#[test]
fn t01_unknown_hints_and_content_types_leave_the_rest_readable() {
    let result: CallToolResult = read(
        r#"{"content":[{"type":"text","text":"a","annotations":{"audience":["system"]}},
                       {"type":"hologram","x":1}]}"#,
    )
    .unwrap();
    assert_eq!(result.first_text(), Some("a"));
    let audience = result.content[0].annotations().unwrap().audience.clone();
    assert_eq!(audience, Some(vec![Role::Other("system".to_owned())]));
    assert_eq!(result.content[1].kind(), "hologram");
    let ContentBlock::Other(members) = &result.content[1] else {
        panic!("{:?}", result.content[1]);
    };
    assert_eq!(members["x"], 1);
}

#[test]
fn t01_a_block_without_a_type_is_an_error_of_its_result() {
    for content in [
        r#"{"text":"a"}"#,
        r#"{"type":7}"#,
        r#"{"type":null}"#,
        "7",
        "null",
        "[]",
    ] {
        let text = format!(r#"{{"content":[{content}]}}"#);
        assert!(read::<CallToolResult>(&text).is_err(), "{content}");
    }
}

#[test]
fn t01_an_unknown_log_level_is_kept() {
    let params: LoggingMessageParams = read(r#"{"level":"trace","data":null}"#).unwrap();
    assert_eq!(params.level, LoggingLevel::Other("trace".to_owned()));
    assert_eq!(params.level.severity(), None);
    assert!(params.level.is_at_least(&LoggingLevel::Info));
}

#[test]
fn t01_unknown_members_survive_a_round_trip_at_every_level() {
    let tool = json!({
        "name": "a",
        "inputSchema": {"type": "object", "x-order": [1, 2]},
        "annotations": {"readOnlyHint": true, "costHint": "high"},
        "icons": [{"src": "data:,", "animated": true}],
        "_meta": {"example.com/shelf": 3},
        "price": {"amount": 1.5},
    });
    assert_eq!(round_trip::<Tool>(&tool), tool);
    let capabilities = json!({
        "tools": {"listChanged": true, "search": {}},
        "experimental": {"x": {"y": 1}},
        "extensions": {"example.com/z": {}},
        "teleport": {},
    });
    assert_eq!(
        round_trip::<ServerCapabilities>(&capabilities),
        capabilities
    );
    let result = json!({
        "content": [
            {"type": "text", "text": "a", "lang": "en"},
            {"type": "resource", "resource": {"uri": "a:b", "text": "c", "etag": "d"}},
            {"type": "hologram", "depth": {"mm": 7}},
        ],
        "cost": 3,
    });
    assert_eq!(round_trip::<CallToolResult>(&result), result);
}

#[test]
fn t01_unknown_strings_survive_a_round_trip() {
    let result = json!({
        "role": "narrator",
        "content": {"type": "smell", "of": "roses"},
        "model": "m",
        "stopReason": "tired",
    });
    assert_eq!(round_trip::<CreateMessageResult>(&result), result);
    let result: CreateMessageResult = read(&result.to_string()).unwrap();
    assert_eq!(
        result.stop_reason,
        Some(StopReason::Other("tired".to_owned()))
    );
}

#[test]
fn t01_unknown_kinds_of_requests_schemas_and_references_are_kept() {
    let request = json!({"method": "dream/create", "params": {"about": "sheep"}});
    assert_eq!(round_trip::<InputRequest>(&request), request);
    let schema = json!({"type": "object", "properties": {}});
    assert_eq!(round_trip::<PrimitiveSchemaDefinition>(&schema), schema);
    let reference = json!({"type": "ref/dream", "of": "sheep"});
    assert_eq!(round_trip::<CompletionReference>(&reference), reference);
}

#[test]
fn t01_a_size_may_be_written_as_a_float_and_a_large_one_does_not_wrap() {
    let size = |size: &str| {
        let text = format!(r#"{{"uri":"a:b","name":"b","size":{size}}}"#);
        read::<Resource>(&text).unwrap().size
    };
    assert_eq!(size("3.0"), Some(3));
    assert_eq!(size("-3"), Some(0));
    assert_eq!(size("1e300"), Some(u64::MAX));
    assert_eq!(size("null"), None);
}

#[test]
fn r14_schemas_are_passed_on_in_order() {
    let text = concat!(
        r#"{"name":"a","inputSchema":{"type":"object","properties":{"z":{"x-unit":"m","type":"number"},"#,
        r#""a":{},"m":{}},"required":["z"],"$defs":{},"additionalProperties":false}}"#,
    );
    let tool: Tool = read(text).unwrap();
    assert_eq!(serde_json::to_string(&tool).unwrap(), text);
    let text = r#"{"type":"object","properties":{"z":{"type":"boolean"},"a":{"type":"boolean"}}}"#;
    let form: RequestedSchema = read(text).unwrap();
    assert_eq!(serde_json::to_string(&form).unwrap(), text);
}
