//! Arrays of messages, and what else depends on the revision that was agreed on.

use mcp::Server;
use mcp::client::{CallOptions, ClientOptions, Session};
use mcp::protocol::{CallToolParams, ProtocolVersion, Resource};
use mcp::server::{Context, RequestError};
use serde_json::{Value, json};

use crate::lines::{Lines, Played, initialize, modern, request};
use crate::web::{header, post, session};
use crate::wire::{HANDSHAKE, MODERN, Running, Wire, soon};

const BATCHES: &str = "2025-03-26";

fn server() -> Server {
    Server::builder("batches", "1")
        .resource(Resource::new("r://gone", "gone"), |_: Context| async {
            Err::<String, _>(RequestError::not_found())
        })
        .build()
}

fn notification() -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/x"})
}

fn response() -> Value {
    json!({"jsonrpc": "2.0", "id": 99, "result": {}})
}

fn ping(id: impl Into<Value>) -> Value {
    request(id, "ping", json!({}))
}

#[tokio::test]
async fn rpc_15_j16_a_batch_without_requests_is_not_answered() {
    let server = server();
    let mut client = Lines::introduced(&server, BATCHES).await;
    let running = Running::start(&server, Wire::Http).await;
    let headers = session(running.url(), BATCHES, json!({})).await;
    for batch in [
        json!([notification()]),
        json!([notification(), notification()]),
        json!([response()]),
        json!([response(), response()]),
    ] {
        client.send(&batch).await;
        client.silent(BATCHES).await;
        let reply = post(running.url(), &headers, &batch).await;
        assert_eq!((reply.status, reply.body.len()), (202, 0), "{reply:?}");
    }
    running.stop().await;
}

#[tokio::test]
async fn rpc_17_j16_initialize_inside_a_batch_is_refused_and_begins_nothing() {
    let server = server();
    let running = Running::start(&server, Wire::Http).await;
    let hello = initialize("i", BATCHES, json!({}));
    for batch in [
        json!([hello]),
        json!([hello, notification()]),
        json!([ping(1), hello]),
    ] {
        let (mut client, _peer) = Lines::to(&server);
        let answer = client.ask(&batch).await;
        assert_eq!(answer["error"]["code"], -32600, "{answer}");
        // Nobody has introduced themselves: this is still the first.
        client.introduce(BATCHES, json!({})).await;
        // Nor is there a second introduction.
        let answer = client.ask(&batch).await;
        let answers = answer.as_array().unwrap();
        let refused = answers.iter().find(|answer| answer["id"] == "i").unwrap();
        assert_eq!(refused["error"]["code"], -32600, "{answer}");

        for version in [None, Some(BATCHES)] {
            let headers: Vec<_> = version
                .map(|version| header("mcp-protocol-version", version))
                .into_iter()
                .collect();
            let reply = post(running.url(), &headers, &batch).await;
            assert_eq!(reply.header("mcp-session-id"), None, "{reply:?}");
            assert!(
                !reply.body.windows(8).any(|w| w == b"\"result\""),
                "{reply:?}"
            );
        }
    }
    assert_eq!(running.service().session_count(), 0);
    running.stop().await;
}

#[tokio::test]
async fn j16_batches_are_answered_where_they_exist_and_refused_elsewhere() {
    let server = server();
    let running = Running::start(&server, Wire::Http).await;
    let batch = json!([ping(1), notification(), ping("1")]);
    for version in HANDSHAKE {
        let mut client = Lines::introduced(&server, version.as_str()).await;
        let headers = session(running.url(), version.as_str(), json!({})).await;
        let by_line = client.ask(&batch).await;
        let by_post = post(running.url(), &headers, &batch).await;
        let both = [(by_line, 200), (by_post.answer(), by_post.status)];
        if version.as_str() == BATCHES {
            for (answer, status) in both {
                let ids: Vec<_> = answer
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|a| &a["id"])
                    .collect();
                assert!(
                    ids.contains(&&json!(1)) && ids.contains(&&json!("1")),
                    "{answer}"
                );
                assert_eq!((ids.len(), status), (2, 200));
            }
            for odd in [json!([]), json!([1])] {
                let answer = client.ask(&odd).await;
                let error = answer.get(0).unwrap_or(&answer);
                assert_eq!(error["error"]["code"], -32600, "{answer}");
                assert_eq!(error.get("id"), None, "{answer}");
            }
        } else {
            assert_eq!(by_post.status, 400);
            for (answer, _) in both {
                assert_eq!(answer["error"]["code"], -32600, "{answer}");
                assert_eq!(answer.get("id"), None, "{answer}");
            }
        }
        client.silent(version.as_str()).await;
    }
    let (mut client, _peer) = Lines::to(&server);
    let batch = json!([modern(1, "server/discover", json!({}))]);
    let answer = client.ask(&batch).await;
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    let headers = [header("mcp-protocol-version", MODERN)];
    let reply = post(running.url(), &headers, &batch).await;
    assert_eq!((reply.status, reply.answer().get("id")), (400, None));
    running.stop().await;
}

