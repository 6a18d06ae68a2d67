//! What 2026-07-28 adds to results, and how it comes and goes with the revision.

use std::time::Duration;

use mcp_jsonrpc::RawJson;
use mcp_protocol::{
    Answer, AnswerError, CacheScope, CallToolResult, CompleteResult, Completion, ContentBlock,
    EmptyResult, GetPromptResult, InputRequests, InputRequiredResult, ListToolsResult,
    PromptMessage, ProtocolVersion, ReadResourceResult, ResourceContents, Stamp,
};
use serde::Serialize;
use serde_json::{Value, json};

use super::read;

fn stamped<T: Stamp + Serialize>(mut result: T, version: ProtocolVersion) -> Value {
    let info = json!({"name": "s", "version": "1"});
    result.stamp(version, Some(&info));
    serde_json::to_value(result).unwrap()
}

#[test]
fn proto_06_every_result_names_its_kind_since_2026_07_28() {
    let version = ProtocolVersion::V2026_07_28;
    let complete = |json: Value| assert_eq!(json["resultType"], "complete", "{json}");
    complete(stamped(EmptyResult::new(), version));
    complete(stamped(CallToolResult::text("a"), version));
    complete(stamped(GetPromptResult::new(Vec::new()), version));
    complete(stamped(ListToolsResult::new(Vec::new()), version));
    complete(stamped(ReadResourceResult::new(Vec::new()), version));
    complete(stamped(CompleteResult::new(Completion::default()), version));
    let asked = stamped(InputRequiredResult::new(InputRequests::new()), version);
    assert_eq!(asked["resultType"], "input_required");
}

#[test]
fn proto_06_results_of_earlier_revisions_have_none_of_it() {
    for version in ProtocolVersion::ALL
        .into_iter()
        .filter(|v| !v.is_stateless())
    {
        assert_eq!(stamped(EmptyResult::new(), version), json!({}));
        let list = ListToolsResult::new(Vec::new())
            .with_ttl_ms(5000u64)
            .with_cache_scope(CacheScope::Public);
        assert_eq!(stamped(list, version), json!({"tools": []}));
    }
}

