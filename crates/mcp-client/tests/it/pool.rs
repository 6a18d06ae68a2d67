//! Many servers: each keeps its failures to itself.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use mcp_client::{
    CallOptions, Change, Changes, Handlers, NamePolicy, Origin, PoolError, ServerOptions,
    ServerPool, SessionPolicy,
};
use mcp_interceptors::Phase;
use mcp_protocol::lifecycle::Preference;
use mcp_protocol::{CallToolParams, Tool};
use mcp_server::{Server, ToolError};
use mcp_transport::BoxFuture;
use serde_json::{Map, Value, json};

use crate::connects::{Local, Missing, Scripted, discovered, welcome};

pub(crate) fn tools(names: &[&str]) -> Server {
    let mut builder = Server::builder("s", "1");
    for name in names {
        let text = (*name).to_owned();
        let tool = Tool::new(*name, json!({"type": "object"}));
        builder = builder.tool(tool, move |_: Map<String, Value>, _cx| {
            let text = text.clone();
            async move { Ok::<_, ToolError>(text) }
        });
    }
    builder.build()
}

fn silent() -> Arc<Scripted> {
    Scripted::new(|_, mut peer| async move { while peer.receive().await.is_some() {} })
}

fn quick() -> ServerOptions {
    ServerOptions::new()
        .with_startup_timeout(Duration::from_secs(1))
        .with_attempts(1)
}

#[tokio::test(start_paused = true)]
async fn agt_03_a25_bad_servers_do_not_hurt_the_others() {
    let pool = ServerPool::builder()
        .server("good", Local::new(tools(&["read", "write"])))
        .server("missing", Arc::new(Missing))
        .server_with("silent", silent(), quick())
        .server_with(
            "dying",
            Scripted::new(|_, mut peer| async move { peer.hang_up().await }),
            quick(),
        )
        .build();
    let list = pool.tools().await;
    let names: Vec<_> = list.tools.iter().map(|tool| tool.name()).collect();
    assert_eq!(names, ["good__read", "good__write"]);
    let failures: Vec<_> = list.failures.iter().map(ToString::to_string).collect();
    let [missing, silent, dying] = failures.as_slice() else {
        panic!("{failures:?}");
    };
    assert_eq!(missing, "missing (spawn): no such command: nowhere");
    assert_eq!(
        silent,
        "silent (handshake): the server did not answer within 1s"
    );
    let ended = "dying (handshake): the connection ended before the server answered initialize: ";
    assert!(dying.starts_with(ended), "{dying}");
    assert_eq!(list.failures[1].stderr.as_deref(), Some("a line on stderr"));
    pool.shutdown().await;
}

#[tokio::test]
async fn a32_a_server_without_tools_has_none_and_is_not_asked() {
    let plain = Scripted::new(|_, mut peer| async move {
        welcome(&mut peer, &json!({"prompts": {}})).await;
        assert_eq!(peer.receive().await, None);
    });
    let options = ServerOptions::new().with_preference(Preference::Handshake);
    let pool = ServerPool::builder()
        .server_with("plain", Arc::clone(&plain) as _, options)
        .build();
    let list = pool.tools().await;
    assert!(list.tools.is_empty() && list.failures.is_empty());
    pool.shutdown().await;
    plain.finish().await;
}

