//! The server with the revisions that begin with `initialize`.

use http::Method;
use mcp_transport_http::HttpOptions;
use serde_json::{Value, json};

use crate::support::{
    Answer, Server, initialize, modern, post, read_events, refs, request, send, tool,
};

const NEWEST: &str = "2025-11-25";

async fn delete(server: &Server, headers: &[(String, String)]) -> Answer {
    request(Method::DELETE, &server.url, &refs(headers), "").await
}

#[tokio::test]
async fn http_13_initialize_opens_a_session_with_an_id_that_nobody_guesses() {
    let server = Server::start(HttpOptions::default()).await;
    let mut ids = std::collections::HashSet::new();
    for _ in 0..200 {
        let answer = post(&server.url, &[], &initialize(NEWEST)).await;
        assert_eq!(answer.json()["result"]["protocolVersion"], NEWEST);
        assert_eq!(answer.json()["result"]["serverInfo"]["name"], "probe");
        let id = answer.headers["mcp-session-id"]
            .to_str()
            .unwrap()
            .to_owned();
        assert!(id.len() >= 32 && id.bytes().all(|b| b.is_ascii_graphic()));
        assert!(ids.insert(id));
    }
    assert_eq!(server.service.session_count(), 200);
    server.stop().await;
}

#[tokio::test]
async fn life_03_life_04_the_version_asked_for_or_the_newest_with_a_handshake() {
    let server = Server::start(HttpOptions::default()).await;
    for (asked, given) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("1900-01-01", NEWEST),
        ("2026-07-28", NEWEST),
    ] {
        let answer = post(&server.url, &[], &initialize(asked)).await;
        assert_eq!(answer.json()["result"]["protocolVersion"], given);
    }
    server.stop().await;
}

#[tokio::test]
async fn http_15_http_16_a_missing_session_is_400_and_an_unknown_one_404() {
    let server = Server::start(HttpOptions::default()).await;
    let _ = server.session(NEWEST).await;
    let call = tool(1, "echo", &json!({}));
    let version = ("mcp-protocol-version", NEWEST);
    let answer = post(&server.url, &[version], &call).await;
    assert_eq!(
        (answer.status, answer.code(), &answer.json()["id"]),
        (400, -32600, &json!(1))
    );
    for unknown in ["nonsense", "a b", "\u{80}"] {
        let answer = post(&server.url, &[version, ("mcp-session-id", unknown)], &call).await;
        assert!(matches!(answer.status, 400 | 404), "{unknown:?}");
    }
    let headers = [version, ("mcp-session-id", "nonsense")];
    assert_eq!(post(&server.url, &headers, &call).await.status, 404);
    assert_eq!(
        post(&server.url, &headers, &initialize(NEWEST))
            .await
            .status,
        404
    );
    for method in [Method::GET, Method::DELETE] {
        assert_eq!(
            request(method.clone(), &server.url, &headers, "")
                .await
                .status,
            404
        );
        assert_eq!(
            request(method, &server.url, &[version], "").await.status,
            400
        );
    }
    assert_eq!(server.service.session_count(), 1);
    server.stop().await;
}

#[tokio::test]
async fn http_16_a_session_that_was_deleted_is_gone() {
    let (server, session) = Server::greeted(NEWEST).await;
    let stream = send(Method::GET, &server.url, &refs(&session), "").await;
    assert_eq!(delete(&server, &session).await.status, 204);
    // Its stream ends.
    assert!(crate::support::whole(stream).await.events().is_empty());
    assert_eq!(
        post(&server.url, &refs(&session), &tool(1, "echo", &json!({})))
            .await
            .status,
        404
    );
    assert_eq!(delete(&server, &session).await.status, 404);
    assert_eq!(server.service.session_count(), 0);
    server.stop().await;
}

#[tokio::test]
async fn life_10_a_second_initialize_is_refused_and_the_session_stays() {
    let server = Server::start(HttpOptions::default()).await;
    let session = server.session(NEWEST).await;
    let answer = post(&server.url, &refs(&session), &initialize(NEWEST)).await;
    assert_eq!((answer.status, answer.code()), (400, -32600));
    let answer = post(&server.url, &refs(&session), &tool(1, "echo", &json!({}))).await;
    assert_eq!(answer.status, 200);
    server.stop().await;
}

