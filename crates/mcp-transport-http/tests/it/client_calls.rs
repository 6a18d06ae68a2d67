//! The client's calls: what it sends, how it reads answers, what a refusal means.

use http::HeaderMap;
use mcp_jsonrpc::{Id, Notification};
use mcp_transport::{Call, CallError, CallId, Channel as _, Delivery, TransportErrorKind};
use mcp_transport_http::HttpTransport;
use serde_json::json;

use crate::client_support::{Client, modern_call};
use crate::script::{Reply, Script, json_body, result, result_event, status, stream, text, usual};

#[tokio::test]
async fn http_01_http_02_http_24_http_30_a_request_that_stands_alone_says_so_in_its_headers() {
    let script = Script::start(|seen| result(seen, &json!({"ok": true}))).await;
    let client = Client::new(&script.url);
    let mut call = modern_call("tools/call", Some("größe"));
    call.mirror.params = vec![("Region".to_owned(), "eu".to_owned())];
    let id = CallId::new();
    call.id = Some(id.clone());
    client.channel.call(call).await.unwrap();
    let seen = &script.seen()[0];
    assert_eq!(seen.method, "POST");
    assert_eq!(seen.header("content-type"), Some("application/json"));
    assert_eq!(
        seen.header("accept"),
        Some("application/json, text/event-stream")
    );
    assert_eq!(seen.header("mcp-protocol-version"), Some("2026-07-28"));
    assert_eq!(seen.header("mcp-method"), Some("tools/call"));
    assert_eq!(seen.header("mcp-name"), Some("=?base64?Z3LDtsOfZQ==?="));
    assert_eq!(seen.header("mcp-param-region"), Some("eu"));
    assert!(seen.header("host").unwrap().starts_with("127.0.0.1:"));
    assert_eq!(seen.body["jsonrpc"], "2.0");
    assert_eq!(id.get(), Some(&Id::from(1)));
    client.channel.close().await;
    assert_eq!(script.kinds(), ["tools/call"]);
}

#[tokio::test]
async fn http_24_http_30_each_call_has_headers_of_its_own_whatever_the_call_before_it_had() {
    let script = Script::start(|seen| result(seen, &json!({}))).await;
    let client = Client::new(&script.url);
    let calls = [
        ("tools/call", Some("a"), None),
        ("tools/call", Some("b"), Some("eu")),
        ("tools/call", Some("a"), None),
        ("tools/list", None, None),
        ("tools/call", None, None),
        ("prompts/get", Some("a"), None),
    ];
    for (method, name, region) in calls {
        let mut call = modern_call(method, name);
        if let Some(region) = region {
            call.mirror.params = vec![("Region".to_owned(), region.to_owned())];
            let extra = HeaderMap::from_iter([("x-own".parse().unwrap(), region.parse().unwrap())]);
            call.extensions.insert::<HeaderMap>(extra);
        }
        client.channel.call(call).await.unwrap();
    }
    for (seen, (method, name, region)) in script.seen().iter().zip(calls) {
        assert_eq!(seen.header("mcp-method"), Some(method));
        assert_eq!(seen.header("mcp-name"), name);
        assert_eq!(seen.header("mcp-param-region"), region);
        assert_eq!(seen.header("x-own"), region);
        assert_eq!(seen.header("content-type"), Some("application/json"));
        assert_eq!(seen.header("mcp-protocol-version"), Some("2026-07-28"));
    }
}

#[tokio::test]
async fn http_14_http_21_h05_session_and_negotiated_version_are_on_everything_after_initialize() {
    let mut script =
        Script::start(|seen| usual(seen, "2025-06-18").unwrap_or_else(|| result(seen, &json!({}))))
            .await;
    let client = Client::handshake(&script.url, "2025-06-18").await;
    script.next("GET").await;
    client.call("tools/list").await.unwrap();
    client.channel.close().await;
    let seen = script.seen();
    assert_eq!(seen[0].kind(), "initialize");
    assert_eq!(seen[0].header("mcp-session-id"), None);
    assert_eq!(seen[0].header("mcp-protocol-version"), None);
    for later in &seen[1..] {
        assert_eq!(later.header("mcp-session-id"), Some("s-1"), "{later:?}");
        assert_eq!(
            later.header("mcp-protocol-version"),
            Some("2025-06-18"),
            "{later:?}"
        );
    }
    let get = seen.iter().find(|seen| seen.kind() == "GET").unwrap();
    assert_eq!(get.header("accept"), Some("text/event-stream"));
    let mut kinds = script.kinds();
    kinds.retain(|kind| kind != "GET");
    assert_eq!(
        kinds,
        [
            "initialize",
            "notifications/initialized",
            "tools/list",
            "DELETE"
        ]
    );
}

