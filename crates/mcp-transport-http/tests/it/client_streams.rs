//! The client's streams: the server's own, resuming a broken one, the end of it all.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_transport::{Call, CallError, Channel as _, Delivery, TransportErrorKind};
use mcp_transport_http::HttpTransport;
use serde_json::{Value, json};

use crate::client_support::{Client, StillClock, modern_call};
use crate::script::{
    Reply, Script, Seen, event, live, result, result_event, status, stream, text, usual,
};

const NEWEST: &str = "2025-11-25";

/// A server whose calls answer with a stream that breaks, and whose GETs that resume one are
/// answered in turn.
async fn broken(
    first: &'static str,
    resumes: Vec<Box<dyn Fn(&Value) -> Reply + Send + Sync>>,
) -> Script {
    let turn = AtomicUsize::new(0);
    let id = std::sync::Mutex::new(Value::Null);
    Script::start(move |seen| match seen.kind() {
        "tools/call" => {
            *id.lock().unwrap() = seen.body["id"].clone();
            stream(first)
        }
        "GET" if seen.header("last-event-id").is_some() => {
            let n = turn.fetch_add(1, Ordering::Relaxed);
            match resumes.get(n).or_else(|| resumes.last()) {
                Some(resume) => resume(&id.lock().unwrap()),
                None => status(405),
            }
        }
        _ => usual(seen, NEWEST).unwrap(),
    })
    .await
}

fn resumes(script: &Script) -> Vec<Seen> {
    let all = script.seen().into_iter();
    all.filter(|seen| seen.kind() == "GET" && seen.header("last-event-id").is_some())
        .collect()
}

#[tokio::test(start_paused = true)]
async fn http_45_http_46_a_broken_stream_is_resumed_behind_the_last_id_not_before_retry() {
    let script = broken(
        "retry: 500\nid: e1\ndata:\n\n",
        vec![
            // Nothing new: the same id again.
            Box::new(|_| stream(": nothing\n\n")),
            Box::new(|_| {
                stream(format!(
                    "id: e2\n{}",
                    event(&json!({"jsonrpc": "2.0", "method": "notifications/x"}))
                ))
            }),
            Box::new(|id| stream(result_event(id, &json!({"done": true})))),
        ],
    )
    .await;
    let mut client = Client::handshake(&script.url, NEWEST).await;
    let begin = tokio::time::Instant::now();
    assert_eq!(client.call("tools/call").await.unwrap()["done"], true);
    assert!(begin.elapsed() >= Duration::from_millis(1500));
    assert_eq!(client.next().await, "notifications/x  of 2");
    let resumes = resumes(&script);
    let ids: Vec<_> = resumes
        .iter()
        .map(|seen| seen.header("last-event-id").unwrap())
        .collect();
    assert_eq!(ids, ["e1", "e1", "e2"]);
    for seen in &resumes {
        assert_eq!(seen.header("mcp-session-id"), Some("s-1"));
        assert_eq!(seen.header("mcp-protocol-version"), Some(NEWEST));
        assert_eq!(seen.header("accept"), Some("text/event-stream"));
    }
    client.channel.close().await;
}

#[tokio::test(start_paused = true)]
async fn h08_empty_resumes_back_off_and_end() {
    let script = broken("id: e1\ndata:\n\n", vec![Box::new(|_| stream(""))]).await;
    let client = Client::handshake(&script.url, NEWEST).await;
    let begin = tokio::time::Instant::now();
    let mut call = Call::new("tools/call", None);
    call.timeouts.idle = None;
    call.timeouts.total = None;
    let error = client.channel.call(call).await.unwrap_err();
    let CallError::Closed { reason, delivery } = error else {
        panic!("{error:?}")
    };
    assert_eq!(
        (reason.kind(), delivery),
        (TransportErrorKind::Ended, Delivery::Unknown)
    );
    assert_eq!(resumes(&script).len(), 5);
    // 1 + 2 + 4 + 8 + 16 s.
    assert!(begin.elapsed() >= Duration::from_secs(31));
    client.channel.close().await;
}

