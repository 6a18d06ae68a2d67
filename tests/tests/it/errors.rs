//! Which error a request is answered with, under which id, and what a client makes of a code.

use mcp::client::{CallOptions, ClientOptions};
use mcp::jsonrpc::{ErrorCode, ErrorObject};
use mcp::protocol::{
    CallToolParams, ElicitRequestURLParams, Prompt, ProtocolVersion, Resource,
    URLElicitationRequiredError,
};
use mcp::server::{Context, NoArgs, RequestError, ToolError};
use mcp::{Server, Session, Tool};
use serde_json::{Value, json};

use crate::lines::{Lines, Played, call, modern, of, request};
use crate::web::{ask_modern, header, modern_headers, post, post_modern, session};
use crate::web_script::{self, WebScript};
use crate::wire::{HANDSHAKE, LATEST_HANDSHAKE, MODERN, Running, Wire};

fn object() -> Value {
    json!({"type": "object"})
}

/// Fails with whatever code it is asked for, by each way that a handler has.
fn failing() -> Server {
    fn fail(code: i64) -> ErrorObject {
        ErrorObject::new(ErrorCode(code), "as asked")
    }
    fn code(arguments: &Value) -> i64 {
        let code = &arguments["code"];
        let text = code.as_str().and_then(|code| code.parse().ok());
        code.as_i64().or(text).unwrap_or_default()
    }
    Server::builder("failing", "1")
        .tool(
            Tool::new("fail", object()),
            |a: Value, _: Context| async move { Err::<(), _>(ToolError::protocol(fail(code(&a)))) },
        )
        .tool(Tool::new("url", object()), |_: NoArgs, _: Context| async {
            let url = ElicitRequestURLParams::new("sign in", "https://example.com")
                .with_elicitation_id("e".to_owned());
            let error = URLElicitationRequiredError::new(vec![url]);
            Err::<(), _>(ToolError::protocol(error.into()))
        })
        .tool(
            Tool::new("progress", object()),
            |_: NoArgs, cx: Context| async move {
                cx.progress(1.0).await;
                let error = ErrorObject::invalid_params("after a while");
                Err::<(), _>(ToolError::protocol(error))
            },
        )
        .prompt(Prompt::new("fail"), |a: Value, _: Context| async move {
            Err::<String, _>(RequestError::from(fail(code(&a))))
        })
        .resource(Resource::new("r://gone", "gone"), |_: Context| async {
            Err::<String, _>(RequestError::not_found())
        })
        .resource(Resource::new("r://old", "old"), |_: Context| async {
            Err::<String, _>(RequestError::from(fail(-32002)))
        })
        .build()
}

#[tokio::test]
async fn rpc_12_j15_an_unknown_method_is_method_not_found_under_the_id() {
    let server = failing();
    for version in HANDSHAKE {
        let mut client = Lines::introduced(&server, version.as_str()).await;
        for method in ["no/such", "", "tools/Call", "rpc.discover"] {
            let answer = client.ask(&request(method, method, json!({}))).await;
            assert_eq!(answer["id"], method);
            assert_eq!(answer["error"]["code"], -32601, "{version} {answer}");
        }
    }
    let (mut client, _peer) = Lines::to(&server);
    let answer = client.ask(&modern(5, "no/such", json!({}))).await;
    assert_eq!(
        (&answer["id"], &answer["error"]["code"]),
        (&json!(5), &json!(-32601))
    );

    let running = Running::start(&server, Wire::Http).await;
    let headers = session(running.url(), LATEST_HANDSHAKE, json!({})).await;
    let reply = post(running.url(), &headers, &request(6, "no/such", json!({}))).await;
    let answer = reply.answer();
    assert_eq!(
        (&answer["id"], &answer["error"]["code"]),
        (&json!(6), &json!(-32601))
    );
    let reply = ask_modern(running.url(), "no/such", json!({})).await;
    assert_eq!(reply.status, 404);
    let answer = reply.answer();
    assert_eq!(
        (&answer["id"], &answer["error"]["code"]),
        (&json!("m"), &json!(-32601))
    );
    running.stop().await;
}

