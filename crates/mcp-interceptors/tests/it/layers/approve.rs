//! Approval: who is asked about what, and what becomes of the answer.

use std::sync::{Arc, Mutex};

use http::Extensions;
use mcp_interceptors::{
    ApproveLayer, Ask, CallError, CallErrorKind, Delivery, FallbackLayer, RetryLayer, ToolCall,
    ToolLayers,
};
use mcp_protocol::ToolAnnotations;
use serde_json::{Value, json};

use super::{Script, call, hinted};

/// Answers every question alike, and notes them.
fn answering(answer: Value) -> (Extensions, Arc<Mutex<Vec<Value>>>) {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let notes = Arc::clone(&asked);
    let mut extensions = Extensions::new();
    extensions.insert(Ask::new(move |question| {
        notes.lock().unwrap().push(question);
        let answer = answer.clone();
        async move { Ok(answer) }
    }));
    (extensions, asked)
}

fn layers(layer: ApproveLayer) -> ToolLayers {
    ToolLayers::new().layer(layer)
}

#[tokio::test]
async fn whoever_made_the_call_is_asked_about_all_of_it() {
    let (extensions, asked) = answering(json!({"type": "approve"}));
    let hints = ToolAnnotations::new().with_destructive_hint(true);
    let script = Script::default();
    let service = script.behind(&layers(ApproveLayer::new()));
    let call = hinted(hints, extensions).with_arg("path", "/tmp/a");
    service.call(call).await.unwrap();
    assert_eq!(script.count(), 1);
    assert_eq!(
        asked.lock().unwrap()[..],
        [json!({
            "type": "approval", "server": "s", "tool": "t", "name": "t",
            "args": {"path": "/tmp/a"}, "annotations": {"destructiveHint": true},
            "decisions": ["approve", "edit", "reject", "respond"],
        })]
    );
}

#[tokio::test]
async fn each_decision_is_obeyed() {
    let ask = |answer| hinted(ToolAnnotations::new(), answering(answer).0).with_arg("a", 1);
    let script = Script::default();
    let service = script.behind(&layers(ApproveLayer::new()));
    service.call(ask(json!(true))).await.unwrap();
    let edit = json!({"type": "edit", "args": {"a": 2}});
    let outcome = service.call(ask(edit)).await.unwrap();
    let note = r#"[The user had this call made with other arguments: {"a":2}]"#;
    assert!(outcome.text().starts_with(note), "{}", outcome.text());
    let respond = json!({"type": "respond", "message": "ask Ada"});
    let outcome = service.call(ask(respond)).await.unwrap();
    assert_eq!(outcome.text(), "ask Ada");
    assert!(!outcome.is_error());
    let reject = json!({"type": "reject", "message": "too risky"});
    let error = service.call(ask(reject)).await.unwrap_err();
    assert_eq!(error.kind(), CallErrorKind::Rejected);
    assert_eq!(error.to_string(), "the call was rejected: too risky");
    let seen = script.seen.lock().unwrap();
    let args: Vec<_> = seen.iter().map(|call| call.args()["a"].clone()).collect();
    assert_eq!(args, [json!(1), json!(2)]);
}

#[tokio::test]
async fn of_changed_arguments_a_model_is_shown_1000_characters() {
    let service = Script::default().behind(&layers(ApproveLayer::new()));
    // As JSON, 8 characters more.
    for (length, cut) in [(992, false), (993, true)] {
        let edit = json!({"type": "edit", "args": {"a": "x".repeat(length)}});
        let call = hinted(ToolAnnotations::new(), answering(edit).0);
        let text = service.call(call).await.unwrap().text();
        let shown = text.split_once("arguments: ").unwrap().1;
        let (shown, _) = shown.split_once(']').unwrap();
        assert_eq!(shown.ends_with("..."), cut);
        assert_eq!(shown.trim_end_matches('.').len(), 1_000);
    }
}