#[tokio::test(start_paused = true)]
async fn h08_what_is_no_stream_is_not_asked_for_again() {
    for refusal in [
        || text(200, "text/html", "<html>"),
        || status(405),
        || status(400),
        || status(204),
    ] {
        let script = broken("id: e1\ndata:\n\n", vec![Box::new(move |_| refusal())]).await;
        let client = Client::handshake(&script.url, NEWEST).await;
        assert!(matches!(
            client.call("tools/call").await,
            Err(CallError::Closed { .. })
        ));
        assert_eq!(resumes(&script).len(), 1);
        client.channel.close().await;
    }
}

#[tokio::test(start_paused = true)]
async fn h08_an_absurd_retry_is_capped_and_a_failure_that_may_pass_is_tried_again() {
    let script = broken(
        "retry: 99999999999\nid: e1\ndata:\n\n",
        vec![
            Box::new(|_| status(503)),
            Box::new(|id| stream(result_event(id, &json!({})))),
        ],
    )
    .await;
    let client = Client::handshake(&script.url, NEWEST).await;
    let begin = tokio::time::Instant::now();
    let mut call = Call::new("tools/call", None);
    call.timeouts.idle = None;
    client.channel.call(call).await.unwrap();
    assert!(begin.elapsed() >= Duration::from_secs(119));
    assert!(begin.elapsed() < Duration::from_secs(300));
    assert_eq!(resumes(&script).len(), 2);
    client.channel.close().await;
}

#[tokio::test]
async fn h08_close_ends_the_wait_before_a_resume() {
    let script = broken("id: e1\ndata:\n\n", vec![]).await;
    let client = Client::handshake(&script.url, NEWEST).await;
    let clock = StillClock::new();
    let channel = client.channel.clone();
    let calling = tokio::spawn(async move { channel.call(Call::new("tools/call", None)).await });
    while !script.kinds().contains(&"tools/call".to_owned()) {
        tokio::task::yield_now().await;
    }
    client.channel.close().await;
    let CallError::Closed { reason, .. } = calling.await.unwrap().unwrap_err() else {
        panic!()
    };
    assert_eq!(reason.kind(), TransportErrorKind::ClosedHere);
    clock.advance(100).await;
    assert!(resumes(&script).is_empty());
}

#[tokio::test]
async fn http_51_a_broken_stream_without_an_id_or_of_2026_07_28_is_lost() {
    let script = Script::start(|seen| match seen.kind() {
        "modern" => stream("id: e1\ndata:\n\n"),
        "legacy" => stream(": no id\n\n"),
        _ => usual(seen, NEWEST).unwrap(),
    })
    .await;
    let client = Client::handshake(&script.url, NEWEST).await;
    for error in [
        client.call("legacy").await.unwrap_err(),
        client
            .channel
            .call(modern_call("modern", None))
            .await
            .unwrap_err(),
    ] {
        let CallError::Closed { delivery, .. } = error else {
            panic!("{error:?}")
        };
        assert_eq!(delivery, Delivery::Unknown);
    }
    assert!(resumes(&script).is_empty());
    client.channel.close().await;
}

#[tokio::test]
async fn h07_a_lost_session_fails_every_call_of_it_at_once_and_a_new_handshake_begins_another() {
    let (_feed, reply) = live();
    let reply = std::sync::Mutex::new(Some(reply));
    let lost = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let is_lost = Arc::clone(&lost);
    let mut script = Script::start(move |seen| match seen.kind() {
        "initialize" => {
            let mut reply = usual(seen, NEWEST).unwrap();
            if is_lost.load(Ordering::Relaxed) {
                reply
                    .headers_mut()
                    .insert("mcp-session-id", "s-2".parse().unwrap());
            }
            reply
        }
        "slow" => reply.lock().unwrap().take().unwrap(),
        "fast" if seen.header("mcp-session-id") == Some("s-1") => status(404),
        "fast" => result(seen, &json!({})),
        _ => usual(seen, NEWEST).unwrap(),
    })
    .await;
    let client = Client::handshake(&script.url, NEWEST).await;
    let channel = client.channel.clone();
    let slow = tokio::spawn(async move { channel.call(Call::new("slow", None)).await });
    script.next("slow").await;
    for _ in 0..2 {
        let CallError::Rejected(rejection) = client.call("fast").await.unwrap_err() else {
            panic!()
        };
        assert_eq!(
            (rejection.status.as_u16(), rejection.session_lost),
            (404, true)
        );
    }
    let CallError::Closed { delivery, .. } = slow.await.unwrap().unwrap_err() else {
        panic!()
    };
    assert_eq!(delivery, Delivery::Unknown);
    lost.store(true, Ordering::Relaxed);
    client.initialize(NEWEST).await;
    client.call("fast").await.unwrap();
    let seen = script.seen();
    let again = seen
        .iter()
        .filter(|seen| seen.kind() == "initialize")
        .nth(1)
        .unwrap();
    assert_eq!(again.header("mcp-session-id"), None);
    assert_eq!(again.header("mcp-protocol-version"), None);
    assert_eq!(seen.last().unwrap().header("mcp-session-id"), Some("s-2"));
    // The second call of a session known to be lost is not sent.
    assert_eq!(seen.iter().filter(|seen| seen.kind() == "fast").count(), 2);
    client.channel.close().await;
}

