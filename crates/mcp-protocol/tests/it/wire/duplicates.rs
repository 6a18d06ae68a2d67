//! Member names: exact, case-sensitive, once.

use mcp_jsonrpc::{ErrorCode, RawJson};
use mcp_protocol::tools::CallTool;
use mcp_protocol::{
    CallToolParams, CallToolResult, ContentBlock, InputRequests, InputResponses, Meta, RequestMeta,
    RequestedSchema, ResourceContents, RpcRequest,
};
use serde_json::json;

use super::read;

fn params(text: &str) -> Result<CallToolParams, mcp_jsonrpc::ErrorObject> {
    CallTool::decode_params(Some(&RawJson::parse(text.to_owned()).unwrap()))
}

#[test]
fn j13_look_alikes_of_a_member_are_other_members() {
    let params = params(
        r#"{"name":"safe","Name":"evil","NAME":"evil","name\u0000":"evil","ｎame":"evil",
            "argumentſ":{"a":1},"Arguments":{"a":1}}"#,
    )
    .unwrap();
    assert_eq!(params.name, "safe");
    assert!(params.arguments.is_none());
    assert_eq!(params.extra.len(), 6);
}

#[test]
fn j13_a_member_with_escapes_in_its_name_is_the_member() {
    let error = params(r#"{"name":"safe","n\u0061me":"evil"}"#).unwrap_err();
    assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
}

#[test]
fn j13_a_member_twice_is_invalid_params() {
    for text in [
        r#"{"name":"safe","name":"evil"}"#,
        r#"{"name":"safe","arguments":{},"arguments":{"a":1}}"#,
        r#"{"name":"safe","arguments":null,"arguments":{"a":1}}"#,
        r#"{"name":"safe","_meta":{},"_meta":{}}"#,
        r#"{"name":"safe","_meta":{"progressToken":1,"progressToken":2}}"#,
        r#"{"name":"safe","task":{"ttl":1,"ttl":2}}"#,
        r#"{"name":"safe","x":1,"x":2}"#,
    ] {
        let error = params(text).expect_err(text);
        assert_eq!(error.code, ErrorCode::INVALID_PARAMS, "{text}");
    }
    let key = RequestMeta::PROTOCOL_VERSION;
    let text = format!(r#"{{"{key}":"2026-07-28","{key}":"2024-11-05"}}"#);
    assert!(read::<RequestMeta>(&text).is_err());
}

#[test]
fn j13_a_member_twice_makes_a_bad_result() {
    for text in [
        r#"{"type":"text","text":"a","text":"b"}"#,
        r#"{"text":"a","type":"text","text":"b"}"#,
        r#"{"text":"a","text":"b","type":"text"}"#,
        r#"{"type":"text","type":"image","text":"a"}"#,
        r#"{"type":"text","text":"a","type":"text"}"#,
        r#"{"text":"a","type":"text","type":"text"}"#,
        r#"{"type":"hologram","type":"text","text":"a"}"#,
        r#"{"type":"hologram","x":1,"x":2}"#,
    ] {
        assert!(read::<ContentBlock>(text).is_err(), "{text}");
    }
    assert!(read::<ResourceContents>(r#"{"uri":"a:b","text":"c","text":"d"}"#).is_err());
    assert!(read::<ResourceContents>(r#"{"uri":"a:b","text":"c","blob":"ZA=="}"#).is_err());
    assert!(read::<CallToolResult>(r#"{"content":[],"content":[]}"#).is_err());
    assert!(read::<Meta>(r#"{"a":1,"a":2}"#).is_err());
    assert!(read::<InputResponses>(r#"{"k":{},"k":{}}"#).is_err());
    let ask = r#"{"method":"roots/list"}"#;
    assert!(read::<InputRequests>(&format!(r#"{{"k":{ask},"k":{ask}}}"#)).is_err());
    let field = r#""a":{"type":"boolean"}"#;
    let form = format!(r#"{{"type":"object","properties":{{{field},{field}}}}}"#);
    assert!(read::<RequestedSchema>(&form).is_err());
}

#[test]
fn j13_all_who_look_at_arguments_see_the_same() {
    let params = params(r#"{"name":"a","arguments":{"path":"safe","path":"evil"}}"#).unwrap();
    let arguments = params.arguments.unwrap();
    let seen: serde_json::Value = serde_json::from_str(arguments.get()).unwrap();
    assert_eq!(seen, json!({"path": "evil"}));
}
