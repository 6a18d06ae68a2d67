//! Conversations with a model: shapes of content, uses of tools.

use mcp_protocol::{
    CreateMessageParams, CreateMessageResult, SamplingContent, SamplingMessage,
    SamplingMessageContentBlock as Block, ToolResultContent, ToolUseContent, ToolUseImbalance,
};
use serde_json::{Map, json};

use super::{read, round_trip};

fn used(id: &str) -> Block {
    ToolUseContent::new(id, "t", Map::new()).into()
}

fn result(id: &str) -> Block {
    ToolResultContent::new(id, Vec::new()).into()
}

fn check(messages: Vec<SamplingMessage>) -> Result<(), ToolUseImbalance> {
    CreateMessageParams::new(messages, 10).check_tool_uses()
}

#[test]
fn content_is_a_block_or_a_list_and_stays_what_it_was() {
    let block = json!({"type": "text", "text": "a"});
    for content in [block.clone(), json!([block]), json!([])] {
        let message = json!({"role": "user", "content": content});
        assert_eq!(round_trip::<SamplingMessage>(&message), message);
    }
    let one: SamplingMessage =
        read(r#"{"role":"user","content":{"text":"a","type":"text"}}"#).unwrap();
    assert_eq!(one, SamplingMessage::user("a"));
    assert_eq!(one.content.blocks().len(), 1);
    for bad in ["7", "null", r#""a""#, "[[]]", "[null]"] {
        let text = format!(r#"{{"role":"user","content":{bad}}}"#);
        assert!(read::<SamplingMessage>(&text).is_err(), "{bad}");
    }
}

#[test]
fn uses_and_results_of_tools_round_trip() {
    let result = json!({
        "role": "assistant",
        "content": [
            {"type": "tool_use", "id": "1", "name": "t", "input": {"a": [1]}},
            {"type": "tool_result", "toolUseId": "1", "content": [], "structuredContent": null},
        ],
        "model": "m",
        "stopReason": "toolUse",
    });
    assert_eq!(round_trip::<CreateMessageResult>(&result), result);
}

#[test]
fn proto_22_each_use_is_answered_by_the_next_message() {
    let turns = vec![
        SamplingMessage::user("go"),
        SamplingMessage::assistant(vec![Block::text("two"), used("1"), used("2")]),
        SamplingMessage::user(vec![result("2"), result("1")]),
        SamplingMessage::assistant("done"),
    ];
    assert_eq!(check(turns), Ok(()));
    assert_eq!(check(Vec::new()), Ok(()));
}

#[test]
fn proto_22_a_use_without_a_result_is_told() {
    let unanswered = |message| {
        Err(ToolUseImbalance::Unanswered {
            message,
            id: "1".to_owned(),
        })
    };
    assert_eq!(
        check(vec![SamplingMessage::assistant(used("1"))]),
        unanswered(0)
    );
    let turns = vec![
        SamplingMessage::user("go"),
        SamplingMessage::assistant(used("1")),
        SamplingMessage::user("never mind"),
    ];
    assert_eq!(check(turns), unanswered(1));
}

#[test]
fn proto_22_a_result_without_a_use_is_told() {
    let unasked = |message| {
        Err(ToolUseImbalance::Unasked {
            message,
            id: "1".to_owned(),
        })
    };
    assert_eq!(check(vec![SamplingMessage::user(result("1"))]), unasked(0));
    let twice = vec![
        SamplingMessage::assistant(used("1")),
        SamplingMessage::user(vec![result("1"), result("1")]),
    ];
    assert_eq!(check(twice), unasked(1));
}

#[test]
fn proto_22_results_stand_alone_and_come_from_the_user() {
    let after_use = |message| check(vec![SamplingMessage::assistant(used("1")), message]);
    let mixed = Err(ToolUseImbalance::Mixed { message: 1 });
    let content = vec![result("1"), Block::text("and")];
    assert_eq!(after_use(SamplingMessage::user(content)), mixed);
    assert_eq!(after_use(SamplingMessage::assistant(result("1"))), mixed);
}

#[test]
fn proto_22_a_long_conversation_is_checked_in_linear_time() {
    let ids: Vec<String> = (0..50_000).map(|n| n.to_string()).collect();
    let turns = vec![
        SamplingMessage::assistant(ids.iter().map(|id| used(id)).collect::<Vec<_>>()),
        SamplingMessage::user(ids.iter().rev().map(|id| result(id)).collect::<Vec<_>>()),
    ];
    assert_eq!(check(turns), Ok(()));
}

#[test]
fn proto_23_a_request_without_a_limit_of_tokens_does_not_decode() {
    assert!(read::<CreateMessageParams>(r#"{"messages":[]}"#).is_err());
    let params: CreateMessageParams = read(r#"{"messages":[],"maxTokens":100}"#).unwrap();
    assert_eq!(params.max_tokens, 100);
}

#[test]
fn a_list_of_blocks_is_a_list_even_of_one() {
    let content = SamplingContent::from(vec![Block::text("a")]);
    assert!(serde_json::to_value(content).unwrap().is_array());
}
