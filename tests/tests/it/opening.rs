//! How connections begin, and what a client says in every request from then on.

use mcp::ServerPool;
use mcp::client::{CallOptions, ClientOptions, Handlers, Session};
use mcp::protocol::lifecycle::Preference;
use mcp::protocol::{
    CallToolParams, GetPromptParams, LoggingLevel, ProtocolVersion, Root, SubscriptionFilter,
};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::asked::asked;
use crate::lines::{Played, request};
use crate::web_script::{self, WebScript, event, live};
use crate::wire::{HANDSHAKE, LATEST_HANDSHAKE, MODERN, soon};

fn options() -> ClientOptions {
    ClientOptions::new("test", "1")
}

/// A client that says something in a handshake revision as soon as it can.
fn eager(version: ProtocolVersion) -> ClientOptions {
    options()
        .with_versions([version])
        .with_log_level(LoggingLevel::Debug)
        .with_handlers(Handlers::new().with_roots(vec![Root::new("file:///desk")]))
}

#[tokio::test]
async fn life_01_life_02_life_06_initialize_comes_first_and_alone_and_initialized_before_anything_else()
 {
    for version in HANDSHAKE {
        for preference in [Preference::Auto, Preference::Handshake] {
            let (played, mut connections) = Played::new();
            let options = eager(version).with_preference(preference);
            let connecting = tokio::spawn(async move { Session::connect(&played, options).await });
            let mut server = connections.recv().await.unwrap();
            // Alone: an object and no array.
            let first = server.expect("initialize").await;
            assert_eq!(first["params"]["protocolVersion"], version.as_str());
            // Nothing more comes while the server thinks: what comes next, after the answer, is
            // `initialized` and not something that was already on its way.
            server
                .notify("notifications/message", json!({"level": "info", "data": 1}))
                .await;
            tokio::task::yield_now().await;
            let result = json!({"protocolVersion": version.as_str(),
                "capabilities": {"logging": {}, "tools": {}},
                "serverInfo": {"name": "played", "version": "1"}});
            server.answer(&first, result).await;
            let second = server.expect("notifications/initialized").await;
            assert_eq!(second.get("id"), None);
            let third = server.expect("logging/setLevel").await;
            server.answer(&third, json!({})).await;
            drop(soon(connecting).await.unwrap().unwrap());
        }
    }
}

#[tokio::test]
async fn life_01_life_02_over_http_initialize_comes_first_and_initialized_before_anything_else() {
    for version in HANDSHAKE {
        let script = WebScript::start(move |seen| {
            let capabilities = json!({"logging": {}, "tools": {}});
            web_script::with_sessions(seen, version.as_str(), &capabilities)
                .unwrap_or_else(|| web_script::result(seen, &json!({"tools": []})))
        })
        .await;
        let client = script.connect(eager(version)).await;
        client.list_tools().await.unwrap();
        client.close().await;
        let kinds = script.kinds();
        // The stream of the server's own messages may be opened as soon as there is a session.
        let kinds: Vec<_> = kinds.iter().filter(|kind| *kind != "GET").collect();
        let expected = [
            "initialize",
            "notifications/initialized",
            "logging/setLevel",
            "tools/list",
        ];
        assert_eq!(kinds[..4], expected, "{version}");
        assert!(script.seen().iter().all(|seen| !seen.body.is_array()));
    }
}

#[tokio::test]
async fn life_02_after_a_refusal_there_is_no_initialized() {
    let (played, mut connections) = Played::new();
    let options = eager(ProtocolVersion::V2025_11_25);
    let connecting = tokio::spawn(async move { Session::connect(&played, options).await });
    let mut server = connections.recv().await.unwrap();
    let initialize = server.expect("initialize").await;
    server.fail(&initialize, -32603).await;
    assert!(soon(connecting).await.unwrap().is_err());
    assert_eq!(server.line().await, None, "and nothing else");
}

/// The messages that no server without handshake may send.
fn requests() -> [Value; 4] {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    [
        request(1, "roots/list", json!({})),
        request(
            "s",
            "sampling/createMessage",
            json!({"maxTokens": 1, "messages": [
            {"role": "user", "content": {"type": "text", "text": "x"}}]}),
        ),
        request(
            2,
            "elicitation/create",
            json!({"message": "?", "requestedSchema": schema}),
        ),
        request(3, "ping", json!({})),
    ]
}

