//! Sessions that one caller holds, the heartbeat, and subscriptions.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use http::Extensions;
use mcp_client::{CallOptions, Logging, Origin, ServerOptions, ServerPool, Session};
use mcp_client::{Handlers, PoolError};
use mcp_interceptors::{
    CallErrorKind, Intercepted, JsonMap, ToolCall, ToolLayers, Toolset, from_fn,
};
use mcp_protocol::LoggingMessageParams;
use mcp_protocol::lifecycle::Preference;
use mcp_protocol::subscriptions::SubscriptionFilter;
use mcp_transport::BoxFuture;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::connects::{Local, Scripted, options, scripted, welcome};
use crate::pool::tools;

fn handshake() -> ServerOptions {
    ServerOptions::new().with_preference(Preference::Handshake)
}

#[tokio::test]
async fn a_held_session_is_not_shared_and_interceptors_stand_around_it() {
    let local = Local::new(tools(&["t"]));
    let pool = ServerPool::builder()
        .server("s", Arc::clone(&local) as _)
        .build();
    let held = pool.hold("s").await.unwrap();
    let layers = ToolLayers::new().intercept(from_fn(|_call, _next| async { Ok("no".into()) }));
    let toolset = Intercepted::new(Arc::new(held.clone()), &layers);
    let tool = toolset.tools().await.tools.remove(0);
    assert_eq!(tool.name(), "s__t");
    let call = ToolCall::new(tool, JsonMap::new());
    assert_eq!(
        Toolset::call(&held, call.clone()).await.unwrap().text(),
        "t"
    );
    assert_eq!(
        Toolset::call(&toolset, call.clone()).await.unwrap().text(),
        "no"
    );

    pool.session("s").await.unwrap();
    held.close().await;
    let error = Toolset::call(&held, call).await.unwrap_err();
    assert_eq!(error.kind(), CallErrorKind::Transport);
    pool.session("s")
        .await
        .unwrap()
        .ping(&CallOptions::new())
        .await
        .unwrap();
    assert_eq!(local.connects.load(Ordering::SeqCst), 2);
    pool.shutdown().await;
    assert!(matches!(
        pool.hold("s").await.unwrap_err(),
        PoolError::ShutDown
    ));
}

#[tokio::test(start_paused = true)]
async fn a_server_without_a_heartbeat_is_disconnected() {
    let server = Scripted::new(|count, mut peer| async move {
        welcome(&mut peer, &json!({})).await;
        let answers = if count == 0 { 2 } else { 1 };
        for _ in 0..answers {
            let ping = peer.expect("ping").await;
            peer.answer(&ping, json!({})).await;
        }
        while peer.receive().await.is_some() {}
    });
    let options = handshake().with_heartbeat(Duration::from_secs(30));
    let pool = ServerPool::builder()
        .server_with("s", Arc::clone(&server) as _, options)
        .build();
    let session = pool.session("s").await.unwrap();
    let beating = tokio::time::timeout(Duration::from_secs(600), pool.heartbeat());
    let (ended, reason) = tokio::join!(beating, session.closed());
    assert!(ended.is_err(), "a heartbeat never ends");
    assert_eq!(reason.kind(), mcp_transport::TransportErrorKind::ClosedHere);
    let next = pool.session("s").await.unwrap();
    next.ping(&CallOptions::new()).await.unwrap();
    assert_eq!(server.connects.load(Ordering::SeqCst), 2);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_works_is_not_asked_whether_it_is_there() {
    let server = Scripted::new(|_, mut peer| async move {
        welcome(&mut peer, &json!({"tools": {}})).await;
        let call = peer.expect("tools/call").await;
        let more = tokio::time::timeout(Duration::from_secs(50), peer.receive()).await;
        assert!(more.is_err(), "{more:?}");
        peer.answer(&call, json!({"content": []})).await;
        peer.receive().await;
    });
    let options = handshake().with_heartbeat(Duration::from_secs(5));
    let pool = ServerPool::builder()
        .server_with("s", Arc::clone(&server) as _, options)
        .build();
    let options = CallOptions::new();
    let call = pool.call_tool("s", mcp_protocol::CallToolParams::new("t"), &options);
    tokio::select! {
        () = pool.heartbeat() => panic!("a heartbeat never ends"),
        called = call => drop(called.unwrap()),
    }
}

#[tokio::test(start_paused = true)]
async fn a_subscription_lasts_until_the_server_ends_it() {
    let server = Scripted::new(|_, mut peer| async move {
        let probe = peer.expect("server/discover").await;
        let result = json!({
            "resultType": "complete", "supportedVersions": ["2026-07-28"],
            "capabilities": {"tools": {"listChanged": true}}, "ttlMs": 0, "cacheScope": "private",
        });
        peer.answer(&probe, result).await;
        let listen = peer.expect("subscriptions/listen").await;
        assert_eq!(
            listen["params"]["notifications"],
            json!({"toolsListChanged": true})
        );
        tokio::time::sleep(Duration::from_secs(100_000)).await;
        let id = json!({"io.modelcontextprotocol/subscriptionId": listen["id"]});
        peer.answer(&listen, json!({"resultType": "complete", "_meta": id}))
            .await;
    });
    let session = Session::connect(&*server, options()).await.unwrap();
    let filter = SubscriptionFilter::new().with_tools_list_changed(true);
    session.listen(filter).await.unwrap();
    server.finish().await;
}

#[derive(Clone, Debug, PartialEq)]
struct CallId(&'static str);

#[derive(Debug)]
struct Told(mpsc::UnboundedSender<(Value, Option<CallId>)>);

impl Logging for Told {
    fn log(&self, message: LoggingMessageParams, origin: Origin) -> BoxFuture<'_, ()> {
        let id = origin.extensions.get::<CallId>().cloned();
        self.0.send((message.data, id)).unwrap();
        Box::pin(std::future::ready(()))
    }
}

#[tokio::test]
async fn handlers_see_what_the_caller_attached_while_one_call_is_in_flight() {
    let (told, mut logs) = mpsc::unbounded_channel();
    let options = options().with_handlers(Handlers::new().with_logging(Told(told)));
    let (session, peer) = scripted(json!({"tools": {}}), options, |mut peer| async move {
        let call = peer.expect("tools/call").await;
        peer.notify("notifications/message", json!({"level": "info", "data": 1}))
            .await;
        let other = peer.expect("tools/call").await;
        peer.notify("notifications/message", json!({"level": "info", "data": 2}))
            .await;
        peer.answer(&call, json!({"content": []})).await;
        peer.answer(&other, json!({"content": []})).await;
    })
    .await;
    let attached = |id| {
        let mut extensions = Extensions::new();
        extensions.insert(CallId(id));
        let mut options = CallOptions::new();
        options.extensions = Arc::new(extensions);
        options
    };
    let (first, second) = (attached("first"), attached("second"));
    let one = session.call_tool(mcp_protocol::CallToolParams::new("a"), &first);
    let two = async {
        assert_eq!(
            logs.recv().await.unwrap(),
            (json!(1), Some(CallId("first")))
        );
        session
            .call_tool(mcp_protocol::CallToolParams::new("b"), &second)
            .await
    };
    let (one, two) = tokio::join!(one, two);
    one.and(two).unwrap();
    // Two calls were in flight: nobody can say which of them it belongs to.
    assert_eq!(logs.recv().await.unwrap(), (json!(2), None));
    peer.finish().await;
}