#[test]
fn proto_07_an_absent_kind_is_complete_and_an_unknown_one_is_invalid() {
    let answer = |text: &str| {
        let raw = RawJson::parse(text.to_owned()).unwrap();
        Answer::<CallToolResult>::decode(&raw)
    };
    for text in [
        r#"{"content":[]}"#,
        r#"{"content":[],"resultType":"complete"}"#,
    ] {
        assert!(matches!(answer(text), Ok(Answer::Complete(_))), "{text}");
    }
    let text = r#"{"resultType":"input_required","requestState":""}"#;
    assert!(matches!(answer(text), Ok(Answer::InputRequired(_))));
    let unknown = AnswerError::UnknownKind {
        kind: "dream".to_owned(),
    };
    assert_eq!(
        answer(r#"{"content":[],"resultType":"dream"}"#),
        Err(unknown)
    );
    for text in [r#"{"content":7}"#, "[]", r#"{"resultType":7}"#] {
        let answer = answer(text);
        assert!(
            matches!(answer, Err(AnswerError::Malformed { .. })),
            "{text}"
        );
    }
}

#[test]
fn proto_08_results_say_who_made_them_since_2026_07_28() {
    let json = stamped(CallToolResult::text("a"), ProtocolVersion::V2026_07_28);
    let result: CallToolResult = read(&json.to_string()).unwrap();
    assert_eq!(result.meta.unwrap().server_info().unwrap().name, "s");
    let json = stamped(CallToolResult::text("a"), ProtocolVersion::V2025_11_25);
    assert_eq!(json.get("_meta"), None);
}

#[test]
fn proto_37_a_tool_that_failed_says_so_in_its_result() {
    let json = serde_json::to_value(CallToolResult::error("no such city")).unwrap();
    let text = json!({"type": "text", "text": "no such city"});
    assert_eq!(json, json!({"content": [text], "isError": true}));
    assert!(
        read::<CallToolResult>(&json.to_string())
            .unwrap()
            .is_error()
    );
}

#[test]
fn proto_40_structured_content_of_any_kind_goes_only_where_it_is_known() {
    let content = |value: Value, version| {
        let json = stamped(CallToolResult::structured(value), version);
        json.get("structuredContent").cloned()
    };
    let (old, new) = (ProtocolVersion::V2025_11_25, ProtocolVersion::V2026_07_28);
    assert_eq!(content(json!([1]), new), Some(json!([1])));
    assert_eq!(content(Value::Null, new), Some(Value::Null));
    assert_eq!(content(json!([1]), old), None);
    assert_eq!(content(json!({"a": 1}), old), Some(json!({"a": 1})));
}

#[test]
fn proto_41_a_structured_result_is_also_there_as_text() {
    let result = CallToolResult::structured(json!({"a": 1}));
    assert_eq!(result.text_content(), r#"{"a":1}"#);
}

#[test]
fn proto_45_a_stamped_result_has_only_kinds_that_the_revision_knows() {
    let audio = || ContentBlock::audio([1], "audio/wav");
    let json = stamped(CallToolResult::from(audio()), ProtocolVersion::V2024_11_05);
    assert_eq!(json["content"][0]["type"], "resource");
    let prompt = GetPromptResult::new(vec![PromptMessage::user(audio())]);
    let json = stamped(prompt, ProtocolVersion::V2024_11_05);
    assert_eq!(json["messages"][0]["content"]["type"], "resource");
}

#[test]
fn proto_50_only_cacheable_results_say_how_long_they_may_be_kept() {
    let version = ProtocolVersion::V2026_07_28;
    let kept = |json: &Value| (json.get("ttlMs").cloned(), json.get("cacheScope").cloned());
    let contents = vec![ResourceContents::text("a:b", "c")];
    let default = (Some(json!(0)), Some(json!("private")));
    assert_eq!(
        kept(&stamped(ReadResourceResult::new(contents), version)),
        default
    );
    assert_eq!(
        kept(&stamped(ListToolsResult::new(Vec::new()), version)),
        default
    );
    let list = ListToolsResult::new(Vec::new()).with_ttl_ms(7u64);
    assert_eq!(kept(&stamped(list, version)).0, Some(json!(7)));
    for json in [
        stamped(CallToolResult::text("a"), version),
        stamped(GetPromptResult::new(Vec::new()), version),
        stamped(InputRequiredResult::again(), version),
        stamped(EmptyResult::new(), version),
    ] {
        assert_eq!(kept(&json), (None, None), "{json}");
    }
}

#[test]
fn proto_51_a_negative_or_absent_time_is_none_and_an_unknown_scope_is_private() {
    let hint = |members: &str| {
        let text = format!(r#"{{"tools":[]{members}}}"#);
        let hint = read::<ListToolsResult>(&text).unwrap().cache_hint();
        (hint.ttl, hint.shared)
    };
    assert_eq!(hint(""), (Duration::ZERO, false));
    assert_eq!(
        hint(r#","ttlMs":-5,"cacheScope":"public""#),
        (Duration::ZERO, true)
    );
    assert_eq!(
        hint(r#","ttlMs":1500,"cacheScope":"village""#),
        (Duration::from_millis(1500), false)
    );
    assert_eq!(
        hint(r#","ttlMs":null,"cacheScope":null"#),
        (Duration::ZERO, false)
    );
}

#[test]
fn proto_55_only_three_methods_may_be_answered_by_a_question() {
    let may = ["tools/call", "prompts/get", "resources/read"];
    assert!(may.into_iter().all(InputRequiredResult::may_answer));
    let must_not = [
        "tools/list",
        "server/discover",
        "completion/complete",
        "ping",
    ];
    assert!(!must_not.into_iter().any(InputRequiredResult::may_answer));
}

#[test]
fn proto_56_a_question_without_requests_and_state_is_invalid() {
    let raw = RawJson::parse(r#"{"resultType":"input_required"}"#).unwrap();
    let answer = Answer::<CallToolResult>::decode(&raw);
    assert_eq!(answer, Err(AnswerError::AsksNothing));
    assert!(InputRequiredResult::again().is_empty());
    assert!(
        !InputRequiredResult::again()
            .with_request_state("")
            .is_empty()
    );
}
