//! Being told of changes: what a session does by itself, and what survives a connection.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use mcp_client::{
    CallOptions, Change, Changes, ClientOptions, Error, Handlers, Origin, ServerOptions,
    ServerPool, Session,
};
use mcp_protocol::lifecycle::Preference;
use mcp_protocol::subscriptions::SubscriptionFilter;
use mcp_protocol::{CallToolParams, ProtocolVersion, Resource, Tool};
use mcp_server::{NoArgs, Server, ToolError};
use mcp_testkit::ScriptedPeer;
use mcp_transport::{BoxFuture, CallId};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::connects::{Local, Scripted, discovered, options, scripted, stateless, welcome};

#[derive(Debug)]
struct Tell(mpsc::UnboundedSender<(Change, Origin)>);

impl Changes for Tell {
    fn changed(&self, change: Change, origin: Origin) -> BoxFuture<'_, ()> {
        self.0.send((change, origin)).unwrap();
        Box::pin(std::future::ready(()))
    }
}

type Told = mpsc::UnboundedReceiver<(Change, Origin)>;

fn told() -> (Handlers, Told) {
    let (tell, told) = mpsc::unbounded_channel();
    (Handlers::new().with_changes(Tell(tell)), told)
}

fn told_options() -> (ClientOptions, Told) {
    let (handlers, told) = told();
    (options().with_handlers(handlers), told)
}

/// Agrees to a request to listen, as far as `notifications` says.
async fn agree(peer: &mut ScriptedPeer, listen: &Value, notifications: Value) {
    let meta = json!({"io.modelcontextprotocol/subscriptionId": listen["id"]});
    let params = json!({"_meta": meta, "notifications": notifications});
    peer.notify("notifications/subscriptions/acknowledged", params)
        .await;
}

/// Expects a request to listen and agrees to all of it.
async fn listen(peer: &mut ScriptedPeer) -> Value {
    let listen = peer.expect("subscriptions/listen").await;
    let wanted = listen["params"]["notifications"].clone();
    agree(peer, &listen, wanted).await;
    listen
}

async fn end(peer: &mut ScriptedPeer, listen: &Value) {
    let meta = json!({"io.modelcontextprotocol/subscriptionId": listen["id"]});
    let result = json!({"resultType": "complete", "_meta": meta});
    peer.answer(listen, result).await;
}

fn tools() -> Value {
    json!({"tools": {"listChanged": true}})
}

#[tokio::test(start_paused = true)]
async fn a_session_listens_for_what_the_server_offers_if_somebody_wants_to_know() {
    let (options, mut told) = told_options();
    let capabilities = json!({"tools": {"listChanged": true}, "prompts": {}});
    let (session, peer) = stateless(capabilities, options, |mut peer| async move {
        let listen = listen(&mut peer).await;
        let wanted = &listen["params"]["notifications"];
        assert_eq!(*wanted, json!({"toolsListChanged": true}));
        assert!(listen["params"]["_meta"].get("progressToken").is_none());
        let meta = json!({"io.modelcontextprotocol/subscriptionId": listen["id"]});
        peer.notify("notifications/tools/list_changed", json!({ "_meta": meta }))
            .await;
        // The end of the session ends the subscription.
        let cancelled = peer.expect("notifications/cancelled").await;
        assert_eq!(cancelled["params"]["requestId"], listen["id"]);
    })
    .await;
    let (change, origin) = told.recv().await.unwrap();
    assert_eq!(change, Change::Tools);
    assert!(origin.subscription.is_some());
    session.close().await;
    peer.finish().await;
}

#[tokio::test(start_paused = true)]
async fn nothing_is_listened_for_that_nobody_wants_to_know_or_the_server_does_not_tell() {
    let silent = |mut peer: ScriptedPeer| async move {
        let more = tokio::time::timeout(Duration::from_secs(60), peer.receive()).await;
        assert!(more.is_err(), "{more:?}");
    };
    let quiet = {
        let (mut options, _) = told_options();
        options.listen = false;
        options
    };
    for (capabilities, options) in [
        (tools(), options()),
        (tools(), quiet),
        (json!({"tools": {}}), told_options().0),
    ] {
        let (session, peer) = stateless(capabilities, options, silent).await;
        peer.finish().await;
        drop(session);
    }
}