#[tokio::test]
async fn nothing_is_started_before_it_is_needed_and_then_once_for_all() {
    let local = Local::new(tools(&["t"]));
    let pool = ServerPool::builder()
        .server("s", Arc::clone(&local) as _)
        .build();
    assert_eq!(local.connects.load(Ordering::SeqCst), 0);
    let options = CallOptions::new();
    let calls = (0..20).map(|_| pool.call_tool("s", CallToolParams::new("t"), &options));
    for result in futures_util::future::join_all(calls).await {
        assert_eq!(result.unwrap().first_text(), Some("t"));
    }
    assert_eq!(local.connects.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn stdio_16_a26_a_server_that_is_slow_to_start_is_tried_again() {
    let slow = Scripted::new(|count, mut peer| async move {
        if count < 2 {
            while peer.receive().await.is_some() {}
        } else {
            welcome(&mut peer, &json!({})).await;
            while peer.receive().await.is_some() {}
        }
    });
    let options = ServerOptions::new()
        .with_startup_timeout(Duration::from_secs(1))
        .with_preference(Preference::Handshake);
    let connects = Arc::clone(&slow);
    let pool = ServerPool::builder()
        .server_with("slow", slow, options)
        .build();
    pool.session("slow").await.unwrap();
    assert_eq!(connects.connects.load(Ordering::SeqCst), 3);
}

#[tokio::test(start_paused = true)]
async fn a_failure_answers_for_the_server_until_the_next_try_is_due() {
    let silent = silent();
    let pool = ServerPool::builder()
        .server_with("silent", Arc::clone(&silent) as _, quick())
        .build();
    let first = pool.session("silent").await.unwrap_err();
    let second = pool.session("silent").await.unwrap_err();
    assert_eq!(first.to_string(), second.to_string());
    assert_eq!(first.delivery(), mcp_interceptors::Delivery::NotSent);
    assert_eq!(silent.connects.load(Ordering::SeqCst), 1);
    tokio::time::advance(Duration::from_secs(1)).await;
    pool.session("silent").await.unwrap_err();
    assert_eq!(silent.connects.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn an_unknown_server_is_an_error_that_names_those_there_are() {
    let pool = ServerPool::builder()
        .server("a", Local::new(tools(&[])))
        .build();
    let error = pool.session("b").await.unwrap_err();
    assert!(matches!(error, PoolError::UnknownServer { .. }));
    assert_eq!(error.to_string(), "there is no server `b`; there are: a");
}

#[tokio::test]
async fn agt_01_a21_the_same_tool_name_on_two_servers() {
    let build = |names| {
        ServerPool::builder()
            .names(names)
            .server("fs", Local::new(tools(&["list_files", "read"])))
            .server("git", Local::new(tools(&["list_files"])))
            .build()
    };
    let list = build(NamePolicy::Prefixed).tools().await;
    let names: Vec<_> = list.tools.iter().map(|tool| tool.name()).collect();
    assert_eq!(names, ["fs__list_files", "fs__read", "git__list_files"]);

    let list = build(NamePolicy::Plain).tools().await;
    let names: Vec<_> = list.tools.iter().map(|tool| tool.name()).collect();
    assert_eq!(names, ["read"]);
    assert_eq!(list.failures[0].phase, Phase::List);
    let message = &list.failures[0].message;
    assert_eq!(message, "the tool name `list_files` is used by fs and git");
}

#[tokio::test]
async fn a_part_of_a_pool_shares_its_connections() {
    let local = Local::new(tools(&["t"]));
    let pool = ServerPool::builder()
        .server("missing", Arc::new(Missing))
        .server("s", Arc::clone(&local) as _)
        .build();
    let part = pool.only(["s"]).unwrap();
    let list = part.tools().await;
    assert_eq!((list.tools.len(), list.failures.len()), (1, 0));
    pool.session("s").await.unwrap();
    assert_eq!(local.connects.load(Ordering::SeqCst), 1);
    assert!(pool.only(["x"]).is_err());
}

#[tokio::test]
async fn a_list_that_has_not_changed_is_not_built_again() {
    let server = Scripted::new(|_, mut peer| async move {
        welcome(&mut peer, &json!({"tools": {"listChanged": true}})).await;
        let list = peer.expect("tools/list").await;
        let tool = json!({"name": "t", "inputSchema": {"type": "object"}});
        peer.answer(&list, json!({"tools": [tool]})).await;
        assert_eq!(peer.receive().await, None);
    });
    let options = ServerOptions::new().with_preference(Preference::Handshake);
    let pool = ServerPool::builder()
        .server_with("s", Arc::clone(&server) as _, options)
        .build();
    let (first, second) = (pool.tools().await, pool.tools().await);
    assert!(Arc::ptr_eq(&first.tools[0], &second.tools[0]));
    pool.shutdown().await;
    server.finish().await;
}

#[tokio::test]
async fn a_session_per_call_sends_nothing_but_the_handshake_and_the_call() {
    let server = Scripted::new(|_, mut peer| async move {
        welcome(&mut peer, &json!({"tools": {}})).await;
        let call = peer.expect("tools/call").await;
        peer.answer(&call, json!({"content": []})).await;
        assert_eq!(peer.receive().await, None);
    });
    let connects = Arc::clone(&server);
    let options = ServerOptions::new()
        .with_preference(Preference::Handshake)
        .with_policy(SessionPolicy::PerCall);
    let pool = ServerPool::builder()
        .server_with("s", server, options)
        .build();
    for _ in 0..3 {
        let call = pool
            .call_tool("s", CallToolParams::new("t"), &CallOptions::new())
            .await;
        call.unwrap();
    }
    assert_eq!(connects.connects.load(Ordering::SeqCst), 3);
    connects.finish().await;
}

#[tokio::test]
async fn life_27_a_session_per_call_is_one_request_where_there_is_no_handshake() {
    let server = Scripted::new(|count, mut peer| async move {
        // What the server is, a pool asks once.
        if count == 0 {
            let capabilities = json!({"tools": {"listChanged": true}});
            discovered(&mut peer, &capabilities).await;
        }
        let call = peer.expect("tools/call").await;
        peer.answer(&call, json!({"resultType": "complete", "content": []}))
            .await;
        assert_eq!(peer.receive().await, None);
    });
    let options = ServerOptions::new().with_policy(SessionPolicy::PerCall);
    let pool = ServerPool::builder()
        .handlers(Handlers::new().with_changes(Ignore))
        .server_with("s", Arc::clone(&server) as _, options)
        .build();
    for _ in 0..3 {
        call(&pool).await.unwrap();
    }
    assert_eq!(server.connects.load(Ordering::SeqCst), 3);
    server.finish().await;
}

#[derive(Debug)]
struct Ignore;

impl Changes for Ignore {
    fn changed(&self, _change: Change, _origin: Origin) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}

async fn call(pool: &ServerPool) -> Result<mcp_protocol::CallToolResult, PoolError> {
    pool.call_tool("s", CallToolParams::new("t"), &CallOptions::new())
        .await
}

#[tokio::test]
async fn life_27_a_server_that_has_become_an_older_one_is_asked_again_what_it_is() {
    let server = Scripted::new(|count, mut peer| async move {
        match count {
            0 => {
                discovered(&mut peer, &json!({"tools": {}})).await;
                let call = peer.expect("tools/call").await;
                peer.answer(&call, json!({"resultType": "complete", "content": []}))
                    .await;
            }
            // It has been replaced.
            1 => {
                let call = peer.expect("tools/call").await;
                peer.fail(&call, -32022, "unsupported").await;
            }
            _ => {
                let probe = peer.expect("server/discover").await;
                peer.fail(&probe, -32601, "no such method").await;
                welcome(&mut peer, &json!({"tools": {}})).await;
                let call = peer.expect("tools/call").await;
                peer.answer(&call, json!({"content": []})).await;
            }
        }
        assert_eq!(peer.receive().await, None);
    });
    let options = ServerOptions::new().with_policy(SessionPolicy::PerCall);
    let pool = ServerPool::builder()
        .server_with("s", Arc::clone(&server) as _, options)
        .build();
    for _ in 0..2 {
        call(&pool).await.unwrap();
    }
    assert_eq!(server.connects.load(Ordering::SeqCst), 3);
    server.finish().await;
}

#[tokio::test(start_paused = true)]
async fn after_a_shutdown_nothing_is_started_and_what_is_being_started_ends() {
    let silent = silent();
    let local = Local::new(tools(&["t"]));
    let pool = ServerPool::builder()
        .server("silent", Arc::clone(&silent) as _)
        .server("s", Arc::clone(&local) as _)
        .build();
    pool.session("s").await.unwrap();
    let waiting = pool.session("silent");
    let shutdown = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        pool.shutdown().await;
    };
    let (waiting, ()) = tokio::join!(waiting, shutdown);
    assert!(waiting.is_err());
    let call = pool
        .call_tool("s", CallToolParams::new("t"), &CallOptions::new())
        .await;
    assert!(matches!(call.unwrap_err(), PoolError::ShutDown));
    assert_eq!(local.connects.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn no_more_calls_run_at_once_than_the_server_may_take() {
    let server = Scripted::new(|_, mut peer| async move {
        welcome(&mut peer, &json!({"tools": {}})).await;
        for _ in 0..2 {
            let calls = [
                peer.expect("tools/call").await,
                peer.expect("tools/call").await,
            ];
            let more = tokio::time::timeout(Duration::from_secs(5), peer.receive()).await;
            assert!(more.is_err(), "a third call: {more:?}");
            for call in calls {
                peer.answer(&call, json!({"content": []})).await;
            }
        }
        peer.receive().await;
    });
    let options = ServerOptions::new()
        .with_preference(Preference::Handshake)
        .with_max_concurrent(2);
    let pool = ServerPool::builder()
        .server_with("s", server, options)
        .build();
    let options = CallOptions::new();
    let calls = (0..4).map(|_| pool.call_tool("s", CallToolParams::new("t"), &options));
    for result in futures_util::future::join_all(calls).await {
        result.unwrap();
    }
}
