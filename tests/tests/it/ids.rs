//! Ids: whose answer an answer is.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use mcp::client::{CallOptions, ClientOptions, Session};
use mcp::protocol::CallToolParams;
use mcp::server::{Context, NoArgs, ToolError};
use mcp::transport::CallError;
use mcp::{Server, Tool};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::lines::{Lines, Played, call, modern, of, request};
use crate::web::{header, modern_headers, post, post_modern, send, session};
use crate::web_script::{self, WebScript};
use crate::wire::{LATEST_HANDSHAKE, MODERN, Running, Wire, soon};

fn tool(name: &str) -> Tool {
    Tool::new(name, json!({"type": "object"}))
}

/// A server with a tool that says what it is told, and one that waits first.
fn server() -> (Server, Arc<Notify>) {
    let go = Arc::new(Notify::new());
    let going = Arc::clone(&go);
    let server = Server::builder("ids", "1")
        .tool(tool("say"), |a: Value, _: Context| async move {
            Ok::<_, ToolError>(a["what"].as_str().unwrap_or("nothing").to_owned())
        })
        .tool(tool("slow"), move |a: Value, _: Context| {
            let going = Arc::clone(&going);
            async move {
                going.notified().await;
                Ok::<_, ToolError>(a["what"].as_str().unwrap_or("nothing").to_owned())
            }
        })
        .tool(tool("never run"), |_: NoArgs, _: Context| async {
            panic!("it was run");
            #[expect(unreachable_code, reason = "it says which type there would be")]
            Ok::<&str, ToolError>("")
        })
        .build();
    (server, go)
}

fn say(tool: &str, what: &str) -> Value {
    json!({"name": tool, "arguments": {"what": what}})
}

fn said(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"]
        .as_str()
        .unwrap_or_else(|| panic!("{answer}"))
}

fn good_ids() -> Vec<Value> {
    vec![
        json!("1"),
        json!(1),
        json!(""),
        json!("007"),
        json!("14f4-ab"),
        json!(-5),
        json!(0),
        json!(i64::MIN),
        json!(u64::MAX),
        json!("ä\u{2028}\""),
    ]
}

#[tokio::test]
async fn j01_rpc_03_a_server_gives_back_each_id_in_value_and_type() {
    let (server, _) = server();
    let running = Running::start(&server, Wire::Http).await;
    for version in [LATEST_HANDSHAKE, MODERN] {
        let (mut client, _peer) = Lines::to(&server);
        let mut headers = vec![
            header("mcp-protocol-version", MODERN),
            header("mcp-method", "tools/list"),
        ];
        if version != MODERN {
            client.introduce(version, json!({})).await;
            headers = session(running.url(), version, json!({})).await;
        }
        for id in good_ids() {
            let list = of(version, id.clone(), "tools/list", json!({}));
            assert_eq!(client.ask(&list).await["id"], id);
            let reply = post(running.url(), &headers, &list).await;
            assert_eq!(reply.answer()["id"], id, "{reply:?}");
            // As it was written, not as some other spelling of the same.
            let written = format!("\"id\":{id}");
            let text = String::from_utf8_lossy(&reply.body).into_owned();
            assert!(text.contains(&written), "{text}");
        }
        // All of them in flight at once: none is taken for another.
        let mut open: HashSet<String> = HashSet::new();
        for id in good_ids() {
            let what = id.to_string();
            open.insert(what.clone());
            client
                .send(&of(version, id, "tools/call", say("say", &what)))
                .await;
        }
        while !open.is_empty() {
            let answer = client.next().await;
            let id = answer["id"].to_string();
            assert_eq!(said(&answer), id);
            assert!(open.remove(&id), "{answer}");
        }
    }
    running.stop().await;
}

#[tokio::test]
async fn j01_an_answer_under_an_id_like_that_of_a_call_does_not_answer_it_nor_hang_it() {
    let (played, mut connections) = Played::new();
    let peer = tokio::spawn(async move {
        let mut server = connections.recv().await.unwrap();
        server.discovered(json!({"tools": {}})).await;
        let call = server.expect("tools/call").await;
        let id = call["id"].to_string();
        let result = json!({"resultType": "complete", "content": []});
        for alike in [
            format!("{id}.0"),
            format!("\"{id}\""),
            format!("{id}e0"),
            "null".to_owned(),
        ] {
            let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{alike},\"result\":{result}}}\n");
            server.write(line).await;
        }
        // It ends by its time limit, and is taken back.
        let cancelled = server.expect("notifications/cancelled").await;
        assert_eq!(cancelled["params"]["requestId"], call["id"]);
        let call = server.expect("tools/call").await;
        server.answer(&call, result).await;
        server
    });
    let client = Session::connect(&played, ClientOptions::new("test", "1"))
        .await
        .unwrap();
    let short = CallOptions::new().with_timeout(Duration::from_millis(200));
    let error = client
        .call_tool(CallToolParams::new("x"), &short)
        .await
        .unwrap_err();
    assert!(
        matches!(error, mcp::client::Error::Call(CallError::TimedOut { .. })),
        "{error:?}"
    );
    client
        .call_tool(CallToolParams::new("x"), &CallOptions::new())
        .await
        .unwrap();
    drop(soon(peer).await.unwrap());
}

