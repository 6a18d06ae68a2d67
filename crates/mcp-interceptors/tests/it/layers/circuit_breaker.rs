//! Circuit breaker: when a server is left alone, and when it is asked again.

use std::error::Error;
use std::time::Duration;

use mcp_interceptors::{CallErrorKind, CircuitBreakerLayer, CircuitOpen, ToolLayers, from_fn};
use tokio::time::advance;

use super::{Script, call, call_of, fails, tool_fails};

const PAUSE: Duration = Duration::from_secs(30);

fn broken() -> Script {
    Script::new((0..100).map(|_| fails(CallErrorKind::Transport)))
}

#[tokio::test(start_paused = true)]
async fn a_server_that_keeps_failing_is_left_alone_and_others_are_not() {
    let script = broken();
    let layer = CircuitBreakerLayer::new(3, PAUSE);
    let service = script.behind(&ToolLayers::new().layer(layer));
    for _ in 0..3 {
        let error = service.call(call()).await.unwrap_err();
        assert_eq!(error.kind(), CallErrorKind::Transport);
    }
    let error = service.call(call()).await.unwrap_err();
    assert_eq!(error.kind(), CallErrorKind::Refused);
    let open: &CircuitOpen = error.source().unwrap().downcast_ref().unwrap();
    assert_eq!((open.server.as_str(), open.retry_after), ("s", PAUSE));
    assert_eq!(script.count(), 3);
    let error = service.call(call_of("other", "t")).await.unwrap_err();
    assert_eq!(error.kind(), CallErrorKind::Transport);
}

#[tokio::test(start_paused = true)]
async fn after_the_pause_one_call_finds_out() {
    let script = broken();
    let layer = CircuitBreakerLayer::new(1, PAUSE);
    let service = script.behind(&ToolLayers::new().layer(layer));
    assert!(service.call(call()).await.is_err());
    advance(PAUSE).await;
    let (one, two) = (service.call(call()), service.call(call()));
    let (one, two) = tokio::join!(one, two);
    assert_eq!(one.unwrap_err().kind(), CallErrorKind::Transport);
    assert_eq!(two.unwrap_err().kind(), CallErrorKind::Refused);
    assert_eq!(script.count(), 2);

    script.outcomes.lock().unwrap().clear();
    assert!(service.call(call()).await.is_err(), "another pause");
    advance(PAUSE).await;
    service.call(call()).await.unwrap();
    service.call(call()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn only_failures_in_a_row_count_and_a_tools_own_do_not() {
    let script = Script::new([
        fails(CallErrorKind::Connect),
        tool_fails(),
        fails(CallErrorKind::Connect),
        fails(CallErrorKind::Protocol),
        fails(CallErrorKind::Connect),
    ]);
    let layer = CircuitBreakerLayer::new(2, PAUSE);
    let service = script.behind(&ToolLayers::new().layer(layer));
    for _ in 0..6 {
        let _ = service.call(call()).await;
    }
    assert_eq!(script.count(), 6);
}

#[tokio::test(start_paused = true)]
async fn a_trial_that_finds_nothing_out_leaves_the_next_call_to() {
    let script = broken();
    let layer = CircuitBreakerLayer::new(1, PAUSE);
    let layers = ToolLayers::new()
        .layer(layer)
        .intercept(from_fn(|call, next| async move {
            if call.args().contains_key("hang") {
                std::future::pending::<()>().await;
            }
            next.run(call).await
        }));
    let service = script.behind(&layers);
    assert!(service.call(call()).await.is_err());
    advance(PAUSE).await;
    let hangs = service.call(call().with_arg("hang", true));
    let dropped = tokio::time::timeout(Duration::from_secs(1), hangs).await;
    assert!(dropped.is_err());
    assert!(service.call(call()).await.is_err());
    assert_eq!(script.count(), 2);
}
