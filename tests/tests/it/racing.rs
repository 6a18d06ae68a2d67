//! Cancellation against completion, and progress against time limits.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp::client::{CallOptions, ClientOptions, Error, Session};
use mcp::protocol::CallToolParams;
use mcp::server::{Context, NoArgs, ToolError};
use mcp::transport::{CallError, Timeouts};
use mcp::{Server, Tool};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::lines::{Lines, Played, call, modern, of};
use crate::web::{Stream, header, modern_headers, post, send, session};
use crate::web_script::{self, WebScript, event};
use crate::wire::{LATEST_HANDSHAKE, MODERN, Running, Wire, soon};

fn tool(name: &str) -> Tool {
    Tool::new(name, json!({"type": "object"}))
}

fn server(go: &Arc<Notify>) -> Server {
    let going = Arc::clone(go);
    Server::builder("races", "1")
        .tool(tool("wait"), move |_: NoArgs, _: Context| {
            let going = Arc::clone(&going);
            async move {
                going.notified().await;
                Ok::<_, ToolError>("done")
            }
        })
        .tool(tool("reports"), |_: NoArgs, cx: Context| async move {
            for value in [0.1, 0.1, 0.05, 0.5] {
                cx.progress(value).await;
            }
            tokio::spawn(async move {
                tokio::task::yield_now().await;
                cx.progress(0.9).await;
            });
            Ok::<_, ToolError>("done")
        })
        .build()
}

#[tokio::test]
async fn j22_life_13_cancelling_what_is_just_being_answered_is_harmless() {
    let go = Arc::new(Notify::new());
    for version in [LATEST_HANDSHAKE, MODERN] {
        let (mut client, _peer) = Lines::to(&server(&go));
        if version != MODERN {
            client.introduce(version, json!({})).await;
        }
        for round in 0..1000 {
            client
                .send(&of(version, round, "tools/call", call("wait")))
                .await;
            let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
                "params": {"requestId": round}});
            // Before, after, and at the same time, as it comes.
            match round % 3 {
                0 => client.send(&cancel).await,
                1 => {
                    go.notify_one();
                    client.send(&cancel).await;
                }
                _ => {
                    go.notify_one();
                    tokio::task::yield_now().await;
                    client.send(&cancel).await;
                }
            }
            // At most one answer, and the connection goes on.
            let id = format!("after {round}");
            client
                .send(&of(version, id.as_str(), "tools/list", json!({})))
                .await;
            let mut answers = 0;
            loop {
                let message = client.next().await;
                if message["id"] == id {
                    break;
                }
                assert_eq!(message["id"], round, "{message}");
                answers += 1;
            }
            assert!(answers <= 1, "round {round}");
            // The permit of one that was cancelled first must not wake the next.
            let unused = tokio::time::timeout(Duration::ZERO, go.notified());
            drop(unused.await);
        }
    }
}