#[tokio::test]
async fn life_11_after_the_handshake_the_rules_are_those_of_the_revision() {
    let server = server();
    for version in HANDSHAKE {
        let mut client = Lines::introduced(&server, version.as_str()).await;
        // Batches.
        let answer = client.ask(&json!([ping(1)])).await;
        assert_eq!(
            answer.is_array(),
            version.as_str() == BATCHES,
            "{version} {answer}"
        );
        // Codes.
        let read = request(2, "resources/read", json!({"uri": "r://gone"}));
        assert_eq!(
            client.ask(&read).await["error"]["code"],
            -32002,
            "{version}"
        );
        // Ids: one that is in flight is not another one's, and each has its type back.
        let answer = client.ask(&ping("2")).await;
        assert_eq!(answer["id"], "2", "{version}");
        // Results have no kind yet.
        assert_eq!(answer["result"], json!({}), "{version}");
        // A request of the other lifecycle on the same stream is answered by its own rules, and
        // changes nothing for the next.
        let read = modern(3, "resources/read", json!({"uri": "r://gone"}));
        assert_eq!(
            client.ask(&read).await["error"]["code"],
            -32602,
            "{version}"
        );
        let answer = client.ask(&json!([ping(4)])).await;
        assert_eq!(
            answer.is_array(),
            version.as_str() == BATCHES,
            "{version} {answer}"
        );
    }
}

#[tokio::test]
async fn life_11_over_http_each_session_keeps_its_revision() {
    let running = Running::start(&server(), Wire::Http).await;
    let mut sessions = Vec::new();
    for version in HANDSHAKE {
        let headers = session(running.url(), version.as_str(), json!({})).await;
        sessions.push((version, headers));
    }
    for (version, headers) in &sessions {
        let reply = post(running.url(), headers, &json!([ping(1)])).await;
        let has_batches = *version == ProtocolVersion::V2025_03_26;
        assert_eq!(reply.status == 200, has_batches, "{version} {reply:?}");
        let read = request(2, "resources/read", json!({"uri": "r://gone"}));
        let answer = post(running.url(), headers, &read).await.answer();
        assert_eq!(answer["error"]["code"], -32002, "{version}");
    }
    running.stop().await;
}

#[tokio::test]
async fn rpc_19_a_client_never_sends_a_batch_even_where_there_are_batches() {
    for version in [ProtocolVersion::V2025_03_26, ProtocolVersion::V2026_07_28] {
        let (played, mut connections) = Played::new();
        let peer = tokio::spawn(async move {
            let mut server = connections.recv().await.unwrap();
            let capabilities = json!({"tools": {}});
            if version.as_str() == MODERN {
                server.discovered(capabilities).await;
            } else {
                server.welcome(version.as_str(), capabilities).await;
            }
            // All of them are on their way before the first is answered.
            let mut calls = Vec::new();
            for _ in 0..50 {
                calls.push(server.expect("tools/call").await);
            }
            let content = json!({"resultType": "complete", "content": []});
            for call in &calls {
                server.answer(call, content.clone()).await;
            }
        });
        let options = ClientOptions::new("test", "1").with_versions([version]);
        let client = Session::connect(&played, options).await.unwrap();
        let calls = (0..50).map(|n| {
            let client = client.clone();
            async move {
                let params = CallToolParams::new(format!("t{n}"));
                client.call_tool(params, &CallOptions::new()).await.unwrap();
            }
        });
        futures_util::future::join_all(calls).await;
        soon(peer).await.unwrap();
        client.close().await;
    }
}
