//! Changes that clients are told of, and what a client keeps until then.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp::client::{CallOptions, Change, ClientOptions, Handlers, Origin, Session};
use mcp::jsonrpc::Id;
use mcp::protocol::{CallToolParams, ProtocolVersion, Resource, SubscriptionFilter};
use mcp::server::{Changes, Context, NoArgs, ToolError};
use mcp::transport::BoxFuture;
use mcp::{Server, ServerPool, Tool};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::lines::{Lines, Played, modern};
use crate::web_script::{self, WebScript};
use crate::wire::{MODERN, Running, WIRES, soon};

fn tool(name: &str) -> Tool {
    Tool::new(name, json!({"type": "object"}))
}

fn news(changes: &Changes) -> Server {
    Server::builder("news", "1")
        .changes(changes)
        .list_ttl(Duration::from_secs(3600))
        .tool(tool("first"), |_: NoArgs, _: Context| async {
            Ok::<_, ToolError>("first")
        })
        .fixed_resource(Resource::new("r://a", "a"), "a")
        .fixed_resource(Resource::new("r://b", "b"), "b")
        .build()
}

fn listen(id: impl Into<Value>, filter: Value) -> Value {
    modern(id, "subscriptions/listen", json!({"notifications": filter}))
}

const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

#[tokio::test]
async fn stdio_18_proto_65_several_subscriptions_share_a_pipe() {
    let changes = Changes::new();
    let server = news(&changes);
    let (mut client, _peer) = Lines::to(&server);
    // Ids that differ in their type alone.
    let wanted = [
        (json!(1), json!({"toolsListChanged": true})),
        (json!("1"), json!({"resourceSubscriptions": ["r://a"]})),
        (
            json!("third"),
            json!({"resourceSubscriptions": ["r://a", "r://b"], "toolsListChanged": true}),
        ),
    ];
    for (id, filter) in &wanted {
        client.send(&listen(id.clone(), filter.clone())).await;
    }
    // The first message of each is that it has begun, whatever comes in between.
    let mut begun = Vec::new();
    for _ in 0..3 {
        let message = client
            .expect("notifications/subscriptions/acknowledged")
            .await;
        let id = message["params"]["_meta"][SUBSCRIPTION].clone();
        let (_, filter) = wanted.iter().find(|(wanted, _)| *wanted == id).unwrap();
        assert_eq!(message["params"]["notifications"], *filter);
        begun.push(id.to_string());
    }
    begun.sort();
    assert_eq!(begun, ["\"1\"", "\"third\"", "1"]);

    changes.tools_changed().await;
    changes.resource_updated("r://a").await;
    changes.resource_updated("r://b").await;
    let mut told = Vec::new();
    for _ in 0..5 {
        let message = client.next().await;
        let id = message["params"]["_meta"][SUBSCRIPTION].to_string();
        let what = match message["params"]["uri"].as_str() {
            Some(uri) => uri.to_owned(),
            None => message["method"].as_str().unwrap().to_owned(),
        };
        told.push((id, what));
    }
    told.sort();
    let tools = "notifications/tools/list_changed";
    let expected = [
        ("\"1\"", "r://a"),
        ("\"third\"", tools),
        ("\"third\"", "r://a"),
        ("\"third\"", "r://b"),
        ("1", tools),
    ];
    assert_eq!(
        told,
        expected.map(|(id, what)| (id.to_owned(), what.to_owned()))
    );

    // One ends, the others go on.
    client
        .notify("notifications/cancelled", json!({"requestId": "1"}))
        .await;
    client.silent(MODERN).await;
    changes.resource_updated("r://a").await;
    let message = client.expect("notifications/resources/updated").await;
    assert_eq!(message["params"]["_meta"][SUBSCRIPTION], "third");
    client.silent(MODERN).await;
}

/// Notes by which subscription it was told of what.
#[derive(Clone, Debug)]
struct Told(mpsc::Sender<(Option<Id>, Change)>);

impl mcp::client::Changes for Told {
    fn changed(&self, change: Change, origin: Origin) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.0.send((origin.subscription, change)).await.unwrap();
        })
    }
}

fn of_resource(uri: &str) -> SubscriptionFilter {
    let mut filter = SubscriptionFilter::default();
    filter.resource_subscriptions = Some(vec![uri.to_owned()]);
    filter
}

