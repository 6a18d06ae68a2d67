//! What happens while a call waits: requests and reports of the server, limits, cancellation.

use std::time::Duration;

use http::HeaderMap;
use mcp_jsonrpc::Id;
use mcp_transport::{Call, CallError, Channel as _, ProgressSink, Timeouts, TransportErrorKind};
use mcp_transport_http::HttpTransport;
use serde_json::json;
use tokio::sync::mpsc;

use crate::client_support::{Client, StillClock, modern_call};
use crate::script::{Script, event, result_event, stream, usual};

#[tokio::test]
async fn http_52_a_request_by_the_server_is_answered_by_a_post_while_the_call_waits() {
    let (mut script, feed) = Script::live(|seen| usual(seen, "2025-11-25")).await;
    let mut client = Client::handshake(&script.url, "2025-11-25").await;
    let calling = client.call("tools/call");
    let script_side = async {
        let id = script.next("tools/call").await.body["id"].clone();
        let ask =
            |id: &str, method: &str| event(&json!({"jsonrpc": "2.0", "id": id, "method": method}));
        for (request, method) in [
            ("a", "roots/list"),
            ("b", "ping"),
            ("c", "panic"),
            ("d", "no/such"),
        ] {
            feed.send(ask(request, method)).unwrap();
            let answer = script.next("response").await;
            assert_eq!(answer.body["id"], request);
            assert_eq!(answer.header("mcp-session-id"), Some("s-1"));
            match request {
                "a" => assert_eq!(answer.body["result"], json!({"roots": []})),
                "b" => assert_eq!(answer.body["result"], json!({})),
                "c" => assert_eq!(answer.body["error"]["code"], -32603),
                _ => assert_eq!(answer.body["error"]["code"], -32601),
            }
        }
        let note = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"n": 1}});
        feed.send(event(&note)).unwrap();
        feed.send(result_event(&id, &json!({"done": true})))
            .unwrap();
    };
    let (answer, ()) = tokio::join!(calling, script_side);
    assert_eq!(answer.unwrap()["done"], true);
    // The handler is told in whose stream a message came.
    assert_eq!(client.next().await, "roots/list of 2");
    assert_eq!(client.next().await, "panic of 2");
    assert_eq!(client.next().await, "no/such of 2");
    assert_eq!(client.next().await, r#"notifications/message {"n":1} of 2"#);
    client.channel.close().await;
}

#[tokio::test]
async fn a_request_that_the_server_gives_up_is_not_answered() {
    let (mut script, feed) = Script::live(|seen| usual(seen, "2025-11-25")).await;
    let mut client = Client::handshake(&script.url, "2025-11-25").await;
    let channel = client.channel.clone();
    let calling = tokio::spawn(async move { channel.call(Call::new("x", None)).await });
    let id = script.next("x").await.body["id"].clone();
    feed.send(event(&json!({"jsonrpc": "2.0", "id": 7, "method": "wait"})))
        .unwrap();
    assert_eq!(client.next().await, "wait of 2");
    let cancel =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}});
    feed.send(event(&cancel)).unwrap();
    // The id is free again.
    feed.send(event(
        &json!({"jsonrpc": "2.0", "id": 7, "method": "roots/list"}),
    ))
    .unwrap();
    let answer = script.next("response").await;
    assert_eq!(answer.body["result"], json!({"roots": []}));
    feed.send(result_event(&id, &json!({}))).unwrap();
    calling.await.unwrap().unwrap();
    client.channel.close().await;
    assert_eq!(
        script
            .kinds()
            .iter()
            .filter(|kind| *kind == "response")
            .count(),
        1
    );
}

#[tokio::test]
async fn http_41_a_request_by_the_server_is_ignored_where_the_revision_has_none() {
    let script = Script::start(|seen| {
        let ask = event(&json!({"jsonrpc": "2.0", "id": 7, "method": "roots/list"}));
        stream(format!(
            "{ask}{}",
            result_event(&seen.body["id"], &json!({}))
        ))
    })
    .await;
    let client = Client::new(&script.url);
    client.channel.negotiated("2026-07-28");
    client
        .channel
        .call(modern_call("tools/call", Some("x")))
        .await
        .unwrap();
    client.channel.close().await;
    assert_eq!(script.kinds(), ["tools/call"]);
}

fn progress(n: i32) -> String {
    event(
        &json!({"jsonrpc": "2.0", "method": "notifications/progress",
        "params": {"progressToken": "t", "progress": n, "message": "m"}}),
    )
}

