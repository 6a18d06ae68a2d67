//! Requests of a session that take a while, and sessions that end.

use std::time::Duration;

use http::Method;
use mcp_transport_http::HttpOptions;
use serde_json::json;

use crate::support::{
    Server, cancelled, initialize, modern, post, read_events, refs, request, send, tool,
};

const NEWEST: &str = "2025-11-25";

#[tokio::test]
async fn http_52_a_request_by_the_server_goes_out_by_the_stream_and_is_answered_by_a_post() {
    let server = Server::start(HttpOptions::default()).await;
    let session = server.session(NEWEST).await;
    let body = tool(1, "ask", &json!({})).to_string();
    let mut response = send(Method::POST, &server.url, &refs(&session), body).await;
    let question = read_events(&mut response, 1).await.remove(0);
    assert_eq!(question["method"], "roots/list");
    let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": {"roots": []}});
    server.tell(&session, &answer).await;
    let events = crate::support::whole(response).await.events();
    assert_eq!(events[0]["result"]["content"][0]["text"], r#"{"roots":[]}"#);
    // A second answer to it is late, not wrong.
    server.tell(&session, &answer).await;
    server.stop().await;
}

#[tokio::test]
async fn an_answer_of_another_session_answers_nothing() {
    let server = Server::start(HttpOptions::default()).await;
    let (one, two) = (server.session(NEWEST).await, server.session(NEWEST).await);
    let body = tool(1, "ask", &json!({})).to_string();
    let mut response = send(Method::POST, &server.url, &refs(&one), body).await;
    let question = read_events(&mut response, 1).await.remove(0);
    let with = |root: &str| json!({"jsonrpc": "2.0", "id": question["id"], "result": {"r": root}});
    server.tell(&two, &with("foreign")).await;
    server.tell(&one, &with("own")).await;
    let events = crate::support::whole(response).await.events();
    assert_eq!(events[0]["result"]["content"][0]["text"], r#"{"r":"own"}"#);
    server.stop().await;
}

#[tokio::test]
async fn http_40_a_client_that_goes_does_not_cancel_but_a_notification_does() {
    let (mut server, session) = Server::greeted(NEWEST).await;
    let abandoned = {
        let (url, session) = (server.url.clone(), session.clone());
        let body = tool(1, "wait", &json!({})).to_string();
        tokio::spawn(async move { send(Method::POST, &url, &refs(&session), body).await })
    };
    assert_eq!(server.next().await, "waiting");
    abandoned.abort();
    let _ = abandoned.await;
    // The id is taken as long as its handler runs.
    let answer = post(&server.url, &refs(&session), &tool(1, "echo", &json!({}))).await;
    assert_eq!((answer.status, answer.code()), (400, -32600));
    server.probe.go.notify_one();
    assert_eq!(server.next().await, "went on");

    let body = tool(2, "progress then wait", &json!({})).to_string();
    let mut response = send(Method::POST, &server.url, &refs(&session), body).await;
    read_events(&mut response, 1).await;
    assert_eq!(server.next().await, "waiting");
    drop(response);
    server.tell(&session, &cancelled(2)).await;
    assert_eq!(server.next().await, "dropped");
    server.stop().await;
}

#[tokio::test]
async fn life_12_a_cancelled_request_has_no_answer_and_its_stream_ends() {
    let (mut server, session) = Server::greeted(NEWEST).await;
    let body = tool(2, "progress then wait", &json!({})).to_string();
    let response = send(Method::POST, &server.url, &refs(&session), body).await;
    assert_eq!(server.next().await, "waiting");
    server.tell(&session, &cancelled(2)).await;
    assert_eq!(server.next().await, "dropped");
    let events = crate::support::whole(response).await.events();
    assert!(
        events.iter().all(|event| event.get("id").is_none()),
        "{events:?}"
    );
    server.stop().await;
}

#[tokio::test]
async fn j05_a_second_request_with_an_id_in_flight_is_refused() {
    let (mut server, session) = Server::greeted(NEWEST).await;
    let first = {
        let (url, session) = (server.url.clone(), session.clone());
        let body = tool(1, "wait", &json!({}));
        tokio::spawn(async move { post(&url, &refs(&session), &body).await })
    };
    assert_eq!(server.next().await, "waiting");
    let second = post(&server.url, &refs(&session), &tool(1, "echo", &json!({}))).await;
    assert_eq!((second.status, second.code()), (400, -32600));
    let other = post(&server.url, &refs(&session), &tool("1", "echo", &json!({}))).await;
    assert_eq!(other.status, 200, "the string is another id");
    server.probe.go.notify_one();
    assert_eq!(
        first.await.unwrap().json()["result"]["content"][0]["text"],
        "\"waited\""
    );
    let again = post(&server.url, &refs(&session), &tool(1, "echo", &json!({}))).await;
    assert_eq!(again.status, 200);
    server.stop().await;
}

#[tokio::test(start_paused = true)]
async fn h17_unused_sessions_end_and_one_in_use_does_not() {
    let options = HttpOptions::default().session_idle(Duration::from_secs(60));
    let mut server = Server::start(options).await;
    for _ in 0..100 {
        post(&server.url, &[], &initialize(NEWEST)).await;
    }
    let busy = server.session(NEWEST).await;
    assert!(server.next().await.starts_with("notifications/initialized"));
    let mut refused = initialize(NEWEST);
    refused["params"] = json!({});
    assert!(post(&server.url, &[], &refused).await.json()["error"].is_object());
    assert_eq!(server.service.session_count(), 101);
    let waiting = {
        let (url, session) = (server.url.clone(), busy.clone());
        let body = tool(1, "wait", &json!({}));
        tokio::spawn(async move { post(&url, &refs(&session), &body).await })
    };
    assert_eq!(server.next().await, "waiting");
    tokio::time::sleep(Duration::from_secs(80)).await;
    assert_eq!(server.service.session_count(), 1);
    server.probe.go.notify_one();
    assert_eq!(waiting.await.unwrap().status, 200);
    tokio::time::sleep(Duration::from_secs(80)).await;
    assert_eq!(server.service.session_count(), 0);
    assert_eq!(
        post(&server.url, &refs(&busy), &tool(2, "echo", &json!({})))
            .await
            .status,
        404
    );
    server.stop().await;
}

#[tokio::test]
async fn h17_there_are_no_more_sessions_than_allowed() {
    let server = Server::start(HttpOptions::default().max_sessions(2)).await;
    for status in [200, 200, 503, 503] {
        assert_eq!(
            post(&server.url, &[], &initialize(NEWEST)).await.status,
            status
        );
    }
    assert_eq!(server.service.session_count(), 2);
    server.stop().await;
}

#[tokio::test(start_paused = true)]
async fn h17_sessions_that_were_left_make_room_when_there_is_none() {
    let server = Server::start(HttpOptions::default().max_sessions(2)).await;
    let left = server.session(NEWEST).await;
    tokio::time::sleep(Duration::from_secs(50)).await;
    let used = server.session(NEWEST).await;
    let open = async || post(&server.url, &[], &initialize(NEWEST)).await.status;
    assert_eq!(open().await, 503);
    tokio::time::sleep(Duration::from_secs(20)).await;
    assert_eq!(open().await, 200);
    let status = async |headers| {
        let call = tool(2, "echo", &json!({}));
        post(&server.url, &refs(headers), &call).await.status
    };
    assert_eq!((status(&left).await, status(&used).await), (404, 200));
    server.stop().await;
}

#[tokio::test]
async fn h18_a_session_does_not_exist_for_anyone_else() {
    let options = HttpOptions::default().principal(|parts| {
        parts
            .headers
            .get("x-who")
            .map(|v| v.to_str().unwrap().to_owned())
    });
    let server = Server::start(options).await;
    let answer = post(&server.url, &[("x-who", "a")], &initialize(NEWEST)).await;
    let id = answer.headers["mcp-session-id"]
        .to_str()
        .unwrap()
        .to_owned();
    let call = tool(1, "echo", &json!({}));
    for foreign in [vec![("x-who", "b")], vec![]] {
        let headers = [&foreign[..], &[("mcp-session-id", id.as_str())]].concat();
        assert_eq!(post(&server.url, &headers, &call).await.status, 404);
        for method in [Method::GET, Method::DELETE] {
            assert_eq!(request(method, &server.url, &headers, "").await.status, 404);
        }
    }
    let own = [("x-who", "a"), ("mcp-session-id", id.as_str())];
    assert_eq!(post(&server.url, &own, &call).await.status, 200);
    server.stop().await;
}

#[tokio::test]
async fn h17_shutdown_ends_open_streams_and_lets_running_requests_finish() {
    let (mut server, session) = Server::greeted(NEWEST).await;
    let stream = send(Method::GET, &server.url, &refs(&session), "").await;
    let (headers, body) = modern("tools/call", json!({"name": "wait"}));
    let running = {
        let url = server.url.clone();
        tokio::spawn(async move { post(&url, &refs(&headers), &body).await })
    };
    assert_eq!(server.next().await, "waiting");
    let probe = std::sync::Arc::clone(&server.probe);
    let stopping = tokio::spawn(server.stop());
    assert!(crate::support::whole(stream).await.events().is_empty());
    probe.go.notify_one();
    assert_eq!(running.await.unwrap().status, 200);
    stopping.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn h17_shutdown_cuts_off_after_10_seconds_what_never_ends() {
    let mut server = Server::start(HttpOptions::default()).await;
    let (headers, body) = modern("tools/call", json!({"name": "wait"}));
    let url = server.url.clone();
    let running = tokio::spawn(async move { post(&url, &refs(&headers), &body).await });
    assert_eq!(server.next().await, "waiting");
    let begun = tokio::time::Instant::now();
    server.stop().await;
    assert_eq!(begun.elapsed().as_secs(), 10);
    assert!(running.await.is_err(), "there is no answer");
}

#[tokio::test]
async fn http_40_a_handler_whose_client_is_gone_is_not_held_up_by_what_nobody_reads() {
    let (mut server, session) = Server::greeted(NEWEST).await;
    let abandoned = {
        let (url, session) = (server.url.clone(), session.clone());
        let body = tool(1, "wait then flood", &json!({})).to_string();
        tokio::spawn(async move { send(Method::POST, &url, &refs(&session), body).await })
    };
    assert_eq!(server.next().await, "waiting");
    abandoned.abort();
    let _ = abandoned.await;
    // The server has seen that its client is gone when the id is still taken a while later.
    let answer = post(&server.url, &refs(&session), &tool(1, "echo", &json!({}))).await;
    assert_eq!(answer.status, 400);
    server.probe.go.notify_one();
    assert_eq!(server.next().await, "went on");
    assert_eq!(server.next().await, "flooded");
    server.stop().await;
}
