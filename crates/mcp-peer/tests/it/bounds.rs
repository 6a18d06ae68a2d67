//! Nothing grows without bound, whatever the peer does or leaves undone.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_jsonrpc::{Notification, RawJson};
use mcp_peer::PeerOptions;
use mcp_testkit::ScriptedPeer;
use mcp_transport::{Call, CallError, Channel, Timeouts, TransportErrorKind};
use serde_json::json;
use tokio::time::timeout;

use crate::{Script, client_with, server, server_with};

#[tokio::test(start_paused = true)]
async fn ten_thousand_slow_requests_run_256_at_once_and_all_are_answered() {
    let running = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    let peak = Arc::clone(&most);
    let handler = Script::request(move |_| {
        let (running, most) = (Arc::clone(&running), Arc::clone(&most));
        async move {
            let now = running.fetch_add(1, Ordering::Relaxed) + 1;
            most.fetch_max(now, Ordering::Relaxed);
            tokio::time::sleep(Duration::from_secs(1)).await;
            running.fetch_sub(1, Ordering::Relaxed);
            Ok(RawJson::EMPTY)
        }
    });
    let (_peer, mut client) = server(handler).await;
    let (mut done, mut refused) = (0, 0);
    for id in 0..10_000 {
        client.request(id, "tools/list", json!({})).await;
        // Read what is there, so that neither side waits for the other.
        while let Ok(answer) = timeout(Duration::ZERO, client.receive()).await {
            match answer.unwrap()["error"]["code"].as_i64() {
                None => done += 1,
                Some(-32603) => refused += 1,
                other => panic!("{other:?}"),
            }
        }
    }
    while done + refused < 10_000 {
        match client.receive().await.unwrap()["error"]["code"].as_i64() {
            None => done += 1,
            Some(-32603) => refused += 1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(peak.load(Ordering::Relaxed), 256);
    assert!(
        done >= 1024 && refused > 0,
        "{done} done, {refused} refused"
    );
}

#[tokio::test(start_paused = true)]
async fn a_waiting_request_can_be_cancelled() {
    let mut options = PeerOptions::default();
    options.max_handlers = 1;
    let handler = Script::request(|_| async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        Ok(RawJson::EMPTY)
    });
    let (_peer, mut client) = server_with(handler, options, 1024).await;
    for id in 1..4 {
        client.request(id, "tools/list", json!({})).await;
    }
    client
        .notify("notifications/cancelled", json!({"requestId": 2}))
        .await;
    client.expect_answer(1).await;
    client.expect_answer(3).await;
}

#[tokio::test(start_paused = true)]
async fn calls_beyond_the_bound_wait_for_others_to_end() {
    let mut options = PeerOptions::default();
    options.max_calls = 2;
    let (peer, mut server) = client_with(Script::idle(), options).await;
    let call = || peer.call(Call::new("tools/list", None));
    let script = async {
        let first = server.expect("tools/list").await;
        server.expect("tools/list").await;
        let third = timeout(Duration::from_secs(1), server.receive()).await;
        assert!(third.is_err(), "{third:?}");
        server.answer(&first, json!({})).await;
        server.expect("tools/list").await;
    };
    tokio::select! {
        _ = async { tokio::join!(call(), call(), call()) } => panic!("all answered"),
        () = script => {}
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_finds_no_room_in_its_time_was_not_sent() {
    let mut options = PeerOptions::default();
    options.max_calls = 1;
    let (peer, _server) = client_with(Script::idle(), options).await;
    let first = peer.call(Call::new("tools/list", None));
    let mut second = Call::new("tools/list", None);
    second.timeouts = Timeouts::within(Duration::from_secs(5));
    tokio::select! {
        biased;
        _ = first => panic!("answered by nobody"),
        outcome = peer.call(second) => {
            assert!(matches!(outcome, Err(CallError::Busy { limit: 1 })), "{outcome:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_whose_output_is_not_read_stops_to_read() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let handler = Script::request(move |_| {
        asked.fetch_add(1, Ordering::Relaxed);
        async { Ok(RawJson::encode(&"x".repeat(1000)).unwrap()) }
    });
    let mut options = PeerOptions::default();
    options.max_unwritten = 10_000;
    let (_peer, mut client) = server_with(handler, options, 4).await;
    let ask = async {
        for id in 0..1000 {
            client.request(id, "tools/list", json!({})).await;
        }
    };
    timeout(Duration::from_secs(1), ask).await.unwrap_err();
    let stopped_at = count.load(Ordering::Relaxed);
    assert!(stopped_at < 100, "{stopped_at} requests taken");
    // As soon as the client reads, it goes on.
    for id in 0..stopped_at {
        client.expect_answer(id).await;
    }
    client.request("last", "tools/list", json!({})).await;
    while client.receive().await.unwrap()["id"] != "last" {}
}

#[tokio::test(start_paused = true)]
async fn a_notification_waits_while_the_peer_does_not_read() {
    let mut options = PeerOptions::default();
    options.max_unwritten = 10_000;
    let (peer, mut client) = server_with(Script::idle(), options, 4).await;
    let log = || {
        let text = RawJson::parse(format!(r#"{{"data":"{}"}}"#, "x".repeat(1000))).unwrap();
        peer.notify(Notification::new("notifications/message", Some(text)))
    };
    let flood = async {
        for _ in 0..1000 {
            log().await.unwrap();
        }
    };
    tokio::pin!(flood);
    timeout(Duration::from_secs(1), &mut flood)
        .await
        .unwrap_err();
    let read = async {
        for _ in 0..1000 {
            client.expect("notifications/message").await;
        }
    };
    tokio::join!(flood, read);
}

#[tokio::test(start_paused = true)]
async fn a_client_reads_on_while_its_server_does_not() {
    let mut options = PeerOptions::default();
    options.max_unwritten = 10_000;
    let (peer, mut server) = client_with(Script::idle(), options).await;
    let call = peer.call(Call::new("tools/list", None));
    let script = async {
        let request = server.expect("tools/list").await;
        // Its answers are more than the line holds, and nobody reads them.
        for id in 0..1500 {
            server.request(id, "roots/list", json!({})).await;
        }
        server.answer(&request, json!("read")).await;
    };
    let (outcome, ()) = tokio::join!(call, script);
    assert_eq!(outcome.unwrap().as_str(), "\"read\"");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_asks_and_never_reads_the_answers_is_given_up() {
    let mut options = PeerOptions::default();
    options.max_unwritten = 1000;
    let (peer, mut server) = client_with(Script::idle(), options).await;
    let flood = async {
        for id in 0.. {
            server.request(id, "roots/list", json!({})).await;
            tokio::task::yield_now().await;
        }
    };
    let reason = tokio::select! {
        biased;
        reason = peer.closed() => reason,
        () = flood => panic!("it never ends"),
    };
    assert_eq!(reason.kind(), TransportErrorKind::Violation);
}

#[tokio::test(start_paused = true)]
async fn a_client_with_much_to_send_is_not_taken_for_one_whose_answers_are_not_read() {
    let mut options = PeerOptions::default();
    options.max_unwritten = 1000;
    let (mut server, (reader, writer)) = ScriptedPeer::with_capacity(1);
    let peer = mcp_peer::client(reader, writer, Script::idle(), options);
    let call = || {
        let params = RawJson::parse(format!(r#"{{"x":"{}"}}"#, "x".repeat(1000))).unwrap();
        peer.call(Call::new("tools/call", Some(params)))
    };
    let script = async {
        for id in 0..4 {
            server.request(id, "ping", json!({})).await;
        }
        let mut calls = Vec::new();
        while calls.len() < 50 {
            let message = server.receive().await.unwrap();
            calls.extend(message.get("params").is_some().then_some(message));
        }
        for call in calls {
            server.answer(&call, json!({})).await;
        }
    };
    let calls = futures_util::future::try_join_all((0..50).map(|_| call()));
    let (outcomes, ()) = tokio::join!(calls, script);
    assert_eq!(outcomes.unwrap().len(), 50);
}