#[tokio::test]
async fn http_19_a_server_without_sessions_works_and_nothing_is_deleted() {
    let script = Script::start(|seen| {
        let mut reply = usual(seen, "2025-11-25").unwrap_or_else(|| result(seen, &json!({})));
        reply.headers_mut().remove("mcp-session-id");
        reply
    })
    .await;
    let client = Client::handshake(&script.url, "2025-11-25").await;
    client.call("tools/list").await.unwrap();
    client.channel.close().await;
    assert!(
        script
            .seen()
            .iter()
            .all(|seen| seen.header("mcp-session-id").is_none())
    );
    assert!(!script.kinds().contains(&"DELETE".to_owned()));
}

#[tokio::test]
async fn http_13_a_session_id_that_no_header_may_carry_is_ignored() {
    let script = Script::start(|seen| {
        let mut reply = usual(seen, "2025-11-25").unwrap_or_else(|| result(seen, &json!({})));
        let bad = http::HeaderValue::from_bytes(b"a b\x80").unwrap();
        reply.headers_mut().insert("mcp-session-id", bad);
        reply
    })
    .await;
    let client = Client::handshake(&script.url, "2025-11-25").await;
    client.call("tools/list").await.unwrap();
    assert!(
        script
            .seen()
            .iter()
            .all(|seen| seen.header("mcp-session-id").is_none())
    );
    client.channel.close().await;
}

#[tokio::test]
async fn http_03_answers_come_as_json_or_as_a_stream() {
    let script = Script::start(|seen| match seen.kind() {
        "json" => result(seen, &json!({"n": 1})),
        "charset" => {
            let body = json!({"jsonrpc": "2.0", "id": seen.body["id"], "result": {"n": 2}});
            text(200, "Application/JSON; charset=utf-8", body.to_string())
        }
        _ => stream(format!(
            ": hi\n\nevent: ping\ndata: ping\n\n{}",
            result_event(&seen.body["id"], &json!({"n": 3}))
        )),
    })
    .await;
    let client = Client::new(&script.url);
    assert_eq!(client.call("json").await.unwrap()["n"], 1);
    assert_eq!(client.call("charset").await.unwrap()["n"], 2);
    assert_eq!(client.call("events").await.unwrap()["n"], 3);
    client.channel.close().await;
}

#[tokio::test]
async fn many_calls_at_once_each_get_their_own_answer() {
    let script = Script::start(|seen| {
        let answer = json!({"echo": seen.body["id"]});
        if seen.body["id"].as_i64().unwrap() % 2 == 0 {
            result(seen, &answer)
        } else {
            stream(result_event(&seen.body["id"], &answer))
        }
    })
    .await;
    let client = Client::new(&script.url);
    let answers = futures_util::future::join_all((0..100).map(|_| client.call("x"))).await;
    let mut ids: Vec<i64> = answers
        .into_iter()
        .map(|a| a.unwrap()["echo"].as_i64().unwrap())
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, (1..=100).collect::<Vec<_>>());
    client.channel.close().await;
}

#[tokio::test]
async fn h14_an_error_object_reaches_its_caller_whatever_the_status() {
    let error = |seen: &crate::script::Seen, code: i64| json!({"jsonrpc": "2.0", "id": seen.body["id"], "error": {"code": code, "message": "no"}});
    let script = Script::start(move |seen| match seen.kind() {
        "ok" => json_body(200, &error(seen, -32602)),
        "bad" => json_body(400, &error(seen, -32020)),
        "no-id" => json_body(
            400,
            &json!({"jsonrpc": "2.0", "error": {"code": -32600, "message": "no"}}),
        ),
        "missing" => json_body(404, &error(seen, -32601)),
        "html" => text(500, "text/html", "<h1>Oops</h1>"),
        "empty" => status(503),
        _ => result(seen, &json!({})),
    })
    .await;
    let client = Client::new(&script.url);
    let CallError::Remote(error) = client.call("ok").await.unwrap_err() else {
        panic!()
    };
    assert_eq!(error.code.0, -32602);
    for (method, status, code) in [
        ("bad", 400, Some(-32020)),
        ("no-id", 400, Some(-32600)),
        ("missing", 404, Some(-32601)),
        ("html", 500, None),
        ("empty", 503, None),
    ] {
        let error = client.call(method).await.unwrap_err();
        let delivery = error.delivery();
        let CallError::Rejected(rejection) = error else {
            panic!("{method}")
        };
        assert_eq!(rejection.status, status);
        assert_eq!(rejection.error.as_ref().map(|e| e.code.0), code, "{method}");
        assert!(!rejection.session_lost);
        let expected = if status < 500 {
            Delivery::NotSent
        } else {
            Delivery::Unknown
        };
        assert_eq!(delivery, expected);
    }
    assert!(
        client
            .call("html")
            .await
            .unwrap_err()
            .to_string()
            .contains("<h1>Oops</h1>")
    );
    client.call("fine").await.unwrap();
    client.channel.close().await;
}

