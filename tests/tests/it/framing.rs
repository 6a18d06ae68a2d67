//! From bytes to messages: noise, encodings, names of members.

use mcp::client::{CallOptions, ClientOptions, Session};
use mcp::server::{Context, ToolError};
use mcp::{Server, Tool};
use serde_json::{Value, json};

use crate::lines::{Lines, Played, initialize, modern, of, request};
use crate::web::{Headers, header, modern_headers, send, session, whole};
use crate::wire::{LATEST_HANDSHAKE, MODERN, Running, Wire, soon};

fn server() -> Server {
    let tool = |name: &str| Tool::new(name, json!({"type": "object"}));
    Server::builder("framing", "1")
        .tool(tool("safe"), |a: Value, _: Context| async move {
            Ok::<_, ToolError>(format!("safe {}", a["text"]))
        })
        .tool(tool("evil"), |_: Value, _: Context| async {
            Ok::<_, ToolError>("evil")
        })
        .build()
}

#[tokio::test]
async fn j06_a_truncated_line_costs_a_server_one_line() {
    let server = server();
    for version in [LATEST_HANDSHAKE, MODERN] {
        let (mut client, _peer) = Lines::to(&server);
        if version != MODERN {
            client.introduce(version, json!({})).await;
        }
        for noise in [
            "{\"jsonrpc\":\"2.0\",\"method\":\"test\",\"params\":\n",
            "Server listening\n",
            "\u{1b}[2K  (0.9s)\n",
        ] {
            client.write(noise).await;
            let answer = client.next().await;
            assert_eq!(answer["error"]["code"], -32700, "{answer}");
            assert_eq!(answer.get("id"), None, "{answer}");
            client.silent(version).await;
        }
        // An error that nobody asked for is not answered by another one.
        let error = json!({"jsonrpc": "2.0", "error": {"code": -32700, "message": "parse error"}});
        client.send(&error).await;
        let mut error = error;
        error["id"] = Value::Null;
        client.send(&error).await;
        client.silent(version).await;
    }
}

#[tokio::test]
async fn j06_a_client_skips_noise_and_writes_nothing_for_it() {
    for version in [LATEST_HANDSHAKE, MODERN] {
        let (played, mut connections) = Played::new();
        let peer = tokio::spawn(async move {
            let mut server = connections.recv().await.unwrap();
            let noise = [
                "Server listening\n",
                "\u{1b}[2K  (0.9s)\n",
                "[1, 2\n",
                "\n",
                "{}\n",
            ];
            server.write(noise.concat()).await;
            server.write(b"\xff\xfe\n").await;
            if version == MODERN {
                server.discovered(json!({})).await;
            } else {
                server.welcome(version, json!({})).await;
            }
            // A server that logs a line for every line that it gets: this is where storms begin.
            for round in 0..3 {
                server.write(format!("got a line in round {round}\n")).await;
                let next = server.next().await;
                assert!(["ping", "server/discover"].contains(&next["method"].as_str().unwrap()));
                server
                    .answer(&next, crate::lines::discovery(json!({})))
                    .await;
            }
            server.line().await
        });
        let client = Session::connect(&played, ClientOptions::new("test", "1"))
            .await
            .unwrap();
        for _ in 0..3 {
            client.ping(&CallOptions::new()).await.unwrap();
        }
        client.close().await;
        assert_eq!(soon(peer).await.unwrap(), None, "nothing else was written");
    }
}

/// One line each of a client's first messages, encoded in a strange but lawful way.
async fn first_messages(client: &mut Lines, version: &str, ends: &str, before: &[u8]) {
    client.write(before).await;
    if version != MODERN {
        let hello = initialize("hello", version, json!({}));
        client.write(format!("{hello}{ends}")).await;
        assert_eq!(client.next().await["id"], "hello");
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        client.write(format!("{initialized}{ends}")).await;
    }
    let list = of(version, 1, "tools/list", json!({}));
    client.write(format!("{list}{ends}")).await;
    assert_eq!(client.next().await["id"], 1);
}