#[tokio::test]
async fn http_22_http_23_bad_version_headers_are_400_and_a_missing_one_is_known_by_the_session() {
    let server = Server::start(HttpOptions::default()).await;
    let session = server.session("2025-06-18").await;
    let id = session[0].clone();
    let call = tool(1, "echo", &json!({}));
    for bad in ["1900-01-01", "not-a-version"] {
        let headers = [
            ("mcp-session-id", id.1.as_str()),
            ("mcp-protocol-version", bad),
        ];
        assert_eq!(
            post(&server.url, &headers, &call).await.status,
            400,
            "{bad}"
        );
        assert_eq!(
            request(Method::GET, &server.url, &headers, "").await.status,
            400
        );
        assert_eq!(
            request(Method::DELETE, &server.url, &headers, "")
                .await
                .status,
            400
        );
    }
    let answer = post(&server.url, &[("mcp-session-id", &id.1)], &call).await;
    assert_eq!(answer.status, 200);
    assert_eq!(
        server.probe.versions.lock().unwrap().as_slice(),
        ["2025-06-18"]
    );
    server.stop().await;
}

#[tokio::test]
async fn http_23_without_sessions_a_missing_version_means_2025_03_26() {
    let server = Server::start(HttpOptions::default().without_sessions()).await;
    let answer = post(&server.url, &[], &initialize("2025-06-18")).await;
    assert_eq!(answer.status, 200);
    assert!(!answer.headers.contains_key("mcp-session-id"));
    let call = tool(1, "echo", &json!({}));
    assert_eq!(post(&server.url, &[], &call).await.status, 200);
    let named = [("mcp-protocol-version", "2025-06-18")];
    assert_eq!(post(&server.url, &named, &call).await.status, 200);
    assert_eq!(
        server.probe.versions.lock().unwrap().as_slice(),
        ["2025-03-26", "2025-06-18"]
    );
    for method in [Method::GET, Method::DELETE] {
        assert_eq!(request(method, &server.url, &named, "").await.status, 405);
    }
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(post(&server.url, &named, &initialized).await.status, 202);
    server.stop().await;
}

#[tokio::test]
async fn http_05_http_06_notifications_and_answers_are_accepted_without_a_body_or_refused_without_id()
 {
    let mut server = Server::start(HttpOptions::default()).await;
    let session = server.session(NEWEST).await;
    for message in [
        json!({"jsonrpc": "2.0", "method": "notifications/x", "params": {"n": 1}}),
        json!({"jsonrpc": "2.0", "id": 99, "result": {}}),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}}),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled"}),
    ] {
        server.tell(&session, &message).await;
    }
    assert!(server.next().await.starts_with("notifications/initialized"));
    assert_eq!(server.next().await, r#"notifications/x {"n":1}"#);
    let lost = [("mcp-session-id", "nonsense")];
    let note = json!({"jsonrpc": "2.0", "method": "notifications/x"});
    let answer = post(&server.url, &lost, &note).await;
    assert_eq!(answer.status, 404);
    assert!(answer.json().get("id").is_none());
    let bad = json!({"jsonrpc": "2.0", "id": 1, "result": {}, "error": {"code": 1, "message": ""}});
    assert_eq!(post(&server.url, &refs(&session), &bad).await.status, 400);
    server.stop().await;
}

