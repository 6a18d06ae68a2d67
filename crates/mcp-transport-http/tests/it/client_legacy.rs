//! The client with servers of 2024-11-05: HTTP with server-sent events.

use std::sync::{Arc, Mutex};

use mcp_jsonrpc::Notification;
use mcp_transport::{Call, CallError, Channel as _, Delivery, TransportErrorKind};
use mcp_transport_http::{HttpTransport, LegacySse};
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;

use crate::client_support::Client;
use crate::script::{Reply, Script, Seen, event, json_body, live, result, status, stream};

const FIRST: &str = "2024-11-05";

type Feed = Arc<Mutex<Option<UnboundedSender<String>>>>;

/// A server of the first revision: it answers POSTs to the announced address by its stream.
async fn old_server(announced: &'static str) -> (Script, Feed) {
    let (feed, reply) = live();
    feed.send(format!("event: endpoint\ndata: {announced}\n\n"))
        .unwrap();
    let feed: Feed = Arc::new(Mutex::new(Some(feed)));
    let (reply, answers) = (Mutex::new(Some(reply)), Arc::clone(&feed));
    let script = Script::start(move |seen| match (seen.method.as_str(), seen.uri.path()) {
        ("GET", "/mcp") => reply.lock().unwrap().take().unwrap_or_else(|| status(409)),
        ("POST", "/messages") => {
            answer(seen, &answers);
            status(202)
        }
        _ => status(405),
    })
    .await;
    (script, feed)
}

fn answer(seen: &Seen, feed: &Feed) {
    let id = &seen.body["id"];
    let result = match seen.kind() {
        "initialize" => json!({"protocolVersion": FIRST, "capabilities": {},
            "serverInfo": {"name": "old", "version": "1"}}),
        "slow" | "response" => return,
        kind if kind.starts_with("notifications/") => return,
        kind => json!({ "method": kind }),
    };
    let message = json!({"jsonrpc": "2.0", "id": id, "result": result});
    feed.lock()
        .unwrap()
        .as_ref()
        .unwrap()
        .send(event(&message))
        .unwrap();
}

#[tokio::test]
async fn http_53_a_refused_initialize_falls_back_to_the_stream_of_an_old_server() {
    let (mut script, feed) = old_server("/messages?session=7").await;
    let mut client = Client::handshake(&script.url, FIRST).await;
    let answers = futures_util::future::join_all((0..20).map(|_| client.call("tools/list"))).await;
    assert!(
        answers
            .into_iter()
            .all(|answer| answer.unwrap()["method"] == "tools/list")
    );
    // A request by the server is answered there, too.
    let ask = json!({"jsonrpc": "2.0", "id": "q", "method": "roots/list"});
    feed.lock()
        .unwrap()
        .as_ref()
        .unwrap()
        .send(event(&ask))
        .unwrap();
    assert_eq!(client.next().await, "roots/list");
    let reply = script.next("response").await;
    assert_eq!(reply.body["result"], json!({"roots": []}));
    let seen = script.seen();
    assert_eq!((seen[0].kind(), seen[0].uri.path()), ("initialize", "/mcp"));
    assert_eq!(seen[1].kind(), "GET");
    assert!(
        seen[2..]
            .iter()
            .all(|s| s.uri == *"/messages?session=7" && s.method == "POST")
    );
    client.channel.close().await;
    assert!(!script.kinds().contains(&"DELETE".to_owned()));
    let sender = feed.lock().unwrap().take().unwrap();
    sender.closed().await;
}

#[tokio::test]
async fn http_54_an_address_of_another_origin_is_not_used() {
    for announced in [
        "http://127.0.0.1:1/messages",
        "https://example.com/messages",
        "//evil.test/m",
    ] {
        let (script, _feed) = old_server(announced).await;
        let transport = HttpTransport::builder(&script.url)
            .legacy_sse(LegacySse::Only)
            .build()
            .unwrap();
        let client = Client::of(&transport);
        let error = client
            .channel
            .call(Call::new("initialize", None))
            .await
            .unwrap_err();
        assert_eq!(error.delivery(), Delivery::NotSent);
        let CallError::Closed { reason, .. } = error else {
            panic!()
        };
        assert_eq!(reason.kind(), TransportErrorKind::Violation, "{announced}");
        assert_eq!(script.kinds(), ["GET"]);
        client.channel.close().await;
    }
}

#[tokio::test]
async fn http_54_relative_addresses_are_resolved_and_the_way_can_be_chosen() {
    let (script, _feed) = old_server("messages").await;
    let transport = HttpTransport::builder(&script.url)
        .legacy_sse(LegacySse::Only)
        .build()
        .unwrap();
    let client = Client::of(&transport);
    client.initialize(FIRST).await;
    assert_eq!(client.call("ping").await.unwrap()["method"], "ping");
    assert_eq!(
        script.kinds(),
        ["GET", "initialize", "notifications/initialized", "ping"]
    );
    client.channel.close().await;
}