#[tokio::test]
async fn j12_a_server_takes_line_ends_marks_and_separators_for_what_they_are() {
    let server = server();
    for version in [LATEST_HANDSHAKE, MODERN] {
        for (ends, before) in [
            ("\n", &b"\xef\xbb\xbf"[..]),
            ("\r\n", b""),
            ("\r\n\r\n", b"\n\r\n  \n"),
        ] {
            let (mut client, _peer) = Lines::to(&server);
            first_messages(&mut client, version, ends, before).await;
        }
        let (mut client, _peer) = Lines::to(&server);
        first_messages(&mut client, version, "\n", b"").await;
        // Bytes that are no text spoil their own line.
        client
            .write(b"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\",\"u\":\"\xff\xfe\"}\n")
            .await;
        let answer = client.next().await;
        assert!(answer["error"]["code"].is_i64(), "{answer}");
        client.silent(version).await;
        // Separators of text that are none of lines, raw.
        let text = "\u{2028}\u{2029}\u{85}\u{c}\u{b}";
        let params = json!({"name": "safe", "arguments": {"text": text}});
        let line = of(version, 3, "tools/call", params).to_string();
        let raw = line.replace("\\f", "\u{20}").replace("\\u000b", "\u{20}");
        assert!(raw.contains('\u{2028}') && raw.contains('\u{85}'));
        client.write(format!("{raw}\n")).await;
        let answer = client.line().await.unwrap();
        assert!(answer.contains('\u{2029}'), "{answer}");
        assert!(answer.ends_with("}\n") && !answer.trim_end().contains(['\n', '\r']));
        // One byte at a time.
        let list = format!("{}\r\n", of(version, 4, "tools/list", json!({})));
        for byte in list.as_bytes() {
            client.write([*byte]).await;
            tokio::task::yield_now().await;
        }
        assert_eq!(client.next().await["id"], 4);
        // The last line without an end.
        client
            .write(of(version, 5, "tools/list", json!({})).to_string())
            .await;
        client.hang_up().await;
        assert_eq!(client.next().await["id"], 5);
        assert_eq!(client.line().await, None);
    }
}

#[tokio::test]
async fn j12_over_http_bytes_that_are_no_text_are_a_parse_error() {
    let running = Running::start(&server(), Wire::Http).await;
    let headers = session(running.url(), LATEST_HANDSHAKE, json!({})).await;
    for headers in [headers, vec![header("mcp-protocol-version", MODERN)]] {
        for body in [
            &b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"u\":\"\xff\xfe\"}"[..],
            b"\xff",
            b"{",
            b"",
        ] {
            let reply = send(http::Method::POST, running.url(), &headers, body).await;
            let reply = whole(reply).await;
            assert_eq!(reply.status, 400, "{reply:?}");
            let answer = reply.answer();
            let code = answer["error"]["code"].as_i64().unwrap();
            assert!([-32700, -32600].contains(&code), "{answer}");
        }
    }
    running.stop().await;
}

/// Calls of `safe` that try to be calls of `evil` for somebody who looks at them another way.
fn smuggling(version: &str) -> Vec<(String, Option<i64>)> {
    let call = of(
        version,
        1,
        "tools/call",
        json!({"name": "safe", "arguments": {"text": "x"}}),
    );
    let text = call.to_string();
    let within =
        |members: &str| text.replace("\"name\":\"safe\"", &format!("\"name\":\"safe\",{members}"));
    let around = |members: &str| text.replacen('{', &format!("{{{members},"), 1);
    vec![
        // Look-alikes are other members.
        (within("\"Name\":\"evil\""), None),
        (within("\"name\\u0000\":\"evil\""), None),
        (within("\"NAME\":\"evil\",\"nam\\u0435\":\"evil\""), None),
        (around("\"METHOD\":\"no/such\""), None),
        (around("\"param\u{17f}\":{\"name\":\"evil\"}"), None),
        // The same member twice is refused, however it is spelled.
        (within("\"name\":\"evil\""), Some(-32602)),
        (within("\"n\\u0061me\":\"evil\""), Some(-32602)),
        (around("\"method\":\"tools/list\""), Some(-32600)),
        (around("\"id\":2"), Some(-32600)),
        (around("\"params\":{\"name\":\"evil\"}"), Some(-32600)),
    ]
}

