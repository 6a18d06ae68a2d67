//! What is read of an answer.

use mcp_model::{ChatRequest, ModelErrorKind, StopReason, ToolUse};
use serde_json::{Value, json};

use crate::server::exchange;

async fn read(reply: Value) -> mcp_model::ChatResponse {
    let body = reply.to_string();
    let (_, got) = exchange("200 OK", "", body.as_bytes(), ChatRequest::question("?")).await;
    got.unwrap()
}

#[tokio::test]
async fn calls_and_their_cost_are_read() {
    let got = read(
        json!({"model": "m-1", "choices": [{"finish_reason": "tool_calls", "message": {
        "role": "assistant", "content": null, "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "add", "arguments": "{\"x\":1}"}},
            {"function": {"name": "now"}},
            {"id": "a", "function": {"name": "sub", "arguments": {"y": 2}}},
        ]}}], "usage": {"prompt_tokens": 7, "completion_tokens": 3,
        "prompt_tokens_details": {"cached_tokens": 5}}}),
    )
    .await;
    assert_eq!(got.stop, StopReason::ToolUse);
    assert_eq!(got.model.as_deref(), Some("m-1"));
    let usage = got.usage;
    assert_eq!(
        (usage.input_tokens, usage.cached_tokens, usage.output_tokens),
        (7, 5, 3)
    );
    let calls = got.message.tool_calls;
    assert_eq!(calls[0], ToolUse::new("a", "add", "{\"x\":1}"));
    assert_eq!(calls[1], ToolUse::new("call_2", "now", ""), "no id");
    assert_eq!(
        calls[2],
        ToolUse::new("call_3", "sub", "{\"y\":2}"),
        "an id that is taken"
    );
}

#[tokio::test]
async fn every_end_of_an_answer_has_its_reason() {
    for (finish, message, expected) in [
        (json!("stop"), json!({"content": "x"}), StopReason::EndTurn),
        (Value::Null, json!({"content": "x"}), StopReason::EndTurn),
        (
            json!("length"),
            json!({"content": "x"}),
            StopReason::MaxTokens,
        ),
        (
            json!("content_filter"),
            json!({}),
            StopReason::ContentFilter,
        ),
        (json!("stop"), json!({"refusal": "no"}), StopReason::Refusal),
        (
            json!("odd"),
            json!({"content": "x"}),
            StopReason::Other("odd".to_owned()),
        ),
        (
            json!("stop"),
            json!({"tool_calls": [{"id": "1", "function": {"name": "t"}}]}),
            StopReason::ToolUse,
        ),
    ] {
        let got = read(json!({"choices": [{"message": message, "finish_reason": finish}]})).await;
        assert_eq!(got.stop, expected, "{finish} {message}");
    }
    let parts = json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]);
    let got = read(json!({"choices": [{"message": {"content": parts}}]})).await;
    assert_eq!(got.message.text(), "a\nb");
}

#[tokio::test]
async fn an_answer_that_is_no_completion_cannot_be_read() {
    let nameless =
        r#"{"choices":[{"message":{"tool_calls":[{"id":"1","function":{"name":""}}]}}]}"#;
    for body in [
        "nonsense",
        "{}",
        "[]",
        "",
        r#"{"choices":[]}"#,
        r#"{"choices":[{}]}"#,
        r#"{"choices":[{"message":{"tool_calls":[{"id":"1"}]}}]}"#,
        r#"{"choices":[{"message":{"content":"x"#,
        nameless,
    ] {
        let request = ChatRequest::question("?");
        let (_, got) = exchange("200 OK", "", body.as_bytes(), request).await;
        assert_eq!(got.unwrap_err().kind(), ModelErrorKind::Decode, "{body}");
    }
}

#[tokio::test]
async fn an_answer_may_ask_for_1000_tools_and_no_more() {
    for (count, fits) in [(1_000, true), (1_001, false)] {
        let call = json!({"function": {"name": "t", "arguments": "{}"}});
        let calls = vec![call; count];
        let body = json!({"choices": [{"message": {"tool_calls": calls}}]}).to_string();
        let request = ChatRequest::question("?");
        let (_, got) = exchange("200 OK", "", body.as_bytes(), request).await;
        match got {
            Ok(got) => assert!(fits && got.message.tool_calls.len() == count),
            Err(error) => assert!(!fits && error.kind() == ModelErrorKind::Decode, "{error}"),
        }
    }
}
