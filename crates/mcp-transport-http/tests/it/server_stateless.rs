//! The server with requests that stand alone, as since 2026-07-28.

use std::sync::Arc;

use http::Method;
use mcp_protocol::ParamHeader;
use mcp_protocol::lifecycle::{ParamHeadersOf, ServerIdentity};
use mcp_transport_http::HttpOptions;
use serde_json::{Value, json};

use crate::support::{
    MODERN, Server, identity, modern, post, post_modern, read_events, refs, request, send,
};

fn call(name: &str) -> Value {
    json!({"name": name, "arguments": {"a": 1}})
}

#[tokio::test]
async fn http_04_a_handler_that_sends_nothing_is_answered_as_json() {
    let server = Server::start(HttpOptions::default()).await;
    let answer = post_modern(&server.url, "tools/call", call("echo")).await;
    assert_eq!(
        (answer.status, answer.content_type()),
        (200, "application/json")
    );
    assert_eq!(answer.json()["id"], "m");
    assert_eq!(answer.json()["result"]["content"][0]["text"], r#"{"a":1}"#);
    assert!(answer.headers.contains_key("content-length"));
    server.stop().await;
}

#[tokio::test]
async fn http_41_what_a_handler_sends_comes_before_its_answer_and_the_stream_ends() {
    let server = Server::start(HttpOptions::default()).await;
    let answer = post_modern(&server.url, "tools/call", call("progress")).await;
    let events = answer.events();
    let progress: Vec<_> = events
        .iter()
        .map(|e| e["params"]["progress"].as_i64())
        .collect();
    assert_eq!(progress, [Some(1), Some(2), Some(3), None]);
    assert_eq!(events[0]["params"]["progressToken"], "p");
    assert_eq!(events[3]["id"], "m");
    assert!(
        !answer.body.starts_with(b"id:"),
        "this revision has no event ids"
    );
    server.stop().await;
}

#[tokio::test]
async fn http_41_a_request_by_the_server_is_refused_here() {
    let server = Server::start(HttpOptions::default()).await;
    let answer = post_modern(&server.url, "tools/call", call("ask")).await;
    assert_eq!(answer.content_type(), "application/json");
    assert!(
        answer.json()["result"]["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("NotSent")
    );
    server.stop().await;
}

#[tokio::test(start_paused = true)]
async fn http_50_a_stream_is_neither_cached_nor_buffered_and_shows_that_it_lives() {
    use http_body_util::BodyExt as _;
    let server = Server::start(HttpOptions::default()).await;
    let (headers, body) = modern("tools/call", call("progress then wait"));
    let mut response = send(Method::POST, &server.url, &refs(&headers), body.to_string()).await;
    assert_eq!(response.headers()["cache-control"], "no-cache");
    assert_eq!(response.headers()["x-accel-buffering"], "no");
    read_events(&mut response, 1).await;
    let begin = tokio::time::Instant::now();
    for n in 1..=2 {
        let frame = response.body_mut().frame().await.unwrap().unwrap();
        assert!(frame.into_data().unwrap().starts_with(b":"));
        assert!(begin.elapsed().as_secs() >= 15 * n);
    }
    drop(response);
    server.stop().await;
}

#[tokio::test]
async fn the_messages_of_a_flood_all_come_in_their_order() {
    let server = Server::start(HttpOptions::default()).await;
    let answer = post_modern(&server.url, "tools/call", call("flood")).await;
    let events = answer.events();
    assert_eq!(events.len(), 2001);
    assert!((0..2000).all(|n| events[n]["params"]["data"] == n));
    server.stop().await;
}

#[tokio::test]
async fn http_27_missing_meta_members_are_invalid_params() {
    let server = Server::start(HttpOptions::default()).await;
    for gone in ["protocolVersion", "clientCapabilities"] {
        let (headers, mut body) = modern("tools/list", json!({}));
        let meta = body["params"]["_meta"].as_object_mut().unwrap();
        meta.remove(&format!("io.modelcontextprotocol/{gone}"))
            .unwrap();
        let answer = post(&server.url, &refs(&headers), &body).await;
        assert_eq!((answer.status, answer.code()), (400, -32602), "{gone}");
        assert_eq!(answer.json()["id"], "m");
    }
    let (headers, mut body) = modern("tools/list", json!({}));
    body.as_object_mut().unwrap().remove("params");
    let answer = post(&server.url, &refs(&headers), &body).await;
    assert_eq!((answer.status, answer.code()), (400, -32602));
    // Neither era can be told.
    let answer = post(&server.url, &[], &body).await;
    assert_eq!((answer.status, answer.code()), (400, -32602));
    server.stop().await;
}

#[tokio::test]
async fn http_25_h05_the_version_header_must_be_there_once_and_equal_the_body() {
    let server = Server::start(HttpOptions::default()).await;
    let (_, body) = modern("tools/list", json!({}));
    let method = ("mcp-method", "tools/list");
    let wrong: [&[(&str, &str)]; 5] = [
        &[method],
        &[method, ("mcp-protocol-version", "2025-11-25")],
        &[method, ("mcp-protocol-version", "1900-01-01")],
        &[method, ("mcp-protocol-version", "not-a-version")],
        &[
            method,
            ("mcp-protocol-version", MODERN),
            ("mcp-protocol-version", MODERN),
        ],
    ];
    for headers in wrong {
        let answer = post(&server.url, headers, &body).await;
        assert_eq!((answer.status, answer.code()), (400, -32020), "{headers:?}");
        assert_eq!(answer.json()["id"], "m");
    }
    let good = [
        ("MCP-Method", " tools/list "),
        ("mCp-PrOtOcOl-VeRsIoN", "2026-07-28  "),
    ];
    assert_eq!(post(&server.url, &good, &body).await.status, 200);
    server.stop().await;
}

#[tokio::test]
async fn http_26_an_unsupported_version_is_named_with_those_that_are() {
    let server = Server::start(HttpOptions::default()).await;
    for version in ["v999.0.0", "2025-11-25"] {
        let (_, mut body) = modern("tools/list", json!({}));
        body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!(version);
        let headers = [
            ("mcp-protocol-version", version),
            ("mcp-method", "tools/list"),
        ];
        let answer = post(&server.url, &headers, &body).await;
        assert_eq!((answer.status, answer.code()), (400, -32022), "{version}");
        let data = &answer.json()["error"]["data"];
        assert_eq!(data["requested"], version);
        assert_eq!(data["supported"][0], MODERN);
        assert_eq!(answer.json()["id"], "m");
    }
    server.stop().await;
}

#[tokio::test]
async fn http_28_http_29_http_59_codes_that_have_a_status_of_their_own() {
    let server = Server::start(HttpOptions::default()).await;
    let answer = post_modern(&server.url, "tools/call", call("capability")).await;
    assert_eq!((answer.status, answer.code()), (400, -32021));
    for method in [
        "no/such",
        "ping",
        "initialize",
        "logging/setLevel",
        "resources/subscribe",
    ] {
        let answer = post_modern(&server.url, method, json!({})).await;
        assert_eq!((answer.status, answer.code()), (404, -32601), "{method}");
        assert_eq!(answer.json()["id"], "m");
    }
    let answer = post_modern(&server.url, "tools/call", call("unknown")).await;
    assert_eq!((answer.status, answer.code()), (200, -32602));
    let answer = post_modern(&server.url, "tools/call", call("panic")).await;
    assert_eq!((answer.status, answer.code()), (200, -32603));
    server.stop().await;
}

#[tokio::test]
async fn http_31_http_55_names_are_checked_after_the_version_and_before_the_method() {
    let server = Server::start(HttpOptions::default()).await;
    let (_, body) = modern("tools/call", call("echo"));
    let version = ("mcp-protocol-version", MODERN);
    let wrong: [&[(&str, &str)]; 4] = [
        &[version, ("mcp-name", "echo")],
        &[version, ("mcp-method", "tools/call")],
        &[version, ("mcp-method", "TOOLS/CALL"), ("mcp-name", "echo")],
        &[
            version,
            ("mcp-method", "tools/call"),
            ("mcp-name", "=?base64?ZWNo?="),
        ],
    ];
    for headers in wrong {
        let answer = post(&server.url, headers, &body).await;
        assert_eq!((answer.status, answer.code()), (400, -32020), "{headers:?}");
    }
    let encoded = [
        version,
        ("mcp-method", "tools/call"),
        ("mcp-name", "=?base64?ZWNobw==?="),
    ];
    assert_eq!(post(&server.url, &encoded, &body).await.status, 200);

    let (_, unknown) = modern("no/such", json!({}));
    let answer = post(&server.url, &[version, ("mcp-method", "other")], &unknown).await;
    assert_eq!((answer.status, answer.code()), (400, -32020));
    server.stop().await;
}

#[tokio::test]
async fn http_36_marked_arguments_are_checked_where_the_server_knows_them() {
    let of = ParamHeadersOf::new(|tool| match tool {
        "echo" => Arc::new([ParamHeader::new("A", vec!["a".to_owned()])]),
        _ => Arc::default(),
    });
    let known = ServerIdentity::clone(&identity()).with_param_headers(of);
    let server = Server::with(Arc::new(known), HttpOptions::default()).await;
    let (headers, body) = modern("tools/call", call("echo"));
    let headers = refs(&headers);
    let answer = post(&server.url, &headers, &body).await;
    assert_eq!((answer.status, answer.code()), (400, -32020));
    let with = [&headers[..], &[("Mcp-Param-A", "1.0")]].concat();
    assert_eq!(post(&server.url, &with, &body).await.status, 200);
    server.stop().await;
}

#[tokio::test]
async fn life_18_discover_is_answered_and_life_28_no_session_is_made() {
    let server = Server::start(HttpOptions::default()).await;
    let answer = post_modern(&server.url, "server/discover", json!({})).await;
    assert_eq!(answer.status, 200);
    let result = &answer.json()["result"];
    assert_eq!(result["supportedVersions"][0], MODERN);
    assert_eq!(result["resultType"], "complete");
    assert_eq!(
        result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"],
        "probe"
    );
    assert!(!answer.headers.contains_key("mcp-session-id"));
    assert_eq!(server.service.session_count(), 0);
    server.stop().await;
}

#[tokio::test]
async fn http_20_session_and_event_ids_are_ignored() {
    let server = Server::start(HttpOptions::default()).await;
    let (headers, body) = modern("tools/list", json!({}));
    let more = [("mcp-session-id", "nonsense"), ("last-event-id", "7")];
    let answer = post(&server.url, &[&refs(&headers)[..], &more].concat(), &body).await;
    assert_eq!(answer.status, 200);
    assert!(!answer.headers.contains_key("mcp-session-id"));
    server.stop().await;
}

#[tokio::test]
async fn http_09_get_and_delete_are_not_offered_here() {
    let server = Server::start(HttpOptions::default()).await;
    for method in [Method::GET, Method::DELETE] {
        let headers = [("mcp-protocol-version", MODERN)];
        let answer = request(method, &server.url, &headers, "").await;
        assert_eq!(answer.status, 405);
        assert_eq!(answer.headers["allow"], "POST");
    }
    server.stop().await;
}

#[tokio::test]
async fn http_57_answers_are_refused_and_cancellations_have_no_effect() {
    let server = Server::start(HttpOptions::default()).await;
    let version = [("mcp-protocol-version", MODERN)];
    let response = json!({"jsonrpc": "2.0", "id": 1, "result": {}});
    let answer = post(&server.url, &version, &response).await;
    assert_eq!((answer.status, answer.code()), (400, -32600));
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "m"}});
    let answer = post(&server.url, &version, &cancel).await;
    assert_eq!((answer.status, answer.body.len()), (202, 0));
    server.stop().await;
}

