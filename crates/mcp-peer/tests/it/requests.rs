//! The peer's requests: always answered, once, by id.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_jsonrpc::{ErrorObject, RawJson};
use mcp_transport::Channel;
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::{Script, server};

fn name(params: Option<&RawJson>) -> String {
    let params: Value = params.unwrap().decode().unwrap();
    params
        .get("name")
        .and_then(Value::as_str)
        .unwrap()
        .to_owned()
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_panics_is_answered_and_the_connection_goes_on() {
    let handler = Script::request(|asked| async move {
        match &*name(asked.message.params.as_ref()) {
            "at once" => panic!("on purpose"),
            "later" => {
                tokio::time::sleep(Duration::from_secs(1)).await;
                panic!("on purpose")
            }
            _ => Ok(RawJson::EMPTY),
        }
    });
    let (_peer, mut client) = server(handler).await;
    for name in ["at once", "later"] {
        client
            .request(name, "tools/call", json!({"name": name}))
            .await;
        let answer = client.expect_answer(name).await;
        assert_eq!(answer["error"]["code"], -32603, "{answer}");
    }
    client
        .request(1, "tools/call", json!({"name": "fine"}))
        .await;
    assert_eq!(client.expect_answer(1).await["result"], json!({}));
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_panics_before_it_makes_a_future_is_answered() {
    let script = Script {
        request: Box::new(|_| panic!("on purpose")),
        notification: Box::new(|_| panic!("on purpose")),
    };
    let (_peer, mut client) = server(Arc::new(script)).await;
    client
        .notify("notifications/roots/list_changed", json!({}))
        .await;
    client.request(1, "tools/list", json!({})).await;
    assert_eq!(client.expect_answer(1).await["error"]["code"], -32603);
}

#[tokio::test(start_paused = true)]
async fn slow_requests_hold_up_no_others() {
    let gate = Arc::new(Notify::new());
    let open = Arc::clone(&gate);
    let handler = Script::request(move |asked| {
        let slow = name(asked.message.params.as_ref()) == "slow";
        let gate = slow.then(|| Arc::clone(&gate).notified_owned());
        async move {
            futures_util::future::OptionFuture::from(gate).await;
            Ok(RawJson::EMPTY)
        }
    });
    let (_peer, mut client) = server(handler).await;
    client
        .request(1, "tools/call", json!({"name": "slow"}))
        .await;
    client
        .request(2, "tools/call", json!({"name": "fast"}))
        .await;
    client.expect_answer(2).await;
    open.notify_one();
    client.expect_answer(1).await;
}

/// Says when it is dropped.
struct Dropped(Option<oneshot::Sender<bool>>, CancellationToken);

impl Drop for Dropped {
    fn drop(&mut self) {
        let _gone = self.0.take().unwrap().send(self.1.is_cancelled());
    }
}

#[tokio::test(start_paused = true)]
async fn j22_a_cancelled_request_is_dropped_and_never_answered() {
    let (tell, dropped) = oneshot::channel();
    let tell = Mutex::new(Some(tell));
    let handler = Script::request(move |asked| {
        let guard = Dropped(tell.lock().unwrap().take(), asked.cancelled);
        async move {
            let _guard = guard;
            std::future::pending().await
        }
    });
    let (_peer, mut client) = server(handler).await;
    client.request(5, "tools/call", json!({"name": "t"})).await;
    // The id of another type, an unknown one and none at all cancel nothing.
    for id in [json!("5"), json!(6), Value::Null] {
        client
            .notify("notifications/cancelled", json!({"requestId": id}))
            .await;
    }
    client
        .notify("notifications/cancelled", json!({"requestId": 5}))
        .await;
    assert!(dropped.await.unwrap(), "the token was cancelled first");
    client.request(6, "ping", json!({})).await;
    client.expect_answer(6).await;
}

#[tokio::test(start_paused = true)]
async fn j22_the_answer_of_a_cancelled_request_never_answers_its_successor() {
    let handler = Script::request(|asked| async move {
        let name = name(asked.message.params.as_ref());
        tokio::time::sleep(Duration::from_millis(10)).await;
        RawJson::encode(&name).map_err(|e| ErrorObject::internal(e.to_string()))
    });
    let (_peer, mut client) = server(handler).await;
    for round in 0..100 {
        client
            .request(5, "tools/call", json!({"name": "old"}))
            .await;
        tokio::time::sleep(Duration::from_millis(9 + round % 3)).await;
        client
            .notify("notifications/cancelled", json!({"requestId": 5}))
            .await;
        client
            .request(5, "tools/call", json!({"name": "new"}))
            .await;
        let first = client.expect_answer(5).await;
        if first["result"] == "old" {
            // It was finished before the cancellation came.
            client.expect_answer(5).await;
        } else {
            assert_eq!(first["result"], "new");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn handlers_can_call_back_before_they_answer() {
    let handler = Script::request(|asked| async move {
        let call = mcp_transport::Call::new("roots/list", None);
        asked
            .channel
            .call(call)
            .await
            .map_err(|e| ErrorObject::internal(e.to_string()))
    });
    let (_peer, mut client) = server(handler).await;
    client.request(1, "tools/call", json!({"name": "t"})).await;
    let roots = client.expect("roots/list").await;
    client.answer(&roots, json!({"roots": []})).await;
    assert_eq!(
        client.expect_answer(1).await["result"],
        json!({"roots": []})
    );
}

#[tokio::test(start_paused = true)]
async fn all_messages_of_a_connection_share_a_session_that_ends_with_it() {
    let (tell, mut sessions) = mpsc::unbounded_channel();
    let handler = Script::request(move |asked| {
        let session = asked.session.unwrap();
        let count = session.state::<Mutex<u32>>();
        *count.lock().unwrap() += 1;
        tell.send(session).unwrap();
        async move { Ok(RawJson::encode(&*count.lock().unwrap()).unwrap()) }
    });
    let (peer, mut client) = server(handler).await;
    for n in 1..4 {
        client.request(n, "tools/list", json!({})).await;
        assert_eq!(client.expect_answer(n).await["result"], n);
    }
    let session = sessions.recv().await.unwrap();
    assert!(!session.ended().is_cancelled());
    client.hang_up().await;
    peer.closed().await;
    assert!(session.ended().is_cancelled());
}

#[tokio::test(start_paused = true)]
async fn j05_a_second_request_with_an_id_in_flight_is_refused() {
    let handler = Script::request(|_| async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        Ok(RawJson::EMPTY)
    });
    let (_peer, mut client) = server(handler).await;
    client.request(1, "tools/list", json!({})).await;
    client.request(1, "tools/list", json!({})).await;
    assert_eq!(client.expect_answer(1).await["error"]["code"], -32600);
    assert_eq!(client.expect_answer(1).await["result"], json!({}));
}