#[tokio::test]
async fn j01_over_http_neither() {
    let script = WebScript::start(|seen| {
        web_script::without_handshake(seen, &json!({"tools": {}})).unwrap_or_else(|| {
            let mut id = seen.body["id"].clone();
            if seen.body["params"]["name"] == "wrong" {
                id = json!(id.to_string());
            }
            let result = json!({"resultType": "complete", "content": []});
            let answer = json!({"jsonrpc": "2.0", "id": id, "result": result});
            web_script::json_body(200, &answer)
        })
    })
    .await;
    let client = script.connect(ClientOptions::new("test", "1")).await;
    let short = CallOptions::new().with_timeout(Duration::from_millis(500));
    for (name, works) in [("wrong", false), ("right", true)] {
        let call = client.call_tool(CallToolParams::new(name), &short);
        assert_eq!(soon(call).await.is_ok(), works, "{name}");
    }
    client.close().await;
}

#[tokio::test]
async fn j02_rpc_11_a_request_whose_id_is_none_is_answered_and_not_run() {
    let (server, _) = server();
    let running = Running::start(&server, Wire::Http).await;
    let headers = session(running.url(), LATEST_HANDSHAKE, json!({})).await;
    let mut client = Lines::introduced(&server, LATEST_HANDSHAKE).await;
    for id in ["null", "1.5", "true", "{}", "[]", "1e400", "-0.5"] {
        let call = r#"{"name":"never run"}"#;
        let line = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{call}}}"
        );
        client.write(format!("{line}\n")).await;
        let answer = client.next().await;
        let code = answer["error"]["code"].as_i64().unwrap();
        assert!([-32600, -32700].contains(&code), "{id}: {answer}");
        assert_eq!(
            answer.get("id").unwrap_or(&Value::Null),
            &Value::Null,
            "{id}: {answer}"
        );
        for headers in [
            headers.clone(),
            vec![header("mcp-protocol-version", MODERN)],
        ] {
            let reply = send(http::Method::POST, running.url(), &headers, line.clone()).await;
            let reply = crate::web::whole(reply).await;
            assert_eq!(reply.status, 400, "{id}: {reply:?}");
        }
    }
    // What can be read as an integer, or is too large for one, is answered one way or another,
    // and never under a rounded id.
    for (id, spellings) in [
        ("1.0", ["1", "1.0"]),
        ("1e3", ["1000", "1e3"]),
        ("18446744073709551616", ["18446744073709551616"; 2]),
    ] {
        let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n");
        client.write(line).await;
        let answer = client.line().await.unwrap();
        let value: Value = serde_json::from_str(&answer).unwrap();
        let echoed = spellings.iter().any(|id| {
            answer.contains(&format!("\"id\":{id},")) || answer.contains(&format!("\"id\":{id}}}"))
        });
        assert!(value["error"]["code"] == -32600 || echoed, "{id}: {answer}");
        let given = answer.contains("\"id\":");
        assert!(!given || echoed || value["id"].is_null(), "{id}: {answer}");
    }
    client.silent(LATEST_HANDSHAKE).await;
    running.stop().await;
}

#[tokio::test]
async fn j05_rpc_31_a_second_request_under_an_id_in_flight_is_refused_and_the_first_runs_on() {
    let (server, go) = server();
    for version in [LATEST_HANDSHAKE, MODERN] {
        let (mut client, _peer) = Lines::to(&server);
        if version != MODERN {
            client.introduce(version, json!({})).await;
        }
        client
            .send(&of(version, 1, "tools/call", say("slow", "A")))
            .await;
        let answer = client
            .ask(&of(version, 1, "tools/call", say("say", "B")))
            .await;
        assert_eq!(answer["error"]["code"], -32600, "{answer}");
        go.notify_one();
        assert_eq!(said(&client.next().await), "A");
        client.silent(version).await;
    }
    // Over HTTP each POST has its own answer, or the second is refused.
    let running = Running::start(&server, Wire::Http).await;
    let headers = session(running.url(), LATEST_HANDSHAKE, json!({})).await;
    for (headers, first, second) in [
        (
            headers,
            request(1, "tools/call", say("slow", "A")),
            request(1, "tools/call", say("say", "B")),
        ),
        (
            modern_headers(&modern(1, "tools/call", call("slow"))),
            modern(1, "tools/call", say("slow", "A")),
            modern(1, "tools/call", say("say", "B")),
        ),
    ] {
        let url = running.url().to_owned();
        let slow = {
            let headers = headers.clone();
            tokio::spawn(async move { post(&url, &headers, &first).await })
        };
        // The first is under way when the second comes; if it is not yet, the second is
        // answered as if it were alone.
        let own = modern_headers(&second);
        let headers = if headers[0].1 == MODERN { own } else { headers };
        let reply = post(running.url(), &headers, &second).await;
        let answer = reply.answer();
        assert!(
            answer["error"]["code"] == -32600 || said(&answer) == "B",
            "{answer}"
        );
        go.notify_one();
        assert_eq!(said(&soon(slow).await.unwrap().answer()), "A");
    }
    running.stop().await;
}

#[tokio::test]
async fn j05_clients_that_use_the_same_ids_never_get_each_others_answers() {
    let (server, _) = server();
    let running = Running::start(&server, Wire::Http).await;
    let mut clients = Vec::new();
    for number in 0..4 {
        let secret = format!("secret of client {number}");
        let (server, url) = (server.clone(), running.url().to_owned());
        clients.push(tokio::spawn(async move {
            let mut line = Lines::introduced(&server, LATEST_HANDSHAKE).await;
            let headers = session(&url, LATEST_HANDSHAKE, json!({})).await;
            for id in 1..=100 {
                let message = request(id, "tools/call", say("say", &secret));
                assert_eq!(said(&line.ask(&message).await), secret);
                assert_eq!(said(&post(&url, &headers, &message).await.answer()), secret);
                let message = modern(id, "tools/call", say("say", &secret));
                assert_eq!(said(&post_modern(&url, &message).await.answer()), secret);
            }
        }));
    }
    for client in clients {
        client.await.unwrap();
    }
    running.stop().await;
}