#[tokio::test]
async fn j22_over_http_what_was_cancelled_has_no_answer() {
    let go = Arc::new(Notify::new());
    let running = Running::start(&server(&go), Wire::Http).await;
    let url = running.url();
    let headers = session(url, LATEST_HANDSHAKE, json!({})).await;
    let wait = of(LATEST_HANDSHAKE, 5, "tools/call", call("wait"));
    let cancel = |id: Value| json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
    let (waiting, address) = (headers.clone(), url.to_owned());
    let pending = tokio::spawn(async move {
        let response = send(http::Method::POST, &address, &waiting, wait.to_string()).await;
        crate::web::whole(response).await
    });
    // Others are not it. (A cancellation may overtake the call; then the next one is it.)
    for other in [json!("5"), json!(6), json!(null)] {
        assert_eq!(post(url, &headers, &cancel(other)).await.status, 202);
    }
    while !pending.is_finished() {
        assert_eq!(post(url, &headers, &cancel(json!(5))).await.status, 202);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let reply = soon(pending).await.unwrap();
    assert!(
        !String::from_utf8_lossy(&reply.body).contains("\"result\""),
        "{reply:?}"
    );
    let ping = of(LATEST_HANDSHAKE, 6, "ping", json!({}));
    assert_eq!(
        post(url, &headers, &ping).await.answer()["result"],
        json!({})
    );
    running.stop().await;
}

/// The progress and the answer of the tool that reports.
fn check_reports(messages: &[Value], token: Option<&Value>) {
    let (answer, reports) = messages.split_last().unwrap();
    assert_eq!(answer["result"]["content"][0]["text"], "done", "{answer}");
    let values: Vec<_> = reports
        .iter()
        .map(|report| {
            assert_eq!(report["method"], "notifications/progress");
            assert_eq!(Some(&report["params"]["progressToken"]), token);
            report["params"]["progress"].as_f64().unwrap()
        })
        .collect();
    let expected = if token.is_some() {
        vec![0.1, 0.5]
    } else {
        vec![]
    };
    assert_eq!(values, expected);
}

#[tokio::test]
async fn j24_proto_31_a_server_reports_for_the_token_that_it_was_given_and_only_rising() {
    let server = server(&Arc::default());
    let running = Running::start(&server, Wire::Http).await;
    for version in [LATEST_HANDSHAKE, MODERN] {
        let (mut client, _peer) = Lines::to(&server);
        let mut headers = vec![];
        if version != MODERN {
            client.introduce(version, json!({})).await;
            headers = session(running.url(), version, json!({})).await;
        }
        for token in [Some(json!(0)), Some(json!("t")), Some(json!("0")), None] {
            let mut params = call("reports");
            if let Some(token) = &token {
                params["_meta"]["progressToken"] = token.clone();
            }
            let message = of(version, "r", "tools/call", params);
            client.send(&message).await;
            let mut messages = vec![];
            while messages
                .last()
                .is_none_or(|message: &Value| message.get("id").is_none())
            {
                messages.push(client.next().await);
            }
            check_reports(&messages, token.as_ref());
            // Nothing after the answer.
            client.silent(version).await;

            if version == MODERN {
                headers = modern_headers(&message);
            }
            let reply = post(running.url(), &headers, &message).await;
            check_reports(&reply.messages(), token.as_ref());
        }
    }
    running.stop().await;
}

fn patient(idle: u64, total: u64) -> CallOptions {
    let mut timeouts = Timeouts::default();
    timeouts.idle = Some(Duration::from_millis(idle));
    timeouts.total = Some(Duration::from_millis(total));
    timeouts.reset_on_progress = true;
    CallOptions::new().with_timeouts(timeouts)
}

fn report(token: &Value, value: u32) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/progress",
        "params": {"progressToken": token, "progress": value}})
}

#[tokio::test]
async fn j24_life_17_progress_puts_off_the_idle_limit_but_not_the_total() {
    let (played, mut connections) = Played::new();
    let reports = Arc::new(Mutex::new(0));
    let count = Arc::clone(&reports);
    let peer = tokio::spawn(async move {
        let mut server = connections.recv().await.unwrap();
        server.discovered(json!({"tools": {}})).await;
        let call = server.expect("tools/call").await;
        // It is sent though nobody has asked to be shown progress.
        let token = call["params"]["_meta"]["progressToken"].clone();
        assert!(!token.is_null(), "{call}");
        let cancelled = loop {
            *count.lock().unwrap() += 1;
            let message = report(&token, *count.lock().unwrap());
            server.send(&message).await;
            let pause = Duration::from_millis(100);
            if let Ok(message) = tokio::time::timeout(pause, server.next()).await {
                break message;
            }
        };
        assert_eq!(cancelled["method"], "notifications/cancelled");
        assert_eq!(cancelled["params"]["requestId"], call["id"]);
    });
    let client = Session::connect(&played, ClientOptions::new("test", "1"))
        .await
        .unwrap();
    let options = patient(1000, 2500);
    let error = soon(client.call_tool(CallToolParams::new("x"), &options))
        .await
        .unwrap_err();
    assert!(
        matches!(error, Error::Call(CallError::TimedOut { .. })),
        "{error:?}"
    );
    soon(peer).await.unwrap();
    // It has lived for longer than it may be idle.
    assert!(*reports.lock().unwrap() > 10);
}

