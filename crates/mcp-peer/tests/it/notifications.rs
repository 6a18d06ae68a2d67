//! The peer's notifications: one after another, in order.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::OptionFuture;
use mcp_jsonrpc::RawJson;
use mcp_peer::PeerOptions;
use mcp_transport::{Call, Channel};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::sleep;

use crate::{Script, Told, client, client_with};

fn number(told: &Told) -> u64 {
    let params: Value = told.message.params.as_ref().unwrap().decode().unwrap();
    params.get("n").and_then(Value::as_u64).unwrap()
}

#[tokio::test(start_paused = true)]
async fn notifications_reach_their_handler_one_by_one_in_order() {
    let (seen, mut numbers) = mpsc::unbounded_channel();
    let busy = Arc::new(Mutex::new(()));
    let handler = Script::notification(move |told| {
        let (n, seen, busy) = (number(&told), seen.clone(), Arc::clone(&busy));
        async move {
            assert!(busy.try_lock().is_ok(), "two at once");
            // Some wait, some do not, the later ones less long.
            let wait = (n % 3 != 0).then(|| sleep(Duration::from_millis(1000 - n)));
            OptionFuture::from(wait).await;
            seen.send(n).unwrap();
        }
    });
    let (_peer, mut server) = client(handler).await;
    for n in 0..200 {
        server
            .notify("notifications/message", json!({"n": n}))
            .await;
    }
    for n in 0..200 {
        assert_eq!(numbers.recv().await, Some(n));
    }
}

#[tokio::test(start_paused = true)]
async fn rpc_30_a_notification_is_handled_before_the_response_behind_it() {
    let (seen, mut numbers) = mpsc::unbounded_channel();
    let handler = Script::notification(move |told| {
        let (n, seen) = (number(&told), seen.clone());
        async move { seen.send(n).unwrap() }
    });
    let (peer, mut server) = client(handler).await;
    let script = async {
        let request = server.expect("tools/list").await;
        server
            .notify("notifications/message", json!({"n": 1}))
            .await;
        server.answer(&request, json!({})).await;
    };
    let (outcome, ()) = tokio::join!(peer.call(Call::new("tools/list", None)), script);
    outcome.unwrap();
    assert_eq!(numbers.try_recv(), Ok(1));
}

#[tokio::test(start_paused = true)]
async fn a_notification_handler_may_call_and_wait() {
    let (seen, mut answers) = mpsc::unbounded_channel();
    let handler = Script::notification(move |told| {
        let seen = seen.clone();
        async move {
            let tools = told.channel.call(Call::new("tools/list", None)).await;
            seen.send(tools.unwrap()).unwrap();
        }
    });
    let (_peer, mut server) = client(handler).await;
    for _ in 0..2 {
        server
            .notify("notifications/tools/list_changed", json!({}))
            .await;
        let request = server.expect("tools/list").await;
        server.answer(&request, json!({})).await;
        assert_eq!(answers.recv().await, Some(RawJson::EMPTY));
    }
}

#[tokio::test(start_paused = true)]
async fn a_notification_handler_that_panics_stops_no_others() {
    let (seen, mut numbers) = mpsc::unbounded_channel();
    let handler = Script::notification(move |told| {
        let (n, seen) = (number(&told), seen.clone());
        async move {
            OptionFuture::from((n == 1).then(tokio::task::yield_now)).await;
            assert!(n > 1, "on purpose");
            seen.send(n).unwrap();
        }
    });
    let (_peer, mut server) = client(handler).await;
    for n in 0..3 {
        server
            .notify("notifications/message", json!({"n": n}))
            .await;
    }
    assert_eq!(numbers.recv().await, Some(2));
}

#[tokio::test(start_paused = true)]
async fn notifications_beyond_the_bound_are_dropped_while_answers_still_come() {
    let (seen, mut numbers) = mpsc::unbounded_channel();
    let handler = Script::notification(move |told| {
        let (n, seen) = (number(&told), seen.clone());
        async move {
            sleep(Duration::from_secs(10)).await;
            seen.send(n).unwrap();
        }
    });
    let mut options = PeerOptions::default();
    options.max_notifications = 2;
    let (peer, mut server) = client_with(handler, options).await;
    for n in 0..50 {
        server
            .notify("notifications/message", json!({"n": n}))
            .await;
    }
    let script = async {
        let request = server.expect("tools/list").await;
        server.answer(&request, json!({})).await;
    };
    let (outcome, ()) = tokio::join!(peer.call(Call::new("tools/list", None)), script);
    outcome.unwrap();
    for n in 0..3 {
        assert_eq!(numbers.recv().await, Some(n));
    }
    sleep(Duration::from_secs(60)).await;
    assert!(numbers.try_recv().is_err());
}