#[tokio::test]
async fn notifications_reach_the_handler_in_the_order_in_which_they_were_accepted() {
    let mut server = Server::start(HttpOptions::default()).await;
    let session = server.session(NEWEST).await;
    for n in 0..50 {
        let note = json!({"jsonrpc": "2.0", "method": "notifications/n", "params": {"n": n}});
        server.tell(&session, &note).await;
    }
    assert!(server.next().await.starts_with("notifications/initialized"));
    for n in 0..50 {
        assert_eq!(
            server.next().await,
            format!(r#"notifications/n {{"n":{n}}}"#)
        );
    }
    server.stop().await;
}

#[tokio::test]
async fn http_04_http_42_json_when_nothing_was_sent_and_else_a_stream_that_ends() {
    let server = Server::start(HttpOptions::default()).await;
    let session = server.session(NEWEST).await;
    let answer = post(
        &server.url,
        &refs(&session),
        &tool("x", "echo", &json!({"b": 2})),
    )
    .await;
    assert_eq!(answer.json()["id"], "x");
    assert_eq!(answer.content_type(), "application/json");
    let answer = post(
        &server.url,
        &refs(&session),
        &tool(2, "progress", &json!({})),
    )
    .await;
    assert_eq!(answer.events().len(), 4);
    let answer = post(&server.url, &refs(&session), &tool(3, "panic", &json!({}))).await;
    assert_eq!((answer.status, answer.code()), (200, -32603));
    let ping = json!({"jsonrpc": "2.0", "id": 4, "method": "ping"});
    let answer = post(&server.url, &refs(&session), &ping).await;
    assert_eq!(
        answer.json(),
        json!({"jsonrpc": "2.0", "id": 4, "result": {}})
    );
    let discover = json!({"jsonrpc": "2.0", "id": 5, "method": "server/discover"});
    let answer = post(&server.url, &refs(&session), &discover).await;
    assert_eq!((answer.status, answer.code()), (200, -32601));
    server.stop().await;
}

#[tokio::test]
async fn http_56_several_streams_of_one_session_work_at_once() {
    let server = Server::start(HttpOptions::default()).await;
    let session = server.session(NEWEST).await;
    let calls = (0..10).map(|n| {
        let (url, session) = (server.url.clone(), session.clone());
        async move {
            let answer = post(&url, &refs(&session), &tool(n, "progress", &json!({}))).await;
            assert_eq!(answer.events()[3]["id"], n);
        }
    });
    futures_util::future::join_all(calls).await;
    server.stop().await;
}

#[tokio::test]
async fn http_08_http_43_the_stream_of_a_session_carries_what_belongs_to_no_request() {
    let server = Server::start(HttpOptions::default()).await;
    let session = server.session(NEWEST).await;
    // Sent before the stream is there: the request whose channel it was is over.
    let answer = post(&server.url, &refs(&session), &tool(1, "later", &json!({}))).await;
    assert_eq!(answer.status, 200);
    let mut first = send(Method::GET, &server.url, &refs(&session), "").await;
    assert_eq!(first.headers()["content-type"], "text/event-stream");
    let events = read_events(&mut first, 1).await;
    assert_eq!(events[0]["method"], "notifications/tools/list_changed");
    // A second stream replaces the first, so that nothing comes twice.
    let mut second = send(Method::GET, &server.url, &refs(&session), "").await;
    assert!(crate::support::whole(first).await.events().is_empty());
    post(&server.url, &refs(&session), &tool(2, "later", &json!({}))).await;
    assert_eq!(read_events(&mut second, 1).await.len(), 1);
    let accept = [&refs(&session)[..], &[("accept", "application/json")]].concat();
    assert_eq!(
        request(Method::GET, &server.url, &accept, "").await.status,
        406
    );
    server.stop().await;
}

#[tokio::test]
async fn j16_batches_where_the_revision_has_them() {
    let (mut server, session) = Server::greeted("2025-03-26").await;
    let batch = json!([
        tool(1, "echo", &json!({})),
        {"jsonrpc": "2.0", "id": 2, "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/x"},
        {"jsonrpc": "2.0", "id": 3},
        initialize("2025-03-26"),
        tool(1, "echo", &json!({})),
    ]);
    let answer = post(&server.url, &refs(&session), &batch).await;
    assert_eq!(server.next().await, "notifications/x ");
    let mut kinds: Vec<(Value, i64)> = answer
        .json()
        .as_array()
        .unwrap()
        .iter()
        .map(|a| (a["id"].clone(), a["error"]["code"].as_i64().unwrap_or(0)))
        .collect();
    kinds.sort_by_key(|(id, code)| (id.as_i64(), *code));
    assert_eq!(
        kinds,
        [
            (json!(0), -32600),
            (json!(1), -32600),
            (json!(1), 0),
            (json!(2), 0),
            (json!(3), -32600),
        ]
    );
    let streamed = json!([tool(1, "progress", &json!({})), tool(2, "echo", &json!({}))]);
    let answer = post(&server.url, &refs(&session), &streamed).await;
    assert_eq!(answer.events().len(), 5);
    let quiet = json!([{"jsonrpc": "2.0", "method": "notifications/x"}]);
    server.tell(&session, &quiet).await;
    let newer = server.session("2025-06-18").await;
    let answer = post(&server.url, &refs(&newer), &batch).await;
    assert_eq!((answer.status, answer.code()), (400, -32600));
    server.stop().await;
}

#[tokio::test]
async fn life_28_both_eras_at_once() {
    let server = Server::start(HttpOptions::default()).await;
    let session = server.session(NEWEST).await;
    let (headers, body) = modern("tools/list", json!({}));
    for _ in 0..3 {
        assert_eq!(post(&server.url, &refs(&headers), &body).await.status, 200);
        let call = tool(1, "echo", &json!({}));
        assert_eq!(post(&server.url, &refs(&session), &call).await.status, 200);
    }
    assert_eq!(server.service.session_count(), 1);
    server.stop().await;
}