#[tokio::test]
async fn h14_a_success_that_is_no_answer_fails_that_call_only() {
    let script = Script::start(|seen| match seen.kind() {
        "empty" => text(200, "application/json", ""),
        "html" => text(200, "text/html", "<html>"),
        "accepted" => status(202),
        "other" => json_body(200, &json!({"jsonrpc": "2.0", "id": "other", "result": {}})),
        "broken" => json_body(
            200,
            &json!({"jsonrpc": "2.0", "id": seen.body["id"], "error": {"code": "x"}}),
        ),
        "cut" => stream("data: {"),
        _ => result(seen, &json!({})),
    })
    .await;
    let client = Client::new(&script.url);
    for method in ["empty", "html", "accepted", "other", "broken", "cut"] {
        let error = client.call(method).await.unwrap_err();
        assert_eq!(error.delivery(), Delivery::Unknown, "{method}: {error:?}");
        assert!(
            matches!(error, CallError::Malformed(_) | CallError::Closed { .. }),
            "{method}"
        );
    }
    client.call("fine").await.unwrap();
    client.channel.close().await;
}

#[tokio::test]
async fn h14_any_success_accepts_a_notification() {
    let script = Script::start(|seen| match seen.kind() {
        "n/202" => text(202, "text/plain", "thanks"),
        "n/200" => text(200, "application/json", ""),
        "n/204" => status(204),
        _ => json_body(
            400,
            &json!({"jsonrpc": "2.0", "error": {"code": -32600, "message": "no"}}),
        ),
    })
    .await;
    let client = Client::new(&script.url);
    for method in ["n/202", "n/200", "n/204"] {
        client
            .channel
            .notify(Notification::new(method, None))
            .await
            .unwrap();
    }
    let error = client
        .channel
        .notify(Notification::new("n/bad", None))
        .await
        .unwrap_err();
    assert!(matches!(error, CallError::Rejected(r) if r.error.is_some()));
    client.channel.close().await;
}

#[tokio::test]
async fn int_04_headers_of_a_call_win_over_those_of_the_channel_but_not_over_the_protocol() {
    let script = Script::start(|seen| result(seen, &json!({}))).await;
    let transport = HttpTransport::builder(&script.url)
        .header("Authorization", "Bearer channel")
        .header("X-Base", "b")
        .build()
        .unwrap();
    assert!(!format!("{transport:?}").contains("Bearer channel"));
    let client = Client::of(&transport);
    let mut call = modern_call("tools/call", Some("x"));
    let mut own = HeaderMap::new();
    for (name, value) in [
        ("authorization", "Bearer call"),
        ("mcp-method", "evil"),
        ("mcp-name", "evil"),
        ("mcp-protocol-version", "evil"),
        ("accept", "evil"),
        ("mcp-session-id", "evil"),
        ("mcp-param-a", "evil"),
    ] {
        own.insert(name, value.parse().unwrap());
    }
    call.extensions.insert(own);
    client.channel.call(call).await.unwrap();
    let seen = &script.seen()[0];
    assert_eq!(seen.header("authorization"), Some("Bearer call"));
    assert_eq!(seen.header("x-base"), Some("b"));
    assert_eq!(seen.header("mcp-method"), Some("tools/call"));
    let evil = seen
        .headers
        .values()
        .filter(|v| v.as_bytes() == b"evil")
        .count();
    assert_eq!(evil, 0, "{:?}", seen.headers);
    client.channel.close().await;
}

#[tokio::test]
async fn bad_settings_are_told_before_anything_is_sent() {
    let err = |builder: mcp_transport_http::HttpTransportBuilder| {
        builder.build().unwrap_err().to_string()
    };
    assert!(err(HttpTransport::builder("nonsense")).contains("nonsense"));
    assert!(err(HttpTransport::builder("http://a/").header("a b", "")).contains("a b"));
    assert!(err(HttpTransport::builder("http://a/").header("a", "x\ny")).contains("\"a\""));
    assert!(
        err(HttpTransport::builder("http://a/").header("Mcp-Session-Id", "x"))
            .contains("transport")
    );
}