#[tokio::test]
async fn proto_66_two_subscriptions_on_one_pipe_are_told_apart() {
    let (sender, mut told) = mpsc::channel(10);
    let (played, mut connections) = Played::new();
    let mut options =
        ClientOptions::new("test", "1").with_handlers(Handlers::new().with_changes(Told(sender)));
    options.listen = false;
    let connecting = tokio::spawn(async move { Session::connect(&played, options).await });
    let mut server = connections.recv().await.unwrap();
    server
        .discovered(json!({"resources": {"subscribe": true}}))
        .await;
    let client = soon(connecting).await.unwrap().unwrap();
    let mut ids = Vec::new();
    let mut ends = Vec::new();
    for uri in ["r://a", "r://b"] {
        let client = client.clone();
        ends.push(tokio::spawn(async move {
            client.listen(of_resource(uri)).await
        }));
        let listen = server.expect("subscriptions/listen").await;
        let filter = &listen["params"]["notifications"];
        assert_eq!(filter["resourceSubscriptions"], json!([uri]));
        let params = json!({"_meta": {SUBSCRIPTION: listen["id"]}, "notifications": filter});
        server
            .notify("notifications/subscriptions/acknowledged", params)
            .await;
        ids.push(listen["id"].clone());
    }
    assert_ne!(ids[0], ids[1]);
    // Interleaved, and with the same content.
    for at in [1, 0, 0, 1] {
        let params = json!({"_meta": {SUBSCRIPTION: ids[at]}, "uri": "r://same"});
        server
            .notify("notifications/resources/updated", params)
            .await;
        let (subscription, change) = soon(told.recv()).await.unwrap();
        let subscription = serde_json::to_value(subscription).unwrap();
        assert_eq!(subscription, ids[at]);
        assert_eq!(
            change,
            Change::Resource {
                uri: "r://same".to_owned()
            }
        );
    }
    // The end of one is the end of that one.
    let end = json!({"resultType": "complete", "_meta": {SUBSCRIPTION: ids[0]}});
    server
        .send(&json!({"jsonrpc": "2.0", "id": ids[0], "result": end}))
        .await;
    let second = ends.pop().unwrap();
    soon(ends.pop().unwrap()).await.unwrap().unwrap();
    assert!(!second.is_finished());
    client.close().await;
    soon(second).await.unwrap().unwrap_err();
}

/// The names of the tools that a client sees.
async fn names(client: &Session) -> Vec<String> {
    let tools = client.list_tools().await.unwrap();
    tools.items.iter().map(|tool| tool.name.clone()).collect()
}

