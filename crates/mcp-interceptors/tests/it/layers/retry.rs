//! Retry: what is made again, how often, and after how long.

use std::time::Duration;

use http::Extensions;
use mcp_interceptors::{Backoff, CallErrorKind, Delivery, RetryLayer, ToolLayers};
use mcp_protocol::ToolAnnotations;
use tokio::time::Instant;

use super::{Script, call, fails, hinted, tool_fails};

fn retry(attempts: u32) -> RetryLayer {
    RetryLayer::new(attempts).random(|| u64::MAX)
}

#[tokio::test(start_paused = true)]
async fn a_call_that_was_not_sent_is_made_again_and_pauses_grow() {
    let script = Script::new([
        fails(CallErrorKind::Connect),
        fails(CallErrorKind::Refused),
        fails(CallErrorKind::Transport).map_err(|e| e.with_delivery(Delivery::NotSent)),
    ]);
    let service = script.behind(&ToolLayers::new().layer(retry(4)));
    let began = Instant::now();
    assert_eq!(service.call(call()).await.unwrap().text(), "ok");
    assert_eq!(began.elapsed(), Duration::from_millis(200 + 400 + 800));
    let attempts: Vec<_> = script
        .seen
        .lock()
        .unwrap()
        .iter()
        .map(mcp_interceptors::ToolCall::attempt)
        .collect();
    assert_eq!(attempts, [1, 2, 3, 4]);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_may_have_run_is_not_made_again() {
    for kind in [
        CallErrorKind::Transport,
        CallErrorKind::TimedOut,
        CallErrorKind::Protocol,
        CallErrorKind::Layer,
    ] {
        let script = Script::new([fails(kind)]);
        let service = script.behind(&ToolLayers::new().layer(retry(3)));
        assert_eq!(service.call(call()).await.unwrap_err().kind(), kind);
        assert_eq!(script.count(), 1);
    }
    let script = Script::new([tool_fails()]);
    let service = script.behind(&ToolLayers::new().layer(retry(3)));
    assert!(service.call(call()).await.unwrap().is_error());
    assert_eq!(script.count(), 1, "the tool has run");
}

#[tokio::test(start_paused = true)]
async fn what_another_attempt_cannot_mend_is_not_made_again() {
    for kind in [
        CallErrorKind::UnknownTool,
        CallErrorKind::InvalidArguments,
        CallErrorKind::Cancelled,
        CallErrorKind::Rejected,
        CallErrorKind::Interrupted,
    ] {
        let script = Script::new([fails(kind)]);
        let service = script.behind(&ToolLayers::new().layer(retry(3)));
        assert_eq!(service.call(call()).await.unwrap_err().kind(), kind);
        assert_eq!(script.count(), 1);
    }
    // Not even where the program would.
    let script = Script::new([fails(CallErrorKind::Rejected)]);
    let any = retry(3).retry_if(|_, _| true);
    let service = script.behind(&ToolLayers::new().layer(any));
    assert!(service.call(call()).await.is_err());
    assert_eq!(script.count(), 1);
}

#[tokio::test(start_paused = true)]
async fn a07_what_the_tool_reports_is_seen_too() {
    let script = Script::new([tool_fails(), tool_fails()]);
    let service = script.behind(&ToolLayers::new().layer(retry(3).tool_errors()));
    assert!(!service.call(call()).await.unwrap().is_error());
    assert_eq!(script.count(), 3);
}

#[tokio::test(start_paused = true)]
async fn hints_are_believed_where_that_is_asked_for_and_not_for_another_tool() {
    let read_only = ToolAnnotations::new().with_read_only_hint(true);
    let ask = || hinted(read_only.clone(), Extensions::new());
    for (layer, asked, calls) in [
        (retry(3), ask(), 1),
        (retry(3).trust_hints(), ask(), 2),
        (retry(3).trust_hints(), ask().with_name("u"), 1),
        (retry(3).trust_hints(), call(), 1),
    ] {
        let script = Script::new([fails(CallErrorKind::TimedOut)]);
        let service = script.behind(&ToolLayers::new().layer(layer));
        let _ = service.call(asked).await;
        assert_eq!(script.count(), calls);
    }
}

#[tokio::test(start_paused = true)]
async fn the_last_failure_is_given_back() {
    let script = Script::new((0..9).map(|_| fails(CallErrorKind::Connect)));
    let service = script.behind(&ToolLayers::new().layer(retry(3)));
    assert!(service.call(call()).await.is_err());
    assert_eq!(script.count(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_budget_bounds_what_all_calls_repeat() {
    let script = Script::new((0..100).map(|_| fails(CallErrorKind::Connect)));
    let layer = retry(10).budget(4, 50);
    let service = script.behind(&ToolLayers::new().layer(layer));
    assert!(service.call(call()).await.is_err());
    assert_eq!(script.count(), 1 + 4, "the reserve");
    for _ in 0..6 {
        assert!(service.call(call()).await.is_err());
    }
    assert_eq!(script.count(), 5 + 6 + 3, "every second call earns one");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_dropped_in_a_pause_is_not_made_again() {
    let script = Script::new((0..9).map(|_| fails(CallErrorKind::Connect)));
    let slow = retry(9).backoff(Backoff::new(
        Duration::from_secs(60),
        Duration::from_secs(60),
    ));
    let service = script.behind(&ToolLayers::new().layer(slow));
    let given_up = tokio::time::timeout(Duration::from_secs(90), service.call(call())).await;
    assert!(given_up.is_err());
    assert_eq!(script.count(), 2);
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(script.count(), 2);
}

#[tokio::test(start_paused = true)]
async fn pauses_are_random_within_their_half() {
    let script = Script::new([fails(CallErrorKind::Connect)]);
    let service = script.behind(&ToolLayers::new().layer(RetryLayer::new(2).random(|| 0)));
    let began = Instant::now();
    service.call(call()).await.unwrap();
    assert_eq!(began.elapsed(), Duration::from_millis(100));
}
