//! Cache: what is kept, for how long, how much of it, and for whom.

use std::time::Duration;

use http::{Extensions, HeaderName, HeaderValue};
use mcp_interceptors::{
    CacheLayer, CallErrorKind, Command, RawResult, ToolCall, ToolLayers, ToolService,
};
use mcp_protocol::{CallToolResult, ToolAnnotations};
use serde_json::json;
use tokio::time::advance;

use super::{Script, call, fails, hinted, tool_fails};

const MINUTE: Duration = Duration::from_secs(60);

fn read_only() -> ToolCall {
    let hints = ToolAnnotations::new().with_read_only_hint(true);
    hinted(hints, Extensions::new())
}

fn behind(layer: CacheLayer) -> (Script, ToolService) {
    let script = Script::default();
    let service = script.behind(&ToolLayers::new().layer(layer));
    (script, service)
}

#[tokio::test(start_paused = true)]
async fn equal_calls_of_a_tool_that_only_reads_are_made_once_in_a_while() {
    let (script, service) = behind(CacheLayer::new(MINUTE));
    let ab = read_only().with_arg("a", json!({"x": 1, "y": [2]}));
    let ab = ab.with_arg("b", 2).with_meta("traceparent", "one");
    let ba = read_only().with_arg("b", 2);
    let ba = ba.with_arg("a", json!({"y": [2], "x": 1}));
    for call in [&ab, &ba, &ab.clone().with_meta("traceparent", "two")] {
        assert_eq!(service.call(call.clone()).await.unwrap().text(), "ok");
    }
    assert_eq!(script.count(), 1);
    advance(MINUTE).await;
    service.call(ab).await.unwrap();
    assert_eq!(script.count(), 2);
}

#[tokio::test(start_paused = true)]
async fn calls_that_differ_and_tools_that_write_are_made() {
    let (script, service) = behind(CacheLayer::new(MINUTE));
    let header = HeaderName::from_static("x-user");
    let value = HeaderValue::from_static;
    let different = [
        read_only(),
        read_only().with_arg("a", 1),
        read_only().with_arg("a", "1"),
        read_only().with_arg("a", json!([1])),
        read_only().with_arg("a1", json!({})),
        read_only().with_header(header.clone(), value("ada")),
        read_only().with_header(header.clone(), value("bob")),
        read_only().without_header(header),
        read_only().with_meta("tenant", 1),
    ];
    for call in &different {
        service.call(call.clone()).await.unwrap();
    }
    assert_eq!(script.count(), different.len());
    for call in different {
        service.call(call).await.unwrap();
    }
    assert_eq!(script.count(), 9, "all of them are kept now");
    for _ in 0..2 {
        service.call(call()).await.unwrap();
        service.call(read_only().with_name("u")).await.unwrap();
    }
    assert_eq!(script.count(), 13, "these were not said to be read-only");
}

#[tokio::test(start_paused = true)]
async fn failures_and_commands_are_not_kept() {
    let script = Script::new([
        fails(CallErrorKind::Connect),
        tool_fails(),
        Ok(Command::end().into()),
    ]);
    let layers = ToolLayers::new().layer(CacheLayer::new(MINUTE));
    let service = script.behind(&layers);
    for _ in 0..5 {
        let _ = service.call(read_only()).await;
    }
    assert_eq!(script.count(), 4);
}

#[tokio::test(start_paused = true)]
async fn the_number_and_the_size_of_what_is_kept_are_bounded() {
    let (script, service) = behind(CacheLayer::new(MINUTE).bounds(2, 1 << 20));
    for a in [1, 2, 1, 3] {
        service.call(read_only().with_arg("a", a)).await.unwrap();
    }
    assert_eq!(script.count(), 3);
    service.call(read_only().with_arg("a", 1)).await.unwrap();
    assert_eq!(script.count(), 3, "used more lately than 2");
    service.call(read_only().with_arg("a", 2)).await.unwrap();
    assert_eq!(script.count(), 4);

    let large = "x".repeat(5_000);
    let script = Script::new((0..4).map(|_| Ok(large.as_str().into())));
    let layers = ToolLayers::new().layer(CacheLayer::new(MINUTE).bounds(100, 4_000));
    let service = script.behind(&layers);
    for _ in 0..2 {
        service.call(read_only()).await.unwrap();
    }
    assert_eq!(script.count(), 2, "too large to be kept");
}

#[tokio::test(start_paused = true)]
async fn keys_and_tools_are_a_choice() {
    let layer = CacheLayer::new(MINUTE)
        .only_if(|_| true)
        .key(|call: &ToolCall| call.args().get("id").map(ToString::to_string));
    let (script, service) = behind(layer.clone());
    for n in 0..3 {
        service
            .call(call().with_arg("id", 1).with_arg("n", n))
            .await
            .unwrap();
        service.call(call()).await.unwrap();
    }
    assert_eq!(script.count(), 1 + 3, "a call without a key is made");
    layer.clear();
    service.call(call().with_arg("id", 1)).await.unwrap();
    assert_eq!(script.count(), 5);
}

#[tokio::test(start_paused = true)]
async fn a_kept_result_is_put_aside_like_the_servers() {
    let script = Script::new([Ok(CallToolResult::text("found").into())]);
    let layers = ToolLayers::new().layer(CacheLayer::new(MINUTE));
    let service = script.behind(&layers);
    for _ in 0..2 {
        let raw = RawResult::new();
        let mut extensions = Extensions::new();
        extensions.insert(raw.clone());
        let hints = ToolAnnotations::new().with_read_only_hint(true);
        service.call(hinted(hints, extensions)).await.unwrap();
        assert_eq!(raw.take().unwrap().text_content(), "found");
    }
    assert_eq!(script.count(), 1);
}