#[tokio::test(start_paused = true)]
async fn proto_67_proto_68_listening_begins_again_after_a_good_end_and_after_a_bad_one() {
    let (options, _told) = told_options();
    let (_session, peer) = stateless(tools(), options, |mut peer| async move {
        let first = listen(&mut peer).await;
        tokio::time::sleep(Duration::from_secs(100)).await;
        end(&mut peer, &first).await;
        let again = tokio::time::Instant::now();
        let mut last = Duration::ZERO;
        for n in 0..6 {
            let listen = peer.expect("subscriptions/listen").await;
            assert_ne!(listen["id"], first["id"]);
            // Pauses grow: what fails again and again is asked for less and less.
            let pause = again.elapsed() - last;
            let longest = Duration::from_millis(200 << n);
            assert!(pause <= longest && pause >= longest / 3, "{pause:?}");
            last = again.elapsed();
            peer.fail(&listen, -32000, "busy").await;
        }
        listen(&mut peer).await;
    })
    .await;
    peer.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_listen_is_not_asked_again() {
    let (options, _told) = told_options();
    let (session, peer) = stateless(
        json!({"resources": {"subscribe": true}, "tools": {"listChanged": true}}),
        options,
        |mut peer| async move {
            let listen = peer.expect("subscriptions/listen").await;
            peer.fail(&listen, -32601, "no such method").await;
            let more = tokio::time::timeout(Duration::from_secs(600), peer.receive()).await;
            assert!(more.is_err(), "{more:?}");
            // Who asks for more hears of it.
            let listen = peer.expect("subscriptions/listen").await;
            peer.fail(&listen, -32601, "no such method").await;
        },
    )
    .await;
    tokio::time::sleep(Duration::from_secs(601)).await;
    let error = session.subscribe("a:b").await.unwrap_err();
    assert_eq!(error.remote().unwrap().code.0, -32601);
    peer.finish().await;
}

#[tokio::test(start_paused = true)]
async fn proto_53_a_change_that_is_told_of_makes_the_list_stale() {
    let news = mcp_server::Changes::new();
    let tool = Tool::new("t", json!({"type": "object"}));
    let server = Server::builder("s", "1")
        .tool(tool, |_: NoArgs, _| async { Ok::<_, ToolError>("done") })
        .list_ttl(Duration::from_secs(3600))
        .changes(&news)
        .build();
    let (options, mut told) = told_options();
    let options = options.with_versions([ProtocolVersion::LATEST]);
    let local = Local::new(server);
    let session = Session::connect(&*local, options).await.unwrap();
    // Until the server has agreed, changes may be missed; then what is kept is forgotten.
    tokio::time::sleep(Duration::from_millis(1)).await;
    let first = session.list_tools().await.unwrap();
    assert!(Arc::ptr_eq(&first, &session.list_tools().await.unwrap()));
    news.tools_changed().await;
    assert_eq!(told.recv().await.unwrap().0, Change::Tools);
    assert!(!Arc::ptr_eq(&first, &session.list_tools().await.unwrap()));
    session.close().await;
}

#[tokio::test(start_paused = true)]
async fn a_resource_is_subscribed_to_by_one_call_in_every_revision() {
    for version in ProtocolVersion::ALL {
        let news = mcp_server::Changes::new();
        let mut builder = Server::builder("s", "1").changes(&news);
        for n in 1..=3 {
            let resource = Resource::new(format!("shelf://{n}"), "book");
            builder = builder.fixed_resource(resource, "text");
        }
        let (options, mut told) = told_options();
        let local = Local::new(builder.build());
        let options = options.with_versions([version]);
        let session = Session::connect(&*local, options).await.unwrap();
        session.subscribe("shelf://1").await.unwrap();
        session.subscribe("shelf://2").await.unwrap();
        news.resource_updated("shelf://3").await;
        // By now the request before the second subscription has ended; until then a change may
        // be told of twice.
        tokio::time::sleep(Duration::from_millis(1)).await;
        for n in 1..=2 {
            let uri = format!("shelf://{n}");
            news.resource_updated(&uri).await;
            let (change, _) = told.recv().await.unwrap();
            assert_eq!(change, Change::Resource { uri }, "{version}");
        }
        session.unsubscribe("shelf://1").await.unwrap();
        tokio::time::sleep(Duration::from_millis(1)).await;
        news.resource_updated("shelf://1").await;
        news.resource_updated("shelf://2").await;
        let (change, _) = told.recv().await.unwrap();
        let uri = "shelf://2".to_owned();
        assert_eq!(change, Change::Resource { uri }, "{version}");
        session.close().await;
    }
}

#[tokio::test(start_paused = true)]
async fn what_more_is_wanted_is_asked_for_before_the_old_request_ends() {
    let capabilities = json!({"resources": {"subscribe": true}});
    let (session, peer) = stateless(capabilities, options(), |mut peer| async move {
        let one = listen(&mut peer).await;
        let wanted = &one["params"]["notifications"];
        assert_eq!(*wanted, json!({"resourceSubscriptions": ["a:1"]}));
        let two = listen(&mut peer).await;
        let wanted = &two["params"]["notifications"];
        assert_eq!(*wanted, json!({"resourceSubscriptions": ["a:1", "a:2"]}));
        let cancelled = peer.expect("notifications/cancelled").await;
        assert_eq!(cancelled["params"]["requestId"], one["id"]);
        // The server need not tell of everything.
        let three = peer.expect("subscriptions/listen").await;
        let some = json!({"resourceSubscriptions": ["a:1", "a:2"]});
        agree(&mut peer, &three, some).await;
        peer.expect("notifications/cancelled").await;
        // What it does not tell of is not wanted any more.
        let four = listen(&mut peer).await;
        let wanted = &four["params"]["notifications"];
        assert_eq!(*wanted, json!({"resourceSubscriptions": ["a:1", "a:2"]}));
    })
    .await;
    session.subscribe("a:1").await.unwrap();
    session.subscribe("a:2").await.unwrap();
    let error = session.subscribe("a:3").await.unwrap_err();
    assert!(matches!(error, Error::NotSubscribed { .. }), "{error}");
    peer.finish().await;
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_subscribed_to_is_refused_without_a_message() {
    let script = |mut peer: ScriptedPeer| async move { while peer.receive().await.is_some() {} };
    let (session, _peer) = stateless(json!({"resources": {}}), options(), script).await;
    let error = session.subscribe("a:1").await.unwrap_err();
    assert!(matches!(error, Error::NotNegotiated(_)), "{error}");

    let capabilities = json!({"resources": {"subscribe": true}});
    let (session, peer) = stateless(capabilities, options(), |mut peer| async move {
        while let Some(message) = peer.receive().await {
            if message["method"] == "subscriptions/listen" {
                let wanted = message["params"]["notifications"].clone();
                agree(&mut peer, &message, wanted).await;
            }
        }
    })
    .await;
    for n in 0..1024 {
        session.subscribe(format!("a:{n}")).await.unwrap();
    }
    let error = session.subscribe("b:1").await.unwrap_err();
    assert!(
        matches!(error, Error::TooManySubscriptions { limit: 1024 }),
        "{error}"
    );
    session.subscribe("a:7").await.unwrap();
    session.close().await;
    peer.finish().await;
}

#[tokio::test]
async fn proto_66_two_subscriptions_of_one_connection_are_told_apart() {
    let (handlers, mut told) = told();
    let mut options = options().with_handlers(handlers);
    options.listen = false;
    let capabilities = json!({"tools": {"listChanged": true}, "prompts": {"listChanged": true}});
    let (session, peer) = stateless(capabilities, options, |mut peer| async move {
        let one = listen(&mut peer).await;
        let two = listen(&mut peer).await;
        for (id, method) in [
            (&two["id"], "notifications/prompts/list_changed"),
            (&one["id"], "notifications/tools/list_changed"),
        ] {
            let meta = json!({"io.modelcontextprotocol/subscriptionId": id});
            peer.notify(method, json!({ "_meta": meta })).await;
        }
        end(&mut peer, &two).await;
        end(&mut peer, &one).await;
    })
    .await;
    let (one, two) = (CallId::new(), CallId::new());
    let tools = SubscriptionFilter::new().with_tools_list_changed(true);
    let prompts = SubscriptionFilter::new().with_prompts_list_changed(true);
    let both = tokio::join!(
        session.listen_as(tools, &one),
        session.listen_as(prompts, &two)
    );
    both.0.and(both.1).unwrap();
    for (id, expected) in [(two, Change::Prompts), (one, Change::Tools)] {
        let (change, origin) = told.recv().await.unwrap();
        assert_eq!(change, expected);
        assert_eq!(origin.subscription.as_ref(), id.get());
    }
    peer.finish().await;
}

async fn call(pool: &ServerPool) {
    let options = CallOptions::new();
    let called = pool
        .call_tool("s", CallToolParams::new("t"), &options)
        .await;
    called.unwrap();
}

/// Takes a subscription and, on the second connection, a call, in whatever order they come; ends
/// the first connection then.
async fn subscribed(mut peer: ScriptedPeer, connection: usize) {
    for _ in 0..=connection {
        let message = peer.receive().await.unwrap();
        match message["method"].as_str().unwrap() {
            "tools/call" => {
                let result = json!({"resultType": "complete", "content": []});
                peer.answer(&message, result).await;
            }
            "resources/subscribe" => {
                assert_eq!(message["params"]["uri"], "a:1");
                peer.answer(&message, json!({})).await;
            }
            _ => {
                let wanted = message["params"]["notifications"].clone();
                assert_eq!(wanted, json!({"resourceSubscriptions": ["a:1"]}));
                agree(&mut peer, &message, wanted).await;
            }
        }
    }
    if connection == 0 {
        tokio::time::sleep(Duration::from_secs(1)).await;
        peer.hang_up().await;
    }
    peer.receive().await;
}

#[tokio::test(start_paused = true)]
async fn proto_68_stdio_13_the_next_connection_of_a_pool_is_told_what_is_wanted() {
    let capabilities = || json!({"tools": {}, "resources": {"subscribe": true}});
    let old = Scripted::new(move |count, mut peer| async move {
        welcome(&mut peer, &capabilities()).await;
        subscribed(peer, count).await;
    });
    let new = Scripted::new(move |count, mut peer| async move {
        discovered(&mut peer, &capabilities()).await;
        subscribed(peer, count).await;
    });
    for (server, preference) in [(old, Preference::Handshake), (new, Preference::Stateless)] {
        let options = ServerOptions::new().with_preference(preference);
        let pool = ServerPool::builder()
            .server_with("s", Arc::clone(&server) as _, options)
            .build();
        pool.subscribe("s", "a:1").await.unwrap();
        pool.session("s").await.unwrap().closed().await;
        call(&pool).await;
        tokio::time::sleep(Duration::from_millis(1)).await;
        pool.shutdown().await;
        assert_eq!(server.connects.load(Ordering::SeqCst), 2);
        server.finish().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_session_that_listens_ends_when_nobody_has_it_any_more() {
    let (options, _told) = told_options();
    let (session, peer) = stateless(tools(), options, |mut peer| async move {
        listen(&mut peer).await;
        while peer.receive().await.is_some() {}
    })
    .await;
    tokio::time::sleep(Duration::from_millis(1)).await;
    drop(session);
    peer.finish().await;
}

#[tokio::test]
async fn an_unknown_acknowledgement_does_no_harm() {
    let (session, peer) = scripted(json!({}), options(), |mut peer| async move {
        let meta = json!({"io.modelcontextprotocol/subscriptionId": 99});
        let params = json!({"_meta": meta, "notifications": {}});
        peer.notify("notifications/subscriptions/acknowledged", params)
            .await;
        let ping = peer.expect("ping").await;
        peer.answer(&ping, json!({})).await;
    })
    .await;
    session.ping(&CallOptions::new()).await.unwrap();
    peer.finish().await;
}