/// The code that a failing handler of a server without handshake is answered with.
async fn codes_sent(wanted: impl IntoIterator<Item = i64>) -> Vec<(i64, i64)> {
    let (mut client, _peer) = Lines::to(&failing());
    let mut codes = Vec::new();
    for code in wanted {
        let tool = json!({"name": "fail", "arguments": {"code": code}});
        let prompt = json!({"name": "fail", "arguments": {"code": code.to_string()}});
        for (method, params) in [("tools/call", tool), ("prompts/get", prompt)] {
            let answer = client.ask(&modern(1, method, params)).await;
            let sent = answer["error"]["code"].as_i64();
            codes.push((code, sent.unwrap_or_else(|| panic!("{answer}"))));
        }
    }
    codes
}

#[tokio::test]
async fn rpc_20_no_code_that_the_protocol_keeps_for_itself_is_sent() {
    let defined = [-32020, -32021, -32022];
    for (wanted, sent) in codes_sent(-32100..=-32019).await {
        let reserved = (-32099..=-32020).contains(&sent);
        assert!(
            !reserved || defined.contains(&sent),
            "{wanted} was sent as {sent}"
        );
    }
    // Until 2025-11-25 they were for anyone to use.
    let mut client = Lines::introduced(&failing(), LATEST_HANDSHAKE).await;
    let params = json!({"name": "fail", "arguments": {"code": -32050}});
    let answer = client.ask(&request(1, "tools/call", params)).await;
    assert_eq!(answer["error"]["code"], -32050);
}

#[tokio::test]
async fn rpc_21_codes_of_earlier_revisions_are_not_sent_in_the_newest() {
    let (mut client, _peer) = Lines::to(&failing());
    for (method, params) in [
        ("resources/read", json!({"uri": "r://none"})),
        ("resources/read", json!({"uri": "r://gone"})),
        ("resources/read", json!({"uri": "r://old"})),
        ("tools/call", call("url")),
        (
            "tools/call",
            json!({"name": "fail", "arguments": {"code": -32002}}),
        ),
        (
            "tools/call",
            json!({"name": "fail", "arguments": {"code": -32042}}),
        ),
        (
            "prompts/get",
            json!({"name": "fail", "arguments": {"code": "-32002"}}),
        ),
    ] {
        let answer = client.ask(&modern(1, method, params)).await;
        let code = answer["error"]["code"].as_i64().unwrap();
        assert!(![-32002, -32042].contains(&code), "{method}: {answer}");
    }
    // They are where they belong.
    let mut client = Lines::introduced(&failing(), LATEST_HANDSHAKE).await;
    let read = request(1, "resources/read", json!({"uri": "r://gone"}));
    assert_eq!(client.ask(&read).await["error"]["code"], -32002);
    let url = request(2, "tools/call", call("url"));
    assert_eq!(client.ask(&url).await["error"]["code"], -32042);
}

/// Calls a tool once for each code, and once more for which there is a result.
async fn takes_codes_as_they_come(client: &Session) {
    for code in -32019..=-32000 {
        let params = CallToolParams::new(code.to_string());
        let error = client
            .call_tool(params, &CallOptions::new())
            .await
            .unwrap_err();
        assert_eq!(error.remote().unwrap().code.0, code, "{error:?}");
    }
    let params = CallToolParams::new("fine");
    let result = client.call_tool(params, &CallOptions::new()).await.unwrap();
    assert_eq!(result.text_content(), "fine");
}

fn fine() -> Value {
    json!({"resultType": "complete", "content": [{"type": "text", "text": "fine"}]})
}

