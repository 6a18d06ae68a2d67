//! `null`, missing and wrongly typed members.

use mcp_jsonrpc::{ErrorCode, RawJson};
use mcp_protocol::tools::{CallTool, ListTools};
use mcp_protocol::{CallToolResult, RpcRequest, Tool};
use serde_json::{Value, json};

use super::{read, round_trip};

fn raw(text: &str) -> RawJson {
    RawJson::parse(text.to_owned()).unwrap()
}

#[test]
fn t06_null_and_absent_are_the_same_for_optional_members() {
    assert!(ListTools::decode_params(None).unwrap().cursor.is_none());
    for text in [
        "{}",
        r#"{"cursor":null}"#,
        r#"{"cursor":null,"_meta":null}"#,
    ] {
        let params = ListTools::decode_params(Some(&raw(text))).unwrap();
        assert!(params.cursor.is_none() && params.meta.is_none(), "{text}");
        assert_eq!(serde_json::to_value(params).unwrap(), json!({}), "{text}");
    }
    for text in [r#"{"name":"a"}"#, r#"{"name":"a","arguments":null}"#] {
        let params = CallTool::decode_params(Some(&raw(text))).unwrap();
        assert!(params.arguments.is_none());
        assert_eq!(serde_json::to_value(params).unwrap(), json!({"name": "a"}));
    }
}

#[test]
fn t06_arguments_that_are_no_object_are_invalid_params() {
    for arguments in ["[1]", r#""x""#, "7", "true"] {
        let params = raw(&format!(r#"{{"name":"a","arguments":{arguments}}}"#));
        let error = CallTool::decode_params(Some(&params)).unwrap_err();
        assert_eq!(error.code, ErrorCode::INVALID_PARAMS, "{arguments}");
        assert!(error.message.contains("tools/call"), "{error}");
    }
}

#[test]
fn t06_missing_and_wrongly_typed_params_are_invalid_params() {
    for params in [
        None,
        Some("{}"),
        Some(r#"{"name":null}"#),
        Some(r#"{"name":7}"#),
    ] {
        let params = params.map(raw);
        let error = CallTool::decode_params(params.as_ref()).unwrap_err();
        assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
    }
}

#[test]
fn t06_arguments_keep_their_text() {
    let params = raw(r#"{"name":"a","arguments":{ "n": 12345678901234567890123, "e": 1e2 }}"#);
    let params = CallTool::decode_params(Some(&params)).unwrap();
    let arguments = params.arguments.unwrap();
    assert_eq!(
        arguments.get(),
        r#"{ "n": 12345678901234567890123, "e": 1e2 }"#
    );
}

#[test]
fn t06_a_result_without_content_has_none() {
    for text in [
        r#"{"structuredContent":{"a":1}}"#,
        r#"{"content":null}"#,
        "{}",
    ] {
        let result: CallToolResult = read(text).unwrap();
        assert!(result.content.is_empty());
        let json = serde_json::to_value(&result).unwrap();
        assert_eq!(json["content"], json!([]), "{text}");
    }
    let result: CallToolResult = read(r#"{"content":[],"isError":null}"#).unwrap();
    assert!(!result.is_error());
}

#[test]
fn t06_null_members_of_a_tool_are_absent() {
    let tool: Tool = read(
        r#"{"name":"a","title":null,"description":null,"inputSchema":{},"outputSchema":null,
            "annotations":null,"execution":null,"icons":null,"_meta":null}"#,
    )
    .unwrap();
    assert_eq!(tool, Tool::new("a", json!({})));
}

#[test]
fn proto_40_structured_content_tells_null_from_absent() {
    let content = |text: &str| read::<CallToolResult>(text).unwrap().structured_content;
    assert_eq!(content(r#"{"content":[]}"#), None);
    assert_eq!(
        content(r#"{"content":[],"structuredContent":null}"#),
        Some(Value::Null)
    );
    for value in [json!(null), json!(7), json!([1]), json!({"a": null})] {
        let result = json!({"content": [], "structuredContent": value});
        assert_eq!(round_trip::<CallToolResult>(&result), result);
    }
}