#[tokio::test]
async fn a_server_that_is_not_there_has_not_got_the_call() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    drop(listener);
    let client = Client::new(&url);
    let error = client.call("x").await.unwrap_err();
    assert_eq!(error.delivery(), Delivery::NotSent);
    let CallError::Closed { reason, .. } = error else {
        panic!("{error:?}")
    };
    assert_eq!(reason.kind(), TransportErrorKind::Unreachable);
    client.channel.close().await;
}

#[tokio::test]
async fn h13_an_answer_over_the_limit_fails_its_call() {
    let script = Script::start(|seen| match seen.kind() {
        "json" => result(seen, &json!("x".repeat(2000))),
        "error" => text(400, "application/json", "x".repeat(1 << 20)),
        _ => stream(result_event(&seen.body["id"], &json!("x".repeat(2000)))),
    })
    .await;
    let transport = HttpTransport::builder(&script.url)
        .max_message(1000)
        .build()
        .unwrap();
    let client = Client::of(&transport);
    for method in ["json", "events"] {
        let CallError::Closed { reason, .. } = client.call(method).await.unwrap_err() else {
            panic!()
        };
        assert_eq!(reason.kind(), TransportErrorKind::Violation);
        assert!(reason.to_string().contains("1000"), "{reason}");
    }
    let CallError::Rejected(rejection) = client.call("error").await.unwrap_err() else {
        panic!()
    };
    assert_eq!(rejection.body.len(), 4096);
    client.channel.close().await;
}

#[tokio::test]
async fn h13_five_mebibytes_are_read_either_way() {
    let script = Script::start(|seen| {
        let long = json!("x".repeat(5 << 20));
        if seen.kind() == "json" {
            result(seen, &long)
        } else {
            stream(result_event(&seen.body["id"], &long))
        }
    })
    .await;
    let client = Client::new(&script.url);
    for method in ["json", "events"] {
        assert_eq!(
            client.call(method).await.unwrap().as_str().unwrap().len(),
            5 << 20
        );
    }
    client.channel.close().await;
}

/// A refusal as an authorization server wants it to be understood.
fn challenge(code: u16) -> Reply {
    let body = json!({"jsonrpc": "2.0", "error": {"code": -32001, "message": "show who you are"}});
    let mut reply = json_body(code, &body);
    for value in [
        r#"Bearer resource_metadata="https://rs.test/.well-known/x", scope="a b""#,
        r#"DPoP algs="ES256", error="insufficient_scope""#,
    ] {
        let headers = reply.headers_mut();
        headers.append("www-authenticate", value.parse().unwrap());
    }
    reply
}

fn challenges(error: &CallError) -> Vec<&str> {
    let CallError::Rejected(rejection) = error else {
        panic!("{error:?}")
    };
    assert_eq!(
        rejection.error.as_ref().unwrap().message,
        "show who you are"
    );
    assert!(rejection.body.contains("-32001"), "{}", rejection.body);
    assert!(!rejection.session_lost);
    let values = rejection.headers.get_all("www-authenticate").iter();
    values.map(|value| value.to_str().unwrap()).collect()
}

#[tokio::test]
async fn h18_a_challenge_reaches_its_caller_whole_whatever_was_sent() {
    for code in [401, 403] {
        let script = Script::start(move |seen| match seen.kind() {
            "initialize" => usual(seen, "2025-11-25").unwrap(),
            _ => challenge(code),
        })
        .await;
        let client = Client::new(&script.url);
        let mut initialize = Call::new("initialize", Some(json!({}).into()));
        initialize.cancellable = false;
        client.channel.call(initialize).await.unwrap();
        client.channel.negotiated("2025-11-25");
        let notification = Notification::new("notifications/x", None);
        let errors = [
            client
                .channel
                .call(modern_call("tools/list", None))
                .await
                .unwrap_err(),
            client.call("tools/list").await.unwrap_err(),
            client.channel.notify(notification).await.unwrap_err(),
        ];
        for error in &errors {
            let challenges = challenges(error);
            assert_eq!(challenges.len(), 2, "{error:?}");
            assert!(challenges[0].ends_with(r#"scope="a b""#), "{challenges:?}");
            assert_eq!(error.delivery(), Delivery::NotSent);
        }
        // The session is still there.
        assert!(client.call("tools/list").await.is_err());
        let seen = script.seen();
        assert_eq!(seen.last().unwrap().header("mcp-session-id"), Some("s-1"));
        client.channel.close().await;
    }
}

#[tokio::test]
async fn h18_a_refused_handshake_is_a_challenge_and_no_reason_to_try_an_older_way_in() {
    let script = Script::start(|_| challenge(401)).await;
    let client = Client::new(&script.url);
    let error = client.call("initialize").await.unwrap_err();
    assert_eq!(challenges(&error).len(), 2);
    assert_eq!(script.kinds(), ["initialize"]);
    client.channel.close().await;
}
