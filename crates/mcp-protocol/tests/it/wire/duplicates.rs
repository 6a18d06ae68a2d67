//! Member names: exact, case-sensitive, once.

use mcp_jsonrpc::{ErrorCode, RawJson};
use mcp_protocol::tools::CallTool;
use mcp_protocol::{
    CallToolParams, CallToolResult, CompletionContext, ContentBlock, ElicitResult, GetPromptParams,
    InputRequests, InputResponses, Meta, RequestMeta, RequestedSchema, ResourceContents,
    RpcRequest, SamplingMessageContentBlock, check_unique_members,
};

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
fn j13_a_member_of_arguments_twice_is_invalid_params_however_deep_it_is() {
    for arguments in [
        r#"{"path":"safe","path":"evil"}"#,
        r#"{"path":"safe","p\u0061th":"evil"}"#,
        r#"{"path":"safe","path":"safe"}"#,
        r#"{"a":{"b":[{},{"c":1,"c":2}]}}"#,
        r#"{"":1,"":2}"#,
    ] {
        let text = format!(r#"{{"name":"a","arguments":{arguments}}}"#);
        let error = params(&text).expect_err(arguments);
        assert_eq!(error.code, ErrorCode::INVALID_PARAMS, "{arguments}");
        assert!(check_unique_members(arguments).is_err(), "{arguments}");
        let text = format!(r#"{{"type":"tool_use","id":"1","name":"a","input":{arguments}}}"#);
        assert!(
            read::<SamplingMessageContentBlock>(&text).is_err(),
            "{text}"
        );
        let text = format!(r#"{{"content":[],"structuredContent":{arguments}}}"#);
        assert!(read::<CallToolResult>(&text).is_err(), "{text}");
    }
    for arguments in [
        r#"{"path":"a","Path":"b","also":{"path":"c"},"list":[{"path":1},{"path":2}]}"#,
        r#"{"n":1e300,"u":18446744073709551615,"s":"\"path\":1,\"path\":2"}"#,
        "{}",
    ] {
        let text = format!(r#"{{"name":"a","arguments":{arguments}}}"#);
        assert_eq!(params(&text).unwrap().arguments.unwrap().get(), arguments);
    }
}

#[test]
fn j13_many_members_are_told_apart_in_linear_time() {
    let members = |last: usize| {
        let names: Vec<_> = (0..100_000)
            .chain([last])
            .map(|n| format!("\"k{n}\":0"))
            .collect();
        format!("{{{}}}", names.join(","))
    };
    assert!(check_unique_members(&members(100_000)).is_ok());
    for last in [0, 7, 50_000, 99_999] {
        let error = check_unique_members(&members(last))
            .unwrap_err()
            .to_string();
        assert!(error.contains(&format!("`k{last}`")), "{error}");
    }
}

#[test]
fn j13_what_a_user_or_a_prompt_is_given_has_each_member_once() {
    let twice = r#"{"a":"1","a":"2"}"#;
    let text = format!(r#"{{"action":"accept","content":{twice}}}"#);
    assert!(read::<ElicitResult>(&text).is_err());
    let text = format!(r#"{{"name":"p","arguments":{twice}}}"#);
    assert!(read::<GetPromptParams>(&text).is_err());
    assert!(read::<CompletionContext>(&format!(r#"{{"arguments":{twice}}}"#)).is_err());
    for nothing in [
        r#"{"action":"accept","content":null}"#,
        r#"{"action":"accept"}"#,
    ] {
        assert_eq!(read::<ElicitResult>(nothing).unwrap().content, None);
    }
    assert!(read::<ElicitResult>(r#"{"action":"accept","content":[]}"#).is_err());
    let none: CompletionContext = read(r#"{"arguments":null}"#).unwrap();
    assert_eq!(none.arguments, None);
}
