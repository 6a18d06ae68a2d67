//! Cassettes: what is written down comes back.

use std::error::Error;
use std::sync::Arc;

use mcp_interceptors::{
    CallErrorKind, Cassette, CassetteError, Command, Delivery, InjectArgsLayer, RecordLayer,
    ReplayLayer, ToolLayers, ToolMessage, ToolOutcome, Toolset,
};
use mcp_protocol::{CallToolResult, ContentBlock};
use serde_json::json;

use super::{Outcome, Script, call, fails, tool_fails};

fn outcomes() -> Vec<Outcome> {
    let result = CallToolResult::new(vec![ContentBlock::image([1, 2], "image/png")])
        .with_structured_content(json!({"a": [1]}));
    let mut message = ToolMessage::error("no");
    message.artifact = Some(json!(1));
    vec![
        Ok(result.into()),
        tool_fails(),
        Ok(message.into()),
        Ok(Command::handoff("x").with_message("ok").into()),
        fails(CallErrorKind::Protocol).map_err(|e| e.with_code(-32602)),
        fails(CallErrorKind::Transport).map_err(|e| e.with_delivery(Delivery::NotSent)),
    ]
}

/// Everything about an outcome that can be seen.
fn seen(outcome: &Outcome) -> String {
    match outcome {
        Ok(outcome) => format!("{outcome:?}"),
        Err(e) => format!(
            "{:?} {:?} {:?} {}",
            e.kind(),
            e.delivery(),
            e.code(),
            e.chain()
        ),
    }
}

#[tokio::test]
async fn every_kind_of_outcome_comes_back_in_order() {
    let cassette = Cassette::new();
    let script = Script::new(outcomes());
    let service = script.behind(&ToolLayers::new().layer(RecordLayer::new(&cassette)));
    for _ in outcomes() {
        let _ = service
            .call(call().with_arg("a", json!({"x": 1, "y": 2})))
            .await;
    }
    service.call(call().with_arg("b", 1)).await.unwrap();

    let played = Cassette::from_json_lines(&cassette.to_json_lines()).unwrap();
    let replay = Script::default();
    let service = replay.behind(&ToolLayers::new().layer(ReplayLayer::new(&played)));
    let b = service.call(call().with_arg("b", 1)).await.unwrap();
    assert_eq!(b.text(), "ok");
    for expected in outcomes() {
        let same = call().with_arg("a", json!({"y": 2, "x": 1}));
        assert_eq!(seen(&service.call(same).await), seen(&expected));
    }
    assert_eq!(replay.count(), 0, "nothing was sent");
    let error = service.call(call().with_arg("b", 1)).await.unwrap_err();
    let missing: &CassetteError = error.source().unwrap().downcast_ref().unwrap();
    assert!(matches!(missing, CassetteError::NotRecorded { tool, .. } if tool == "t"));
    assert_eq!(error.delivery(), Delivery::NotSent);
}

#[tokio::test]
async fn a_cassette_stands_in_for_the_servers() {
    let cassette = Cassette::new();
    let script = Script::default();
    let layers = ToolLayers::new()
        .layer(RecordLayer::new(&cassette))
        .layer(InjectArgsLayer::new().arg("a", |_| None));
    let real = layers.around(Arc::new(script.tools()));
    for _ in 0..2 {
        real.tools().await;
    }
    let call = call().with_arg("q", "x");
    real.call(call.clone()).await.unwrap();
    let text = cassette.to_json_lines();
    assert_eq!(text.lines().count(), 3, "a tool is written once: {text}");

    let played = Cassette::from_json_lines(&text).unwrap();
    assert_eq!(*played.tools().await.tools[0], *real.tools().await.tools[0]);
    assert_eq!(played.tools().await.tools.len(), 2);
    assert_eq!(played.call(call.clone()).await.unwrap().text(), "ok");
    assert!(played.call(call).await.is_err());
    assert_eq!(
        played.to_json_lines(),
        text,
        "playing leaves the tape as it is"
    );
}

#[tokio::test]
async fn calls_that_have_not_ended_are_not_written() {
    let cassette = Cassette::new();
    let script = Script::new([
        fails(CallErrorKind::Interrupted),
        fails(CallErrorKind::Cancelled),
    ]);
    let service = script.behind(&ToolLayers::new().layer(RecordLayer::new(&cassette)));
    for _ in 0..2 {
        assert!(service.call(call()).await.is_err());
    }
    assert_eq!(cassette.to_json_lines(), "");
}

#[tokio::test]
async fn what_is_not_on_the_cassette_can_be_made_and_added() {
    let cassette = Cassette::new();
    let script = Script::default();
    let layers = ToolLayers::new()
        .layer(ReplayLayer::new(&cassette).call_others())
        .layer(RecordLayer::new(&cassette));
    let service = script.behind(&layers);
    for _ in 0..4 {
        service.call(call()).await.unwrap();
    }
    assert_eq!(script.count(), 2, "each recording is played once");
}

#[test]
fn a_line_that_is_no_recording_is_named() {
    for bad in ["{}", "[]", "x", r#"{"call": {"server": "s"}}"#] {
        let error = Cassette::from_json_lines(&format!("\n{bad}")).unwrap_err();
        assert!(
            matches!(error, CassetteError::Line { line: 2, .. }),
            "{bad}"
        );
    }
    let one = r#"{"call":{"server":"s","tool":"t","args":{},"result":{"content":[]}}}"#;
    let cassette = Cassette::from_json_lines(one).unwrap();
    assert!(
        format!("{cassette:?}").contains("bytes: 69"),
        "{cassette:?}"
    );
}

#[tokio::test]
async fn a_full_cassette_records_no_more() {
    let large = "x".repeat(Cassette::MAX_BYTES / 2);
    let outcome = || Ok(ToolOutcome::from(large.as_str()));
    let script = Script::new([outcome(), outcome()]);
    let cassette = Cassette::new();
    let service = script.behind(&ToolLayers::new().layer(RecordLayer::new(&cassette)));
    for _ in 0..2 {
        service.call(call()).await.unwrap();
    }
    assert_eq!(cassette.to_json_lines().lines().count(), 1);
}
