//! Our calls: answered, failed, timed out, given up.

use std::time::Duration;

use mcp_jsonrpc::{DecodeError, Id, RawJson};
use mcp_transport::{Call, CallError, Channel, Progress, ProgressSink, Timeouts};
use serde_json::json;
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::{Script, client};

fn tool() -> Call {
    Call::new(
        "tools/call",
        Some(RawJson::parse(r#"{"name":"t"}"#).unwrap()),
    )
}

#[tokio::test(start_paused = true)]
async fn a_call_gets_its_answer_whatever_the_order() {
    let (peer, mut server) = client(Script::idle()).await;
    let calls = async { tokio::join!(peer.call(tool()), peer.call(tool())) };
    let script = async {
        let first = server.expect("tools/call").await;
        let second = server.expect("tools/call").await;
        assert_ne!(first["id"], second["id"]);
        server.answer(&second, json!("second")).await;
        server.fail(&first, -32000, "first").await;
    };
    let ((first, second), ()) = tokio::join!(calls, script);
    assert!(matches!(first, Err(CallError::Remote(e)) if e.message == "first"));
    assert_eq!(second.unwrap().as_str(), "\"second\"");
}

#[tokio::test(start_paused = true)]
async fn a_dropped_call_is_cancelled_and_its_late_answer_ignored() {
    let (peer, mut server) = client(Script::idle()).await;
    let mut call = Box::pin(peer.call(tool()));
    let request = tokio::select! {
        request = server.expect("tools/call") => request,
        _ = &mut call => panic!("answered by nobody"),
    };
    drop(call);
    let cancelled = server.expect("notifications/cancelled").await;
    assert_eq!(cancelled["params"]["requestId"], request["id"]);
    server.answer(&request, json!({})).await;
    let next = async {
        let request = server.expect("tools/call").await;
        server.answer(&request, json!("next")).await;
    };
    let (answer, ()) = tokio::join!(peer.call(tool()), next);
    assert_eq!(answer.unwrap().as_str(), "\"next\"");
}

#[tokio::test(start_paused = true)]
async fn a_dropped_call_that_is_not_cancellable_is_dropped_in_silence() {
    let (peer, mut server) = client(Script::idle()).await;
    let mut call = Call::new("initialize", None);
    call.cancellable = false;
    let mut call = Box::pin(peer.call(call));
    tokio::select! {
        _ = server.expect("initialize") => {}
        _ = &mut call => panic!("answered by nobody"),
    }
    drop(call);
    peer.notify(mcp_jsonrpc::Notification::new("notifications/next", None))
        .await
        .unwrap();
    server.expect("notifications/next").await;
}

#[tokio::test(start_paused = true)]
async fn a_call_that_was_never_polled_sends_nothing() {
    let (peer, mut server) = client(Script::idle()).await;
    drop(peer.call(tool()));
    peer.notify(mcp_jsonrpc::Notification::new("notifications/next", None))
        .await
        .unwrap();
    server.expect("notifications/next").await;
}

#[tokio::test(start_paused = true)]
async fn a_call_without_answer_times_out_and_is_cancelled() {
    let (peer, mut server) = client(Script::idle()).await;
    let mut call = tool();
    call.timeouts = Timeouts::within(Duration::from_secs(5));
    let start = Instant::now();
    let outcome = peer.call(call).await;
    assert!(matches!(outcome, Err(CallError::TimedOut { after }) if after.as_secs() == 5));
    assert_eq!(start.elapsed().as_secs(), 5);
    let request = server.expect("tools/call").await;
    let cancelled = server.expect("notifications/cancelled").await;
    assert_eq!(cancelled["params"]["requestId"], request["id"]);
}

#[tokio::test(start_paused = true)]
async fn j24_progress_keeps_a_call_alive_up_to_the_total() {
    let (peer, mut server) = client(Script::idle()).await;
    let (seen, mut progress) = mpsc::unbounded_channel();
    let mut call = tool();
    call.timeouts.idle = Some(Duration::from_secs(1));
    call.timeouts.total = Some(Duration::from_secs(3));
    let sink = move |report: Progress| seen.send(report.progress).unwrap();
    call.progress = Some((Id::from("token"), ProgressSink::new(sink)));
    let script = async {
        server.expect("tools/call").await;
        for n in 1.. {
            tokio::time::sleep(Duration::from_millis(400)).await;
            let report = json!({"progressToken": "token", "progress": n});
            server.notify("notifications/progress", report).await;
        }
    };
    let start = Instant::now();
    let outcome = tokio::select! {
        outcome = peer.call(call) => outcome,
        () = script => panic!("it never ends"),
    };
    assert!(matches!(outcome, Err(CallError::TimedOut { .. })));
    assert_eq!(start.elapsed().as_secs(), 3);
    let mut reports = Vec::new();
    progress.recv_many(&mut reports, 100).await;
    assert_eq!(reports, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    server.expect("notifications/cancelled").await;
}

#[tokio::test(start_paused = true)]
async fn rpc_30_progress_comes_before_the_answer_that_followed_it() {
    let (peer, mut server) = client(Script::idle()).await;
    let (seen, mut progress) = mpsc::unbounded_channel();
    let mut call = tool();
    let sink = move |report: Progress| seen.send(report.progress).unwrap();
    call.progress = Some((Id::from(7), ProgressSink::new(sink)));
    let script = async {
        let request = server.expect("tools/call").await;
        let report = json!({"progressToken": 7, "progress": 0.5, "total": 1, "message": "half"});
        server.notify("notifications/progress", report).await;
        server.answer(&request, json!({})).await;
    };
    let (outcome, ()) = tokio::join!(peer.call(call), script);
    outcome.unwrap();
    assert_eq!(progress.try_recv(), Ok(0.5));
}

#[tokio::test(start_paused = true)]
async fn j15_a_malformed_answer_fails_its_call_at_once() {
    let (peer, mut server) = client(Script::idle()).await;
    let script = async {
        let request = server.expect("tools/call").await;
        let id = &request["id"];
        server
            .send(format!(
                r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":"E"}}}}"#
            ))
            .await;
    };
    let (outcome, ()) = tokio::join!(peer.call(tool()), script);
    assert!(matches!(
        outcome,
        Err(CallError::Malformed(DecodeError::Response { .. }))
    ));
}

#[tokio::test(start_paused = true)]
async fn j06_noise_is_skipped_and_never_answered() {
    let (peer, mut server) = client(Script::idle()).await;
    for noise in ["Server listening", "\u{1b}[2K  (0.9s)", "{", "[]", "7"] {
        server.send(noise).await;
    }
    let script = async {
        let request = server.expect("tools/call").await;
        server.answer(&request, json!({})).await;
    };
    let (outcome, ()) = tokio::join!(peer.call(tool()), script);
    outcome.unwrap();
    drop(peer);
    assert_eq!(server.receive().await, None);
}

#[tokio::test(start_paused = true)]
async fn a_sink_that_panics_harms_nobody() {
    let (peer, mut server) = client(Script::idle()).await;
    let mut call = tool();
    call.progress = Some((Id::from("t"), ProgressSink::new(|_| panic!("on purpose"))));
    let script = async {
        let request = server.expect("tools/call").await;
        let report = json!({"progressToken": "t", "progress": 1});
        server.notify("notifications/progress", report).await;
        server.answer(&request, json!({})).await;
    };
    let (outcome, ()) = tokio::join!(peer.call(call), script);
    outcome.unwrap();
}