#[tokio::test]
async fn http_39_a_client_that_goes_cancels_before_and_after_the_head() {
    let mut server = Server::start(HttpOptions::default()).await;
    let (headers, body) = modern("tools/call", call("wait"));
    // Before the head: the connection is closed while the handler waits.
    let sending = {
        let (url, headers, body) = (server.url.clone(), headers.clone(), body.to_string());
        tokio::spawn(async move { send(Method::POST, &url, &refs(&headers), body).await })
    };
    assert_eq!(server.next().await, "waiting");
    sending.abort();
    assert_eq!(server.next().await, "dropped");
    server.stop().await;
}

#[tokio::test]
async fn http_39_dropping_a_stream_cancels_its_handler() {
    let mut server = Server::start(HttpOptions::default()).await;
    let (headers, body) = modern("tools/call", call("progress then wait"));
    let mut response = send(Method::POST, &server.url, &refs(&headers), body.to_string()).await;
    assert_eq!(
        read_events(&mut response, 1).await[0]["params"]["progress"],
        1
    );
    assert_eq!(server.next().await, "waiting");
    drop(response);
    assert_eq!(server.next().await, "dropped");
    server.stop().await;
}

#[tokio::test]
async fn j05_equal_ids_of_two_clients_never_cross() {
    let server = Server::start(HttpOptions::default()).await;
    let calls = (0..100).map(|n| {
        let url = server.url.clone();
        async move {
            let params = json!({"name": "echo", "arguments": {"secret": n}});
            let answer = post_modern(&url, "tools/call", params).await;
            let text = answer.json()["result"]["content"][0]["text"].clone();
            assert_eq!(text, json!({"secret": n}).to_string());
        }
    });
    futures_util::future::join_all(calls).await;
    server.stop().await;
}

