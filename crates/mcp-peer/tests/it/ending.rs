//! How connections end: nobody is left waiting, and what is owed is answered.

use std::time::Duration;

use mcp_jsonrpc::{Frame, Packet, RawJson};
use mcp_peer::PeerOptions;
use mcp_transport::{
    Call, CallError, Channel, Delivery, Frames, Reader, TransportError, TransportErrorKind, Writer,
};
use serde_json::json;
use tokio::time::Instant;

use crate::{Script, client, server};

fn call() -> Call {
    Call::new("tools/list", None)
}

#[tokio::test(start_paused = true)]
async fn a_server_whose_client_has_hung_up_finishes_the_answers_it_owes() {
    let handler = Script::request(|_| async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        Ok(RawJson::EMPTY)
    });
    let (peer, mut client) = server(handler).await;
    for id in 0..300 {
        client.request(id, "tools/list", json!({})).await;
    }
    client.hang_up().await;
    for _ in 0..300 {
        assert!(client.receive().await.unwrap()["result"].is_object());
    }
    assert_eq!(client.receive().await, None);
    assert_eq!(peer.closed().await.kind(), TransportErrorKind::Ended);
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_never_ends_holds_up_the_end_for_the_grace_only() {
    let handler = Script::request(|_| std::future::pending());
    let (peer, mut client) = server(handler).await;
    client.request(1, "tools/list", json!({})).await;
    let start = Instant::now();
    client.hang_up().await;
    peer.closed().await;
    assert_eq!(start.elapsed().as_secs(), 2);
    assert_eq!(client.receive().await, None);
}

#[tokio::test(start_paused = true)]
async fn stdio_10_a_client_that_closes_cancels_what_is_in_flight_and_ends_the_stream() {
    let (peer, mut server) = client(Script::idle()).await;
    let script = async {
        let request = server.expect("tools/list").await;
        peer.close().await;
        let cancelled = server.expect("notifications/cancelled").await;
        assert_eq!(cancelled["params"]["requestId"], request["id"]);
        assert_eq!(server.receive().await, None);
    };
    let (outcome, ()) = tokio::join!(peer.call(call()), script);
    let Err(CallError::Closed { reason, delivery }) = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(reason.kind(), TransportErrorKind::ClosedHere);
    assert_eq!(delivery, Delivery::Unknown);
    assert_eq!(peer.closed().await.kind(), TransportErrorKind::ClosedHere);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_closes_does_not_wait_for_its_own_handlers() {
    let (peer, mut server) = client(Script::request(|_| std::future::pending())).await;
    server.request(1, "roots/list", json!({})).await;
    tokio::task::yield_now().await;
    let start = Instant::now();
    peer.close().await;
    assert_eq!(start.elapsed(), Duration::ZERO);
    assert_eq!(server.receive().await, None);
}

/// Reads one answer, then that the process is gone.
struct LastWords(u32);

impl Reader for LastWords {
    async fn read(&mut self, into: &mut Frames) -> Result<bool, TransportError> {
        tokio::time::sleep(Duration::from_millis(100)).await;
        self.0 += 1;
        if self.0 > 1 {
            return Err(TransportError::new(
                TransportErrorKind::Ended,
                "it exited with status 3",
            ));
        }
        let answer = r#"{"jsonrpc":"2.0","id":1,"result":"last words"}"#;
        into.push(Frame::decode(answer.into()));
        Ok(true)
    }
}

struct Broken;

impl Writer for Broken {
    fn feed(&mut self, _: &Packet) {}

    fn pending(&self) -> usize {
        1
    }

    async fn flush(&mut self) -> Result<(), TransportError> {
        Err(std::io::Error::from(std::io::ErrorKind::BrokenPipe).into())
    }

    async fn close(&mut self) {}
}

#[tokio::test(start_paused = true)]
async fn a_broken_pipe_loses_no_answer_and_hides_no_reason() {
    let peer = mcp_peer::client(LastWords(0), Broken, Script::idle(), PeerOptions::default());
    let (answered, lost) = tokio::join!(peer.call(call()), peer.call(call()));
    assert_eq!(answered.unwrap().as_str(), "\"last words\"");
    let Err(CallError::Closed { reason, .. }) = lost else {
        panic!("{lost:?}");
    };
    assert_eq!(reason.to_string(), "it exited with status 3");
    assert_eq!(peer.closed().await.to_string(), "it exited with status 3");
}

#[tokio::test(start_paused = true)]
async fn all_calls_fail_when_the_server_is_gone_and_later_ones_are_not_sent() {
    let (peer, mut server) = client(Script::idle()).await;
    let script = async {
        server.expect("tools/list").await;
        server.expect("tools/list").await;
        drop(server);
    };
    let (a, b, ()) = tokio::join!(peer.call(call()), peer.call(call()), script);
    for outcome in [a, b] {
        let Err(CallError::Closed { reason, delivery }) = outcome else {
            panic!("{outcome:?}");
        };
        assert_eq!(reason.kind(), TransportErrorKind::Ended);
        assert_eq!(delivery, Delivery::Unknown);
    }
    assert_eq!(peer.closed().await.kind(), TransportErrorKind::Ended);
    let late = peer.call(call()).await.unwrap_err();
    assert_eq!(late.delivery(), Delivery::NotSent);
    let late = peer
        .notify(mcp_jsonrpc::Notification::new("notifications/x", None))
        .await;
    assert!(matches!(late, Err(CallError::Closed { .. })));
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_was_sent_before_the_end_still_counts() {
    let (peer, mut server) = client(Script::idle()).await;
    let script = async {
        let request = server.expect("tools/list").await;
        server.answer(&request, json!("last words")).await;
        drop(server);
    };
    let (outcome, ()) = tokio::join!(peer.call(call()), script);
    assert_eq!(outcome.unwrap().as_str(), "\"last words\"");
    peer.closed().await;
}

#[tokio::test(start_paused = true)]
async fn the_last_handle_of_a_client_takes_the_connection_with_it() {
    let (peer, mut server) = client(Script::idle()).await;
    let other = peer.clone();
    drop(peer);
    let script = async {
        let request = server.expect("tools/list").await;
        server.answer(&request, json!({})).await;
    };
    let (outcome, ()) = tokio::join!(other.call(call()), script);
    outcome.unwrap();
    drop(other);
    assert_eq!(server.receive().await, None);
}

#[tokio::test(start_paused = true)]
async fn a_server_lives_on_without_a_handle() {
    let (peer, mut client) = server(Script::idle()).await;
    drop(peer);
    client.request(1, "tools/list", json!({})).await;
    client.expect_answer(1).await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_closes_answers_what_it_owes_and_no_more() {
    let handler = Script::request(|_| async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        Ok(RawJson::EMPTY)
    });
    let (peer, mut client) = server(handler).await;
    client.request(1, "tools/list", json!({})).await;
    tokio::task::yield_now().await;
    let script = async {
        client.request(2, "tools/list", json!({})).await;
        let late = client.expect_answer(2).await;
        assert_eq!(late["error"]["code"], -32603);
        client.expect_answer(1).await;
        assert_eq!(client.receive().await, None);
    };
    tokio::join!(peer.close(), script);
}

#[test]
fn nobody_waits_for_a_runtime_that_is_gone() {
    let runtime = || {
        tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap()
    };
    let first = runtime();
    let (peer, _server) = first.block_on(client(Script::idle()));
    drop(first);
    runtime().block_on(async {
        peer.closed().await;
        peer.close().await;
        let late = peer.call(call()).await.unwrap_err();
        assert_eq!(late.delivery(), Delivery::NotSent);
    });
}