#[tokio::test]
async fn proto_53_a_change_makes_a_kept_list_stale_at_once() {
    for version in [ProtocolVersion::V2025_11_25, ProtocolVersion::V2026_07_28] {
        for wire in WIRES {
            let changes = Changes::new();
            let server = news(&changes);
            let running = Running::start(&server, wire).await;
            let (sender, mut told) = mpsc::channel(10);
            let handlers = Handlers::new().with_changes(Told(sender));
            let options = ClientOptions::new("test", "1")
                .with_versions([version])
                .with_handlers(handlers);
            let client = running.connect(options).await;
            let mut now = names(&client).await;
            assert_eq!(now, ["first"]);
            // When the subscription begins is the server's to say: a change before it is not told.
            let edits = async {
                for round in 0.. {
                    let added = tool(&format!("tool {round}"));
                    let edit = server.edit(move |offer| {
                        offer.tool(added, |_: NoArgs, _: Context| async {
                            Ok::<_, ToolError>(())
                        });
                    });
                    edit.await;
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
            };
            let change = soon(async {
                tokio::select! {
                    told = told.recv() => told.unwrap().1,
                    () = edits => unreachable!("edits go on"),
                }
            });
            assert_eq!(change.await, Change::Tools);
            now = names(&client).await;
            assert!(now.len() > 1, "{wire:?} {version}: {now:?}");
            client.close().await;
            running.stop().await;
        }
    }
}

#[tokio::test]
async fn proto_53_a_list_is_kept_until_then() {
    let asked = Arc::new(Mutex::new(0));
    let (played, mut connections) = Played::new();
    let connecting =
        tokio::spawn(
            async move { Session::connect(&played, ClientOptions::new("test", "1")).await },
        );
    let mut server = connections.recv().await.unwrap();
    server
        .discovered(json!({"tools": {"listChanged": true}}))
        .await;
    let client = soon(connecting).await.unwrap().unwrap();
    let count = Arc::clone(&asked);
    let peer = tokio::spawn(async move {
        while let Some(line) = server.line().await {
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["method"] == "tools/list" {
                *count.lock().unwrap() += 1;
                let list = json!({"resultType": "complete", "tools": [], "ttlMs": 3_600_000,
                    "cacheScope": "private"});
                server.answer(&message, list).await;
            }
            if message["method"] == "tools/call" {
                server
                    .notify("notifications/tools/list_changed", json!({}))
                    .await;
                server
                    .answer(&message, json!({"resultType": "complete", "content": []}))
                    .await;
            }
        }
    });
    for _ in 0..3 {
        names(&client).await;
    }
    assert_eq!(*asked.lock().unwrap(), 1);
    // The news comes before the answer, and is dealt with before it.
    let change = CallToolParams::new("change");
    client.call_tool(change, &CallOptions::new()).await.unwrap();
    names(&client).await;
    names(&client).await;
    assert_eq!(*asked.lock().unwrap(), 2);
    client.close().await;
    soon(peer).await.unwrap();
}

/// Agrees to all of a request to listen.
async fn agree(server: &mut Lines, listen: &Value) {
    assert_eq!(listen["method"], "subscriptions/listen", "{listen}");
    let params = json!({"_meta": {SUBSCRIPTION: listen["id"]},
        "notifications": listen["params"]["notifications"]});
    server
        .notify("notifications/subscriptions/acknowledged", params)
        .await;
}

#[tokio::test]
async fn proto_68_a_subscription_is_asked_for_again_after_a_restart() {
    let (sender, mut told) = mpsc::channel(10);
    let (played, mut connections) = Played::new();
    let handlers = Handlers::new().with_changes(Told(sender));
    let pool = ServerPool::builder()
        .handlers(handlers)
        .server("s", Arc::new(played))
        .build();
    let mut wanted = Vec::new();
    for round in 0..3 {
        let calling = pool.clone();
        let call = tokio::spawn(async move {
            let params = CallToolParams::new("x");
            calling.call_tool("s", params, &CallOptions::new()).await
        });
        let mut server = soon(connections.recv()).await.unwrap();
        server
            .discovered(json!({"tools": {"listChanged": true}}))
            .await;
        // The call and the request to listen come in any order.
        let mut listen = Value::Null;
        for _ in 0..2 {
            let message = server.next().await;
            if message["method"] == "tools/call" {
                let result = json!({"resultType": "complete", "content": []});
                server.answer(&message, result).await;
            } else {
                agree(&mut server, &message).await;
                listen = message;
            }
        }
        soon(call).await.unwrap().unwrap();
        wanted.push(listen["params"]["notifications"].clone());
        // It works as the first one did.
        let params = json!({"_meta": {SUBSCRIPTION: listen["id"]}});
        server
            .notify("notifications/tools/list_changed", params)
            .await;
        let (_, change) = soon(told.recv()).await.unwrap();
        assert_eq!(change, Change::Tools, "round {round}");
        // The server dies.
        drop(server);
    }
    assert_eq!(wanted[0], json!({"toolsListChanged": true}));
    assert!(
        wanted.iter().all(|filter| *filter == wanted[0]),
        "{wanted:?}"
    );
    pool.shutdown().await;
}

#[tokio::test]
async fn proto_68_over_http_a_stream_that_broke_is_asked_for_again_under_another_id() {
    let (sender, mut told) = mpsc::channel(10);
    let (streams, mut open) = mpsc::channel(10);
    let mut script = WebScript::start(move |seen| {
        web_script::without_handshake(seen, &json!({"tools": {"listChanged": true}}))
            .unwrap_or_else(|| {
                assert_eq!(seen.kind(), "subscriptions/listen");
                let (sender, stream) = web_script::live();
                streams.try_send(sender).unwrap();
                stream
            })
    })
    .await;
    let options =
        ClientOptions::new("test", "1").with_handlers(Handlers::new().with_changes(Told(sender)));
    let client = script.connect(options).await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        let listen = script.next("subscriptions/listen").await;
        let filter = &listen.body["params"]["notifications"];
        assert_eq!(*filter, json!({"toolsListChanged": true}));
        let stream = soon(open.recv()).await.unwrap();
        let id = listen.body["id"].clone();
        for (method, params) in [
            (
                "notifications/subscriptions/acknowledged",
                json!({"_meta": {SUBSCRIPTION: id}, "notifications": filter}),
            ),
            (
                "notifications/tools/list_changed",
                json!({"_meta": {SUBSCRIPTION: id}}),
            ),
        ] {
            let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
            stream.send(web_script::event(&message)).await.unwrap();
        }
        assert_eq!(soon(told.recv()).await.unwrap().1, Change::Tools);
        ids.push(id.to_string());
    }
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 3);
    client.close().await;
}