#[tokio::test]
async fn without_a_clear_answer_the_call_is_not_made() {
    let script = Script::default();
    let service = script.behind(&layers(ApproveLayer::new()));
    let error = service.call(call()).await.unwrap_err();
    assert_eq!(error.kind(), CallErrorKind::Refused, "nobody to ask");
    for answer in [
        json!(null),
        json!("yes"),
        json!({"type": "edit"}),
        json!({}),
    ] {
        let (extensions, _) = answering(answer);
        let call = hinted(ToolAnnotations::new(), extensions);
        let error = service.call(call).await.unwrap_err();
        assert_eq!(error.kind(), CallErrorKind::Layer);
        assert_eq!(error.delivery(), Delivery::NotSent);
    }
    let mut later = Extensions::new();
    later.insert(Ask::new(|q| async { Err(CallError::interrupted(q)) }));
    let call = hinted(ToolAnnotations::new(), later);
    let error = service.call(call).await.unwrap_err();
    assert_eq!(error.kind(), CallErrorKind::Interrupted);
    assert_eq!(script.count(), 0);
}

#[tokio::test]
async fn hints_spare_a_question_only_where_their_server_is_trusted() {
    let read_only = ToolAnnotations::new().with_read_only_hint(true);
    let tame = ToolAnnotations::new().with_destructive_hint(false);
    let silent = ToolAnnotations::new();
    let trusting = || ApproveLayer::new().trust_hints_of(["s"]);
    for (layer, hints, redirect, questions) in [
        (ApproveLayer::new(), &read_only, None, 1),
        (
            ApproveLayer::new().trust_hints_of(["x"]),
            &read_only,
            None,
            1,
        ),
        (trusting(), &read_only, None, 0),
        (trusting(), &tame, None, 0),
        (trusting(), &silent, None, 1),
        (trusting(), &read_only, Some("u"), 1),
    ] {
        let (extensions, asked) = answering(json!(true));
        let service = Script::default().behind(&layers(layer));
        let call = hinted(hints.clone(), extensions);
        let call = match redirect {
            Some(name) => call.with_name(name),
            None => call,
        };
        service.call(call).await.unwrap();
        assert_eq!(asked.lock().unwrap().len(), questions);
    }
}

#[tokio::test]
async fn a_rejection_is_not_made_up_for_by_other_layers() {
    let (extensions, asked) = answering(json!(false));
    let script = Script::default();
    let layers = ToolLayers::new()
        .layer(FallbackLayer::to("as if nothing had happened"))
        .layer(RetryLayer::new(5))
        .layer(ApproveLayer::new().only_if(|call: &ToolCall| call.name() == "t"));
    let service = script.behind(&layers);
    let call = hinted(ToolAnnotations::new(), extensions);
    let error = service.call(call).await.unwrap_err();
    assert_eq!(error.kind(), CallErrorKind::Rejected);
    assert_eq!((script.count(), asked.lock().unwrap().len()), (0, 1));
}

#[tokio::test]
async fn an_answer_that_is_no_decision_is_asked_for_again_and_says_what_is_wrong() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let notes = Arc::clone(&asked);
    let mut extensions = Extensions::new();
    extensions.insert(Ask::new(move |question: Value| {
        let answer = json!(question.get("problem").map_or("maybe", |_| "approve"));
        notes.lock().unwrap().push(question);
        async move { Ok(answer) }
    }));
    let script = Script::default();
    let service = script.behind(&layers(ApproveLayer::new()));
    let call = hinted(ToolAnnotations::new(), extensions);
    service.call(call).await.unwrap();
    assert_eq!(script.count(), 1);
    let asked = asked.lock().unwrap();
    assert_eq!(asked.len(), 2);
    let problem = asked[1]["problem"].as_str().unwrap();
    assert!(problem.starts_with("this is no decision"), "{problem}");
}

#[tokio::test]
async fn who_never_decides_is_asked_three_times_and_the_call_is_not_made() {
    let asked = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&asked);
    let mut extensions = Extensions::new();
    extensions.insert(Ask::new(move |_| {
        *counted.lock().unwrap() += 1;
        async { Ok(json!("maybe")) }
    }));
    let script = Script::default();
    let service = script.behind(&layers(ApproveLayer::new()));
    let call = hinted(ToolAnnotations::new(), extensions);
    assert!(service.call(call).await.is_err());
    assert_eq!((*asked.lock().unwrap(), script.count()), (3, 0));
}