fn check(version: &str, line: &str, code: Option<i64>, answer: &Value) {
    match code {
        None => assert_eq!(
            answer["result"]["content"][0]["text"], "safe \"x\"",
            "{line}"
        ),
        Some(code) => assert_eq!(answer["error"]["code"], code, "{version} {line} {answer}"),
    }
}

#[tokio::test]
async fn j13_a_message_means_the_same_to_all_who_look_at_it() {
    let server = server();
    let running = Running::start(&server, Wire::Http).await;
    for version in [LATEST_HANDSHAKE, MODERN] {
        let (mut client, _peer) = Lines::to(&server);
        let headers: Headers = if version == MODERN {
            modern_headers(&modern(1, "tools/call", json!({"name": "safe"})))
        } else {
            client.introduce(version, json!({})).await;
            session(running.url(), version, json!({})).await
        };
        for (line, code) in smuggling(version) {
            client.write(format!("{line}\n")).await;
            check(version, &line, code, &client.next().await);
            let reply = send(http::Method::POST, running.url(), &headers, line.clone()).await;
            check(version, &line, code, &whole(reply).await.answer());
        }
    }
    running.stop().await;
}

#[tokio::test]
async fn j18_a_server_answers_whatever_comes_before_the_handshake() {
    let old = Server::builder("old", "1")
        .versions(crate::wire::HANDSHAKE)
        .logging()
        .build();
    let (mut client, _peer) = Lines::to(&old);
    let answer = client.ask(&modern(1, "server/discover", json!({}))).await;
    assert_eq!(answer["id"], 1);
    assert!(
        answer["error"]["code"].is_i64() && answer["error"]["code"] != -32022,
        "{answer}"
    );
    let answer = client.ask(&request(2, "ping", json!({}))).await;
    assert_eq!(answer["result"], json!({}));
    let answer = client.ask(&request(3, "tools/list", json!({}))).await;
    assert!(answer["error"].is_object(), "{answer}");
    client
        .notify("notifications/resources/list_changed", json!({}))
        .await;
    // And still the handshake works, with something between its messages.
    let hello = initialize(4, LATEST_HANDSHAKE, json!({}));
    let answer = client.ask(&hello).await;
    assert_eq!(answer["result"]["protocolVersion"], LATEST_HANDSHAKE);
    let level = request(5, "logging/setLevel", json!({"level": "debug"}));
    assert_eq!(client.ask(&level).await["result"], json!({}));
    client.notify("notifications/initialized", json!({})).await;
    client.silent(LATEST_HANDSHAKE).await;
}

#[tokio::test]
async fn j18_a_client_bears_what_comes_before_the_answer_to_initialize() {
    let (played, mut connections) = Played::new();
    let options = ClientOptions::new("test", "1")
        .with_preference(mcp::protocol::lifecycle::Preference::Handshake);
    let connecting = tokio::spawn(async move { Session::connect(&played, options).await });
    let mut server = connections.recv().await.unwrap();
    let hello = server.expect("initialize").await;
    server
        .notify("notifications/resources/list_changed", json!({}))
        .await;
    server
        .notify(
            "notifications/message",
            json!({"level": "info", "data": "starting"}),
        )
        .await;
    server.notify("notifications/zzz", json!({})).await;
    let pong = server.ask(&request("p", "ping", json!({}))).await;
    assert_eq!((&pong["id"], &pong["result"]), (&json!("p"), &json!({})));
    let result = json!({"protocolVersion": LATEST_HANDSHAKE, "capabilities": {},
        "serverInfo": {"name": "played", "version": "1"}});
    server.answer(&hello, result).await;
    server.expect("notifications/initialized").await;
    let client = soon(connecting).await.unwrap().unwrap();
    assert_eq!(client.version().as_str(), LATEST_HANDSHAKE);
}