#[tokio::test]
async fn j24_over_http_too() {
    let (opened, mut streams) = tokio::sync::mpsc::channel(1);
    let mut script = WebScript::start(move |seen| {
        web_script::without_handshake(seen, &json!({"tools": {}})).unwrap_or_else(|| {
            let (sender, answer) = web_script::live();
            opened.try_send(sender).unwrap();
            answer
        })
    })
    .await;
    let client = script.connect(ClientOptions::new("test", "1")).await;
    let calling = client.clone();
    let call = tokio::spawn(async move {
        let options = patient(1000, 2500);
        calling.call_tool(CallToolParams::new("x"), &options).await
    });
    let seen = script.next("tools/call").await;
    let token = seen.body["params"]["_meta"]["progressToken"].clone();
    assert!(!token.is_null());
    let stream = soon(streams.recv()).await.unwrap();
    let mut reports = 0;
    // Until the client closes the stream, which cancels the call.
    while stream.send(event(&report(&token, reports))).await.is_ok() {
        reports += 1;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(reports > 10);
    let error = soon(call).await.unwrap().unwrap_err();
    assert!(
        matches!(error, Error::Call(CallError::TimedOut { .. })),
        "{error:?}"
    );
    client.close().await;
}

#[tokio::test]
async fn http_39_a_stream_that_is_left_ends_its_call_and_no_other() {
    let go = Arc::new(Notify::new());
    let running = Running::start(&server(&go), Wire::Http).await;
    let mut message = modern("s", "tools/call", call("reports"));
    message["params"]["_meta"]["progressToken"] = 1.into();
    let response = send(
        http::Method::POST,
        running.url(),
        &modern_headers(&message),
        message.to_string(),
    )
    .await;
    let mut stream = Stream::new(response);
    assert_eq!(stream.message().await["method"], "notifications/progress");
    drop(stream);
    let list = modern("l", "tools/list", json!({}));
    let mut headers = modern_headers(&list);
    headers.push(header("x-own", "1"));
    assert_eq!(post(running.url(), &headers, &list).await.status, 200);
    running.stop().await;
}

#[tokio::test]
async fn life_09_initialize_is_answered_though_it_is_cancelled_in_the_same_breath() {
    let server = server(&Arc::new(Notify::new()));
    for version in crate::wire::HANDSHAKE {
        let (mut client, _peer) = Lines::to(&server);
        let hello = crate::lines::initialize("hello", version.as_str(), json!({}));
        let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": {"requestId": "hello"}});
        // Before it, with it, and before the handshake is complete.
        client.write(format!("{cancel}\n{hello}\n{cancel}\n")).await;
        let answer = client.next().await;
        assert_eq!(answer["id"], "hello");
        assert_eq!(answer["result"]["protocolVersion"], version.as_str());
        client.notify("notifications/initialized", json!({})).await;
        client.send(&cancel).await;
        client.silent(version.as_str()).await;
    }
}

/// A peer that speaks one revision and then another is taken at its word, request by request.
#[tokio::test]
async fn life_28_a_client_that_changes_its_mind_about_revisions_is_answered_by_each_of_them() {
    let server = server(&Arc::new(Notify::new()));
    let (mut client, _peer) = Lines::to(&server);
    let list = |answer: &Value| answer["result"]["tools"].as_array().map(Vec::len);
    let stateless = client.ask(&modern(1, "tools/list", json!({}))).await;
    assert_eq!(list(&stateless), Some(2));
    client.introduce("2024-11-05", json!({})).await;
    // Not once more, whatever the revision.
    let again = crate::lines::initialize(2, LATEST_HANDSHAKE, json!({}));
    assert_eq!(client.ask(&again).await["error"]["code"], -32600);
    let old = client
        .ask(&of("2024-11-05", 3, "tools/list", json!({})))
        .await;
    assert_eq!(
        (list(&old), &old["result"]["resultType"]),
        (Some(2), &Value::Null)
    );
    let stateless = client.ask(&modern(4, "tools/list", json!({}))).await;
    assert_eq!(stateless["result"]["resultType"], "complete");
    // A revision with a handshake is not spoken without one, and one that is unknown not at all.
    for version in [LATEST_HANDSHAKE, "2024-11-05", "1900-01-01", ""] {
        let mut request = modern(5, "tools/list", json!({}));
        request["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = version.into();
        assert_eq!(
            client.ask(&request).await["error"]["code"],
            -32022,
            "{version}"
        );
    }
    client.silent("2024-11-05").await;
}