#[tokio::test]
async fn rpc_23_codes_without_a_meaning_are_errors_of_their_call_and_no_more() {
    // One request for each call: nothing is retried, no session begun anew, no revision changed.
    let (played, mut connections) = Played::new();
    let peer = tokio::spawn(async move {
        let mut lines = connections.recv().await.unwrap();
        lines.discovered(json!({"tools": {}})).await;
        for code in -32019..=-32000 {
            let call = lines.expect("tools/call").await;
            assert_eq!(call["params"]["name"], code.to_string());
            lines.fail(&call, code).await;
        }
        let call = lines.expect("tools/call").await;
        lines.answer(&call, fine()).await;
        assert_eq!(lines.line().await, None);
    });
    let client = Session::connect(&played, ClientOptions::new("test", "1"))
        .await
        .unwrap();
    takes_codes_as_they_come(&client).await;
    client.close().await;
    peer.await.unwrap();

    let script = WebScript::start(|seen| {
        web_script::without_handshake(seen, &json!({"tools": {}})).unwrap_or_else(|| {
            match seen.body["params"]["name"].as_str().unwrap().parse() {
                Ok(code) => web_script::error(200, seen, code),
                Err(_) => web_script::result(seen, &fine()),
            }
        })
    })
    .await;
    let client = script.connect(ClientOptions::new("test", "1")).await;
    takes_codes_as_they_come(&client).await;
    client.close().await;
    let calls = script
        .kinds()
        .iter()
        .filter(|kind| *kind == "tools/call")
        .count();
    assert_eq!(calls, 21);
}

#[tokio::test]
async fn rpc_23_the_one_of_them_with_a_meaning_still_has_it() {
    let error = ErrorObject::new(ErrorCode(-32002), "not there");
    for version in ProtocolVersion::ALL {
        assert!(mcp::protocol::error_code::is_resource_not_found(
            version, &error
        ));
    }
}