#[tokio::test]
async fn rpc_32_a_request_of_a_server_without_handshake_is_neither_run_nor_answered() {
    let (asked, handlers) = asked();
    let (played, mut connections) = Played::new();
    let options = options().with_handlers(handlers);
    let connecting = tokio::spawn(async move { Session::connect(&played, options).await });
    let mut server = connections.recv().await.unwrap();
    server.discovered(json!({"tools": {}})).await;
    let client = soon(connecting).await.unwrap().unwrap();
    for message in requests() {
        server.send(&message).await;
    }
    let ping = tokio::spawn(async move {
        let result = client.ping(&CallOptions::new()).await;
        (client, result)
    });
    // What the client writes next is a request of its own.
    let next = server.expect("server/discover").await;
    server
        .answer(&next, crate::lines::discovery(json!({})))
        .await;
    let (client, result) = soon(ping).await.unwrap();
    result.expect("the connection lives on");
    client.close().await;
    assert_eq!(server.line().await, None);
    asked.assert_nothing();
}

#[tokio::test]
async fn rpc_32_over_http_neither() {
    let (asked, handlers) = asked();
    let script = WebScript::start(|seen| {
        web_script::without_handshake(seen, &json!({"tools": {}})).unwrap_or_else(|| {
            let mut events: Vec<_> = requests().iter().map(event).collect();
            let result = json!({"resultType": "complete", "content": []});
            let answer = json!({"jsonrpc": "2.0", "id": seen.body["id"], "result": result});
            events.push(event(&answer));
            web_script::stream(events.concat())
        })
    })
    .await;
    let client = script.connect(options().with_handlers(handlers)).await;
    // Whether the call survives such a server is not said; that nothing is done for it is.
    let none = CallOptions::new();
    drop(soon(client.call_tool(CallToolParams::new("x"), &none)).await);
    client.close().await;
    assert!(
        !script.kinds().contains(&"response".to_owned()),
        "{:?}",
        script.kinds()
    );
    asked.assert_nothing();
}

/// What every request of a session without handshake is answered with.
fn anything(kind: &str) -> Value {
    match kind {
        "tools/list" => json!({"resultType": "complete", "ttlMs": 0, "cacheScope": "private",
            "tools": [{"name": "t", "inputSchema": {"type": "object"}}]}),
        "prompts/get" => json!({"resultType": "complete", "messages": []}),
        "resources/read" => json!({"resultType": "complete", "contents": [],
            "ttlMs": 0, "cacheScope": "private"}),
        "tools/call" => json!({"resultType": "complete", "content": []}),
        "completion/complete" => json!({"resultType": "complete", "completion": {"values": []}}),
        _ => json!({"resultType": "complete"}),
    }
}

#[tokio::test]
async fn http_24_the_version_header_is_on_every_post_and_says_what_the_body_says() {
    let capabilities = json!({"tools": {"listChanged": true}, "prompts": {}, "resources": {},
        "completions": {}});
    let script = WebScript::start(move |seen| {
        if seen.kind() == "subscriptions/listen" {
            let id = json!({"io.modelcontextprotocol/subscriptionId": seen.body["id"]});
            let result = json!({"resultType": "complete", "_meta": id});
            let answer = json!({"jsonrpc": "2.0", "id": seen.body["id"], "result": result});
            return web_script::stream(event(&answer));
        }
        web_script::without_handshake(seen, &capabilities)
            .unwrap_or_else(|| web_script::result(seen, &anything(seen.kind())))
    })
    .await;
    let client = script.connect(options()).await;
    let none = CallOptions::new();
    client.list_tools().await.unwrap();
    client
        .call_tool(CallToolParams::new("t"), &none)
        .await
        .unwrap();
    client
        .get_prompt(GetPromptParams::new("p"), &none)
        .await
        .unwrap();
    client.read_resource("r://x", &none).await.unwrap();
    client.discover().await.unwrap();
    client.ping(&none).await.unwrap();
    let mut filter = SubscriptionFilter::default();
    filter.tools_list_changed = Some(true);
    client.listen(filter).await.unwrap();
    client.close().await;

    let posts: Vec<_> = script
        .seen()
        .into_iter()
        .filter(|s| s.method == "POST")
        .collect();
    assert!(posts.len() >= 8, "{:?}", script.kinds());
    for post in posts {
        let meta = &post.body["params"]["_meta"];
        let version = &meta["io.modelcontextprotocol/protocolVersion"];
        assert_eq!(*version, MODERN, "{}", post.kind());
        assert_eq!(
            post.header("mcp-protocol-version"),
            Some(MODERN),
            "{}",
            post.kind()
        );
        let all = post.headers.get_all("mcp-protocol-version").iter().count();
        assert_eq!(all, 1);
    }
}

