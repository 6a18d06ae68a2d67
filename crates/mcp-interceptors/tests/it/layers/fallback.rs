//! Fallback: another outcome in place of a failure.

use mcp_interceptors::{CallErrorKind, FallbackLayer, ToolCall, ToolLayers};

use super::{Script, call, fails, tool_fails};

#[tokio::test]
async fn a09_a_text_stands_in_for_a_server_that_gives_none() {
    for kind in [
        CallErrorKind::TimedOut,
        CallErrorKind::Connect,
        CallErrorKind::Transport,
        CallErrorKind::Refused,
    ] {
        let script = Script::new([fails(kind)]);
        let layers = ToolLayers::new().layer(FallbackLayer::to("cached"));
        let outcome = script.behind(&layers).call(call()).await.unwrap();
        assert_eq!(outcome.text(), "cached");
        assert!(!outcome.is_error());
    }
}

#[tokio::test]
async fn what_was_decided_and_what_the_tool_reports_stays() {
    for kind in [
        CallErrorKind::Cancelled,
        CallErrorKind::Interrupted,
        CallErrorKind::Rejected,
    ] {
        let script = Script::new([fails(kind)]);
        let layers = ToolLayers::new().layer(FallbackLayer::to("cached").when(|_| true));
        let error = script.behind(&layers).call(call()).await.unwrap_err();
        assert_eq!(error.kind(), kind);
    }
    let script = Script::new([tool_fails(), fails(CallErrorKind::Protocol)]);
    let layers = ToolLayers::new().layer(FallbackLayer::to("cached"));
    let service = script.behind(&layers);
    assert!(service.call(call()).await.unwrap().is_error());
    assert!(service.call(call()).await.is_err());
}

#[tokio::test]
async fn a_function_sees_the_call_and_the_error() {
    let script = Script::new([
        fails(CallErrorKind::TimedOut),
        fails(CallErrorKind::Connect),
    ]);
    let fallback = FallbackLayer::with(|call: ToolCall, error| async move {
        match error.kind() {
            CallErrorKind::TimedOut => Ok(format!("{} was slow", call.name()).into()),
            _ => Err(error),
        }
    });
    let service = script.behind(&ToolLayers::new().layer(fallback));
    assert_eq!(service.call(call()).await.unwrap().text(), "t was slow");
    assert!(service.call(call()).await.is_err());
}

#[tokio::test]
async fn another_tool_takes_over() {
    let script = Script::new([fails(CallErrorKind::TimedOut)]);
    let fallback = FallbackLayer::to_tool("u").on([CallErrorKind::TimedOut]);
    let service = script.behind(&ToolLayers::new().layer(fallback));
    service.call(call().with_arg("a", 1)).await.unwrap();
    let seen = script.seen.lock().unwrap();
    let names: Vec<_> = seen.iter().map(ToolCall::name).collect();
    assert_eq!(names, ["t", "u"]);
    assert_eq!(seen[1].args()["a"], 1);
}