/// Requests that a server without handshake refuses for something in the body, with the code.
fn refused() -> Vec<(Value, i64)> {
    let without = |member: &str| {
        let mut message = modern("id-1", "tools/call", call("fail"));
        let meta = message["params"]["_meta"].as_object_mut().unwrap();
        meta.remove(&format!("io.modelcontextprotocol/{member}"));
        message
    };
    let mut version = modern("id-2", "tools/list", json!({}));
    version["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = "1900-01-01".into();
    vec![
        (without("clientCapabilities"), -32602),
        (version, -32022),
        (modern("id-3", "no/such", json!({})), -32601),
        (modern(4, "tools/call", json!({"name": "none"})), -32602),
        (
            modern(5, "tools/call", json!({"name": "fail", "arguments": [1]})),
            -32602,
        ),
        (
            modern("", "resources/read", json!({"uri": "r://gone"})),
            -32602,
        ),
        (
            modern(
                -7,
                "tools/call",
                json!({"name": "fail", "arguments": {"code": 1}}),
            ),
            1,
        ),
        (modern(u64::MAX, "tools/call", call("url")), -32603),
    ]
}

#[tokio::test]
async fn http_59_j15_errors_carry_the_id_of_their_request() {
    let running = Running::start(&failing(), Wire::Http).await;
    let url = running.url();
    for (message, code) in refused() {
        let mut headers = modern_headers(&message);
        if code == -32022 {
            headers[0] = header("mcp-protocol-version", "1900-01-01");
        }
        let answer = post(url, &headers, &message).await.answer();
        assert_eq!(answer["error"]["code"], code, "{message} {answer}");
        assert_eq!(answer["id"], message["id"], "{answer}");
    }
    // What only the headers are wrong about, too.
    let message = modern("id", "tools/call", call("fail"));
    for (at, value) in [
        (0, ""),
        (0, "2025-11-25"),
        (1, ""),
        (1, "x"),
        (2, ""),
        (2, "x"),
    ] {
        let mut headers = modern_headers(&message);
        headers[at].1 = value.to_owned();
        let reply = post(url, &headers, &message).await;
        let answer = reply.answer();
        assert_eq!(reply.status, 400, "{reply:?}");
        assert_eq!(answer["error"]["code"], -32020, "{answer}");
        assert_eq!(answer["id"], "id", "{answer}");
    }
    running.stop().await;
}

#[tokio::test]
async fn http_59_an_error_inside_a_stream_carries_the_id() {
    let running = Running::start(&failing(), Wire::Http).await;
    let mut message = modern("in a stream", "tools/call", call("progress"));
    message["params"]["_meta"]["progressToken"] = 0.into();
    let reply = post_modern(running.url(), &message).await;
    assert!(reply.is_stream(), "{reply:?}");
    let messages = reply.messages();
    assert_eq!(messages[0]["method"], "notifications/progress");
    assert_eq!(messages[0]["params"]["progressToken"], 0);
    assert_eq!(messages[1]["error"]["code"], -32602);
    assert_eq!(messages[1]["id"], "in a stream");
    assert_eq!(messages.len(), 2);
    running.stop().await;
}

#[tokio::test]
async fn j15_a_bad_envelope_is_answered_under_its_id_and_nothing_else_is() {
    let server = failing();
    for version in [LATEST_HANDSHAKE, MODERN] {
        let (mut client, _peer) = Lines::to(&server);
        if version != MODERN {
            client.introduce(version, json!({})).await;
        }
        for bad in [
            json!({"id": 1, "method": "ping"}),
            json!({"jsonrpc": "1.0", "id": 1, "method": "ping"}),
            json!({"jsonrpc": "2.0", "id": 1}),
            json!({"jsonrpc": "2.0", "id": 1, "method": 7}),
        ] {
            let answer = client.ask(&bad).await;
            assert_eq!(answer["id"], 1, "{bad} {answer}");
            assert_eq!(answer["error"]["code"], -32600, "{bad} {answer}");
        }
        let empty = of(version, 2, "", json!({}));
        let answer = client.ask(&empty).await;
        assert_eq!(
            (&answer["id"], &answer["error"]["code"]),
            (&json!(2), &json!(-32601))
        );
        client.write("{\"jsonrpc\":\n").await;
        let answer = client.next().await;
        assert_eq!(answer["error"]["code"], -32700);
        assert_eq!(answer.get("id"), None, "{answer}");
        for silent in [
            json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}),
            json!({"jsonrpc": "2.0", "method": "notifications/zzz"}),
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": {}}}),
            json!({"jsonrpc": "2.0", "id": 9, "error": {"code": "x", "message": "y"}}),
            json!({"jsonrpc": "2.0", "id": 9, "error": {"code": 1}}),
            json!({"jsonrpc": "2.0", "id": 9, "result": {}, "error": {"code": 1, "message": ""}}),
        ] {
            client.send(&silent).await;
            client.silent(version).await;
        }
    }
}

#[tokio::test]
async fn j15_over_http_an_unknown_notification_is_accepted_and_a_bad_envelope_is_400() {
    let running = Running::start(&failing(), Wire::Http).await;
    let url = running.url();
    let headers = session(url, LATEST_HANDSHAKE, json!({})).await;
    for method in ["notifications/zzz", "notifications/roots/list_changed"] {
        let message = json!({"jsonrpc": "2.0", "method": method});
        let reply = post(url, &headers, &message).await;
        assert_eq!((reply.status, reply.body.len()), (202, 0), "{reply:?}");
        let modern = [header("mcp-protocol-version", MODERN)];
        let reply = post(url, &modern, &message).await;
        assert_eq!((reply.status, reply.body.len()), (202, 0), "{reply:?}");
    }
    for bad in [
        json!({"id": 1, "method": "ping"}),
        json!({"jsonrpc": "1.0", "id": 1, "method": "ping"}),
        json!({"jsonrpc": "2.0", "id": 1}),
    ] {
        let reply = post(url, &headers, &bad).await;
        assert_eq!(reply.status, 400, "{reply:?}");
        assert_eq!(reply.answer()["error"]["code"], -32600);
        assert_eq!(reply.answer()["id"], 1);
    }
    let reply = post(url, &headers, &json!("no object")).await;
    assert_eq!((reply.status, reply.answer().get("id")), (400, None));
    running.stop().await;
}