/// A server that has forgotten its sessions: every session lives for this many calls.
async fn forgetful(calls: u32, sessions: u32) -> WebScript {
    let (left, begun) = (AtomicU32::new(0), AtomicU32::new(0));
    WebScript::start(move |seen| {
        let capabilities = json!({"tools": {}});
        match seen.kind() {
            "initialize" if begun.load(Ordering::SeqCst) >= sessions => web_script::status(404),
            "initialize" => {
                let number = begun.fetch_add(1, Ordering::SeqCst) + 1;
                left.store(calls, Ordering::SeqCst);
                let mut answer =
                    web_script::with_sessions(seen, LATEST_HANDSHAKE, &capabilities).unwrap();
                let id = format!("session-{number}").parse().unwrap();
                answer.headers_mut().insert("mcp-session-id", id);
                answer
            }
            "tools/call" => {
                let current = format!("session-{}", begun.load(Ordering::SeqCst));
                let is_current = seen.header("mcp-session-id") == Some(&current);
                let alive =
                    left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1));
                if is_current && alive.is_ok() {
                    web_script::result(seen, &json!({"content": []}))
                } else {
                    web_script::status(404)
                }
            }
            _ => web_script::with_sessions(seen, LATEST_HANDSHAKE, &capabilities).unwrap(),
        }
    })
    .await
}

fn pool(script: &WebScript) -> ServerPool {
    ServerPool::builder()
        .server("s", Arc::new(script.connector()))
        .build()
}

async fn call(pool: &ServerPool) -> Result<(), String> {
    let none = CallOptions::new();
    let call = pool.call_tool("s", CallToolParams::new("t"), &none);
    soon(call).await.map(drop).map_err(|error| error.chain())
}

#[tokio::test]
async fn http_17_h07_a_lost_session_is_replaced_once_without_its_id_and_the_call_made_again() {
    let script = forgetful(2, u32::MAX).await;
    let pool = pool(&script);
    for _ in 0..4 {
        call(&pool).await.unwrap();
    }
    pool.shutdown().await;
    let seen = script.seen();
    let hellos: Vec<_> = seen
        .iter()
        .filter(|seen| seen.kind() == "initialize")
        .collect();
    assert_eq!(hellos.len(), 2);
    for hello in hellos {
        assert_eq!(hello.header("mcp-session-id"), None);
        assert_eq!(hello.header("mcp-protocol-version"), None);
    }
    let ids: Vec<_> = seen
        .iter()
        .filter(|seen| seen.kind() == "tools/call")
        .map(|seen| seen.header("mcp-session-id").unwrap())
        .collect();
    // Two calls in the first session, one that finds it gone and is made again, one more.
    assert_eq!(
        ids,
        [
            "session-1",
            "session-1",
            "session-1",
            "session-2",
            "session-2"
        ]
    );
}

#[tokio::test]
async fn http_17_h07_a_server_that_always_forgets_is_an_error_and_no_loop() {
    let script = forgetful(0, u32::MAX).await;
    let pool = pool(&script);
    call(&pool).await.unwrap_err();
    pool.shutdown().await;
    let hellos = script
        .kinds()
        .iter()
        .filter(|kind| *kind == "initialize")
        .count();
    assert!(hellos <= 3, "{:?}", script.kinds());
}

#[tokio::test]
async fn http_17_h07_a_server_that_wants_no_new_session_is_an_error() {
    let script = forgetful(1, 1).await;
    let pool = pool(&script);
    call(&pool).await.unwrap();
    call(&pool).await.unwrap_err();
    pool.shutdown().await;
}

#[tokio::test]
async fn life_02_the_stream_of_the_server_is_opened_after_initialized() {
    let (open, stream) = live();
    let stream = std::sync::Mutex::new(Some(stream));
    let mut script = WebScript::start(move |seen| match seen.kind() {
        "GET" => stream
            .lock()
            .unwrap()
            .take()
            .unwrap_or_else(|| web_script::status(405)),
        _ => web_script::with_sessions(seen, LATEST_HANDSHAKE, &json!({"tools": {}})).unwrap(),
    })
    .await;
    let client = script.connect(options()).await;
    let get = script.next("GET").await;
    assert_eq!(get.header("mcp-session-id"), Some("session-1"));
    let kinds = script.kinds();
    let place = |kind: &str| kinds.iter().position(|other| other == kind).unwrap();
    assert!(
        place("notifications/initialized") < place("GET"),
        "{kinds:?}"
    );
    drop(open);
    client.close().await;
}