#[tokio::test(start_paused = true)]
async fn http_54_an_address_that_does_not_come_is_waited_for_10_seconds() {
    let (_feed, reply) = live();
    let reply = Mutex::new(Some(reply));
    let script = Script::start(move |_| reply.lock().unwrap().take().unwrap()).await;
    let transport = HttpTransport::builder(&script.url)
        .legacy_sse(LegacySse::Only)
        .build()
        .unwrap();
    let client = Client::of(&transport);
    let begun = tokio::time::Instant::now();
    let calling = client.channel.call(Call::new("initialize", None));
    let error = calling.await.unwrap_err();
    assert_eq!(error.delivery(), Delivery::NotSent);
    let CallError::Closed { reason, .. } = error else {
        panic!("{error:?}")
    };
    assert_eq!(reason.kind(), TransportErrorKind::Violation);
    assert_eq!(begun.elapsed().as_secs(), 10);
    client.channel.close().await;
}

#[tokio::test]
async fn the_end_of_the_stream_is_the_end_of_the_channel() {
    let (mut script, feed) = old_server("/messages").await;
    let client = Client::handshake(&script.url, FIRST).await;
    let channel = client.channel.clone();
    let slow = tokio::spawn(async move { channel.call(Call::new("slow", None)).await });
    script.next("slow").await;
    *feed.lock().unwrap() = None;
    let CallError::Closed { reason, delivery } = slow.await.unwrap().unwrap_err() else {
        panic!()
    };
    assert_eq!(
        (reason.kind(), delivery),
        (TransportErrorKind::Ended, Delivery::Unknown)
    );
    assert_eq!(
        client.channel.closed().await.kind(),
        TransportErrorKind::Ended
    );
    let error = client
        .channel
        .notify(Notification::new("n", None))
        .await
        .unwrap_err();
    assert_eq!(error.delivery(), Delivery::NotSent);
    client.channel.close().await;
}

#[tokio::test]
async fn life_12_a_dropped_call_is_cancelled_at_the_address_of_messages() {
    let (mut script, _feed) = old_server("/messages").await;
    let client = Client::handshake(&script.url, FIRST).await;
    let channel = client.channel.clone();
    let slow = tokio::spawn(async move { channel.call(Call::new("slow", None)).await });
    let id = script.next("slow").await.body["id"].clone();
    slow.abort();
    let cancel = script.next("notifications/cancelled").await;
    assert_eq!(
        (&cancel.body["params"]["requestId"], cancel.uri.path()),
        (&id, "/messages")
    );
    client.channel.close().await;
}

/// Answers `initialize` with a refusal, and GET like this.
async fn refuses(code: u16, body: Value, get: fn() -> Reply) -> Script {
    Script::start(move |seen| match seen.kind() {
        "GET" => get(),
        "initialize" if body.is_null() => status(code),
        "initialize" => json_body(code, &body),
        _ => result(seen, &json!({})),
    })
    .await
}

#[tokio::test]
async fn http_53_the_refusal_stays_where_there_is_no_such_stream_or_no_reason_to_look() {
    let modern = json!({"jsonrpc": "2.0", "error": {"code": -32022, "message": "no"}});
    let cases: [(u16, Value, fn() -> Reply, usize); 6] = [
        (405, Value::Null, || status(405), 1),
        (404, Value::Null, || stream(": no endpoint\n\n"), 1),
        (
            400,
            Value::Null,
            || crate::script::text(200, "text/html", "<html>"),
            1,
        ),
        (401, Value::Null, || stream(""), 0),
        (500, Value::Null, || stream(""), 0),
        (400, modern, || stream(""), 0),
    ];
    for (code, body, get, gets) in cases {
        let script = refuses(code, body, get).await;
        let client = Client::new(&script.url);
        let error = client
            .channel
            .call(Call::new("initialize", None))
            .await
            .unwrap_err();
        let CallError::Rejected(rejection) = error else {
            panic!("{code}")
        };
        assert_eq!(rejection.status, code);
        assert_eq!(
            script.kinds().iter().filter(|kind| *kind == "GET").count(),
            gets,
            "{code}"
        );
        client.channel.close().await;
    }
    let script = refuses(405, Value::Null, || stream("")).await;
    let transport = HttpTransport::builder(&script.url)
        .legacy_sse(LegacySse::Never)
        .build()
        .unwrap();
    let client = Client::of(&transport);
    client
        .channel
        .call(Call::new("initialize", None))
        .await
        .unwrap_err();
    assert_eq!(script.kinds(), ["initialize"]);
    client.channel.close().await;
}