#[tokio::test]
async fn life_17_progress_goes_to_its_call_and_puts_off_the_idle_limit_but_not_the_total() {
    let (mut script, feed) = Script::live(|seen| usual(seen, "2025-11-25")).await;
    let client = Client::handshake(&script.url, "2025-11-25").await;
    let clock = StillClock::new();
    let (sink, mut reports) = mpsc::unbounded_channel();
    let mut call = Call::new("tools/call", None);
    let sink = ProgressSink::new(move |p| sink.send(p.progress).unwrap());
    call.progress = Some((Id::from("t"), sink));
    call.timeouts.idle = Some(Duration::from_secs(60));
    call.timeouts.total = Some(Duration::from_secs(200));
    let calling = client.channel.call(call);
    let feeding = async {
        script.next("tools/call").await;
        for n in [1, 2, 3, 4, 5, 6] {
            // What does not rise is dropped.
            let three = [progress(n), progress(n), progress(n - 1)];
            feed.send(three.concat()).unwrap();
            assert_eq!(reports.recv().await, Some(f64::from(n)));
            clock.advance(30).await;
        }
        clock.advance(30).await;
        script.next("notifications/cancelled").await
    };
    let (outcome, cancel) = tokio::join!(calling, feeding);
    let CallError::TimedOut { after } = outcome.unwrap_err() else {
        panic!()
    };
    assert_eq!(after.as_secs(), 210);
    assert_eq!(cancel.body["params"]["requestId"], 2);
    assert!(reports.try_recv().is_err());
    client.channel.close().await;
}

#[tokio::test]
async fn life_12_a_dropped_call_is_cancelled_by_a_message_before_2026_07_28() {
    let (mut script, _feed) = Script::live(|seen| usual(seen, "2025-11-25")).await;
    let client = Client::handshake(&script.url, "2025-11-25").await;
    let channel = client.channel.clone();
    let mut call = Call::new("tools/call", None);
    let mut own = HeaderMap::new();
    own.insert("x-own", "1".parse().unwrap());
    call.extensions.insert(own);
    let calling = tokio::spawn(async move { channel.call(call).await });
    let id = script.next("tools/call").await.body["id"].clone();
    calling.abort();
    let cancel = script.next("notifications/cancelled").await;
    assert_eq!(cancel.body["params"]["requestId"], id);
    assert_eq!(cancel.header("mcp-session-id"), Some("s-1"));
    assert_eq!(cancel.header("x-own"), Some("1"));
    client.channel.close().await;
}

#[tokio::test]
async fn http_39_a_dropped_call_closes_its_stream_and_says_nothing_since_2026_07_28() {
    let (mut script, feed) = Script::live(|_| None).await;
    let client = Client::new(&script.url);
    let channel = client.channel.clone();
    let calling =
        tokio::spawn(async move { channel.call(modern_call("tools/call", Some("x"))).await });
    script.next("tools/call").await;
    calling.abort();
    feed.closed().await;
    client.channel.close().await;
    assert_eq!(script.kinds(), ["tools/call"]);
}

#[tokio::test]
async fn life_09_initialize_is_never_cancelled() {
    let (mut script, _feed) = Script::live(|_| None).await;
    let client = Client::new(&script.url);
    let clock = StillClock::new();
    let mut call = Call::new("initialize", None);
    call.cancellable = false;
    call.timeouts = Timeouts::within(Duration::from_secs(5));
    let late = async {
        script.next("initialize").await;
        clock.advance(6).await;
    };
    let (outcome, ()) = tokio::join!(client.channel.call(call), late);
    assert!(matches!(outcome.unwrap_err(), CallError::TimedOut { .. }));
    client.channel.close().await;
    assert_eq!(script.kinds(), ["initialize"]);
}

#[tokio::test]
async fn more_calls_than_allowed_are_refused_at_once() {
    let (mut script, _feed) = Script::live(|_| None).await;
    let transport = HttpTransport::builder(&script.url)
        .max_calls(1)
        .build()
        .unwrap();
    let client = Client::of(&transport);
    let channel = client.channel.clone();
    let first = tokio::spawn(async move { channel.call(modern_call("x", None)).await });
    script.next("x").await;
    let error = client.call("y").await.unwrap_err();
    assert!(matches!(error, CallError::Busy { limit: 1 }));
    client.channel.close().await;
    let error = first.await.unwrap().unwrap_err();
    let CallError::Closed { reason, .. } = error else {
        panic!()
    };
    assert_eq!(reason.kind(), TransportErrorKind::ClosedHere);
}