#[tokio::test]
async fn h07_a_404_without_a_session_is_a_plain_refusal() {
    let script = Script::start(|_| status(404)).await;
    let client = Client::new(&script.url);
    let CallError::Rejected(rejection) = client.call("x").await.unwrap_err() else {
        panic!()
    };
    assert!(!rejection.session_lost);
    client.channel.close().await;
}

#[tokio::test]
async fn http_08_the_servers_own_stream_reaches_the_handler_and_is_opened_again_with_its_id() {
    let turn = AtomicUsize::new(0);
    let note = |n: usize| {
        event(&json!({"jsonrpc": "2.0", "method": "notifications/n", "params": {"n": n}}))
    };
    let mut script = Script::start(move |seen| match seen.kind() {
        "GET" => match turn.fetch_add(1, Ordering::Relaxed) {
            0 => stream(format!("retry: 1\nid: a\n{}", note(0))),
            1 => stream(note(1)),
            _ => status(405),
        },
        _ => usual(seen, NEWEST).unwrap(),
    })
    .await;
    let mut client = Client::handshake(&script.url, NEWEST).await;
    assert_eq!(client.next().await, r#"notifications/n {"n":0}"#);
    assert_eq!(client.next().await, r#"notifications/n {"n":1}"#);
    assert_eq!(script.next("GET").await.header("last-event-id"), None);
    for _ in 0..2 {
        assert_eq!(script.next("GET").await.header("last-event-id"), Some("a"));
    }
    client.channel.close().await;
}

#[tokio::test(start_paused = true)]
async fn h08_a_stream_of_the_server_that_brings_nothing_is_given_up() {
    let script = Script::start(|seen| match seen.kind() {
        "GET" => stream(""),
        _ => usual(seen, NEWEST).unwrap(),
    })
    .await;
    let client = Client::handshake(&script.url, NEWEST).await;
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert_eq!(
        script.kinds().iter().filter(|kind| *kind == "GET").count(),
        9
    );
    client.channel.close().await;
}

#[tokio::test(start_paused = true)]
async fn h14_a_refused_stream_is_no_stream_and_not_asked_for_again() {
    for code in [405, 404, 501, 400] {
        let script = Script::start(move |seen| match seen.kind() {
            "GET" => status(code),
            "tools/list" => result(seen, &json!({})),
            _ => usual(seen, NEWEST).unwrap(),
        })
        .await;
        let client = Client::handshake(&script.url, NEWEST).await;
        tokio::time::sleep(Duration::from_secs(600)).await;
        assert_eq!(
            script.kinds().iter().filter(|kind| *kind == "GET").count(),
            1
        );
        client.call("tools/list").await.unwrap();
        client.channel.close().await;
    }
}

#[tokio::test]
async fn http_18_h14_close_ends_within_a_bound_whatever_the_server_says() {
    for code in [200, 204, 202, 404, 405, 501] {
        let script = Script::start(move |seen| match seen.kind() {
            "DELETE" => status(code),
            _ => usual(seen, NEWEST).unwrap(),
        })
        .await;
        let client = Client::handshake(&script.url, NEWEST).await;
        client.channel.close().await;
        client.channel.close().await;
        assert_eq!(
            script
                .kinds()
                .iter()
                .filter(|kind| *kind == "DELETE")
                .count(),
            1
        );
        let CallError::Closed { delivery, .. } = client.call("x").await.unwrap_err() else {
            panic!()
        };
        assert_eq!(delivery, Delivery::NotSent);
        assert_eq!(
            client.channel.closed().await.kind(),
            TransportErrorKind::ClosedHere
        );
    }
}

#[tokio::test]
async fn h14_a_delete_that_is_never_answered_does_not_hold_up_close() {
    let (_feed, reply) = live();
    let reply = std::sync::Mutex::new(Some(reply));
    let script = Script::start(move |seen| match seen.kind() {
        // The head comes, the body never ends; that is enough.
        "DELETE" => reply.lock().unwrap().take().unwrap(),
        _ => usual(seen, NEWEST).unwrap(),
    })
    .await;
    let transport = HttpTransport::builder(&script.url)
        .close_timeout(Duration::from_millis(50))
        .build()
        .unwrap();
    let client = Client::of(&transport);
    client.initialize(NEWEST).await;
    client.channel.close().await;
}

#[tokio::test]
async fn http_18_a_channel_that_is_dropped_ends_its_session_too() {
    let mut script = Script::start(|seen| usual(seen, NEWEST).unwrap()).await;
    let client = Client::handshake(&script.url, NEWEST).await;
    drop(client.channel);
    let seen = script.next("DELETE").await;
    assert_eq!(seen.header("mcp-session-id"), Some("s-1"));
}

#[tokio::test]
async fn http_58_h23_a_redirect_within_the_origin_keeps_method_and_body_and_no_other_is_followed() {
    let other = Script::start(|seen| result(seen, &json!({}))).await;
    let foreign = other.url.clone();
    let script = Script::start(move |seen| {
        let to = |code: u16, target: &str| {
            let mut reply = status(code);
            reply
                .headers_mut()
                .insert("location", target.parse().unwrap());
            reply
        };
        match (seen.kind(), seen.uri.path()) {
            ("same", "/mcp") => to(307, "/mcp/"),
            ("permanent", "/mcp") => to(308, "/mcp/"),
            ("loop", _) => to(307, "/mcp"),
            ("foreign", _) => to(307, &foreign),
            ("downgrade", _) => to(308, "http://127.0.0.1:1/mcp"),
            ("found", _) => to(302, "/mcp/"),
            _ => result(seen, &json!({})),
        }
    })
    .await;
    let transport = HttpTransport::builder(&script.url)
        .header("authorization", "Bearer secret")
        .build()
        .unwrap();
    let client = Client::of(&transport);
    for method in ["same", "permanent"] {
        client.call(method).await.unwrap();
        let seen = script.seen().pop().unwrap();
        assert_eq!(
            (seen.method.as_str(), seen.uri.path(), seen.kind()),
            ("POST", "/mcp/", method)
        );
        assert_eq!(seen.header("authorization"), Some("Bearer secret"));
    }
    for method in ["foreign", "downgrade", "found", "loop"] {
        let CallError::Rejected(rejection) = client.call(method).await.unwrap_err() else {
            panic!()
        };
        assert!(rejection.status.is_redirection(), "{method}");
        assert!(
            rejection.body.contains("redirect"),
            "{method}: {}",
            rejection.body
        );
    }
    assert_eq!(
        script
            .seen()
            .iter()
            .filter(|seen| seen.kind() == "loop")
            .count(),
        4
    );
    assert!(other.seen().is_empty());
    client.channel.close().await;
}

#[tokio::test]
async fn auth_15_headers_of_the_channel_are_on_every_request() {
    let mut script =
        Script::start(|seen| usual(seen, NEWEST).unwrap_or_else(|| result(seen, &json!({})))).await;
    let transport = HttpTransport::builder(&script.url)
        .header("authorization", "Bearer secret")
        .build()
        .unwrap();
    let client = Client::of(&transport);
    client.initialize(NEWEST).await;
    script.next("GET").await;
    client.call("tools/list").await.unwrap();
    client.channel.close().await;
    for seen in script.seen() {
        assert_eq!(
            seen.header("authorization"),
            Some("Bearer secret"),
            "{seen:?}"
        );
    }
}

#[tokio::test]
async fn connections_are_used_again_also_after_streams() {
    let script = Script::start(|seen| stream(result_event(&seen.body["id"], &json!({})))).await;
    let client = Client::new(&script.url);
    for _ in 0..20 {
        client.call("x").await.unwrap();
    }
    assert_eq!(script.connections(), 1);
    client.channel.close().await;
}