#[tokio::test]
async fn the_parts_of_the_request_are_there_for_the_handler() {
    let server = Server::start(HttpOptions::default()).await;
    let (headers, body) = modern("tools/call", call("header"));
    let answer = post(
        &server.url,
        &[&refs(&headers)[..], &[("x-own", "1")]].concat(),
        &body,
    )
    .await;
    assert_eq!(answer.json()["result"]["content"][0]["text"], "\"1\"");
    server.stop().await;
}

#[tokio::test]
async fn too_many_requests_at_once_are_sent_away() {
    let mut server = Server::start(HttpOptions::default().max_in_flight(1)).await;
    let url = server.url.clone();
    let first = tokio::spawn(async move { post_modern(&url, "tools/call", call("wait")).await });
    assert_eq!(server.next().await, "waiting");
    let answer = post_modern(&server.url, "tools/call", call("echo")).await;
    assert_eq!((answer.status, answer.code()), (503, -32603));
    assert_eq!(answer.headers["retry-after"], "1");
    server.probe.go.notify_one();
    assert_eq!(first.await.unwrap().status, 200);
    assert_eq!(
        post_modern(&server.url, "tools/call", call("echo"))
            .await
            .status,
        200
    );
    server.stop().await;
}

#[tokio::test]
async fn a_subscription_is_answered_when_the_server_ends() {
    let mut server = Server::start(HttpOptions::default().any_path()).await;
    let url = server.url.replace("/mcp", "/elsewhere");
    let (headers, body) = modern("subscriptions/listen", json!({"notifications": {}}));
    let headers = refs(&headers);
    let streaming = request(Method::POST, &url, &headers, body.to_string());
    let mut only_json = headers.clone();
    only_json.push(("accept", "application/json"));
    let plain = request(Method::POST, &url, &only_json, body.to_string());
    let ending = async {
        assert_eq!(server.next().await, "waiting");
        assert_eq!(server.next().await, "waiting");
        server.stop().await;
    };
    let (streamed, plain, ()) = tokio::join!(streaming, plain, ending);
    let events = streamed.events();
    assert_eq!(
        events[0]["method"],
        "notifications/subscriptions/acknowledged"
    );
    assert_eq!(events.len(), 2, "{events:?}");
    for answer in [&events[1], &plain.json()] {
        assert_eq!(answer["id"], "m");
        let result = &answer["result"];
        assert_eq!(result["resultType"], "complete");
        assert_eq!(
            result["_meta"]["io.modelcontextprotocol/subscriptionId"],
            "m"
        );
        assert_eq!(
            result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"],
            "probe"
        );
    }
}
