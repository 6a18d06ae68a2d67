//! Connections that end, and what becomes of the calls on them.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use mcp_client::{CallOptions, PoolError, ServerOptions, ServerPool};
use mcp_interceptors::{CallErrorKind, Delivery, JsonMap, ToolCall, Toolset};
use mcp_protocol::lifecycle::Preference;
use mcp_protocol::{CallToolParams, Tool, ToolAnnotations};
use mcp_testkit::ScriptedPeer;
use serde_json::json;
use tokio::time::Instant;

use crate::connects::{Scripted, welcome};

fn pool_of(server: &Arc<Scripted>, options: ServerOptions) -> ServerPool {
    let options = options.with_preference(Preference::Handshake);
    ServerPool::builder()
        .server_with("s", Arc::clone(server) as _, options)
        .build()
}

async fn call(pool: &ServerPool) -> Result<mcp_protocol::CallToolResult, PoolError> {
    pool.call_tool("s", CallToolParams::new("t"), &CallOptions::new())
        .await
}

async fn answer_one(peer: &mut ScriptedPeer) {
    let call = peer.expect("tools/call").await;
    peer.answer(&call, json!({"content": []})).await;
}

/// A server that ends while it works on its first call, and answers one when started again.
fn ending_during_its_first_call() -> Arc<Scripted> {
    Scripted::new(|count, mut peer| async move {
        welcome(&mut peer, &json!({"tools": {}})).await;
        if count == 0 {
            peer.expect("tools/call").await;
            peer.hang_up().await;
        } else {
            answer_one(&mut peer).await;
            peer.receive().await;
        }
    })
}

#[tokio::test]
async fn s02_a_server_that_ended_between_two_calls_is_started_again() {
    let server = Scripted::new(|_, mut peer| async move {
        welcome(&mut peer, &json!({"tools": {}})).await;
        answer_one(&mut peer).await;
        peer.hang_up().await;
    });
    let pool = pool_of(&server, ServerOptions::new());
    let session = pool.session("s").await.unwrap();
    call(&pool).await.unwrap();
    session.closed().await;
    call(&pool).await.unwrap();
    assert_eq!(server.connects.load(Ordering::SeqCst), 2);
}

#[tokio::test(start_paused = true)]
async fn an_attempt_to_connect_that_nobody_waits_for_is_given_up() {
    let server = Scripted::new(|_, mut peer| async move {
        peer.expect("initialize").await;
        let begun = Instant::now();
        while peer.receive().await.is_some() {}
        assert!(
            begun.elapsed() < Duration::from_secs(5),
            "it ends with who waits"
        );
    });
    let pool = pool_of(&server, ServerOptions::new());
    let waiting = tokio::time::timeout(Duration::from_secs(1), pool.session("s"));
    assert!(waiting.await.is_err());
    server.finish().await;
    assert_eq!(server.connects.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a29_a_call_that_may_have_run_is_not_repeated_and_says_so() {
    let server = ending_during_its_first_call();
    let pool = pool_of(&server, ServerOptions::new());
    let error = call(&pool).await.unwrap_err();
    let PoolError::OutcomeUnknown { stderr, .. } = &error else {
        panic!("{error:?}");
    };
    assert_eq!(stderr.as_deref(), Some("a line on stderr"));
    assert_eq!(error.delivery(), Delivery::Unknown);
    assert_eq!(
        error.to_string(),
        "server `s` ended the connection during the call, whether it ran is unknown"
    );
    call(&pool).await.unwrap();
    assert_eq!(server.connects.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_trusted_server_s_read_only_tool_is_called_again() {
    for (trusted, connects) in [(true, 2), (false, 1)] {
        let server = ending_during_its_first_call();
        let pool = pool_of(&server, ServerOptions::new().with_trusted(trusted));
        let hints = ToolAnnotations::new().with_read_only_hint(true);
        let tool = Tool::new("t", json!({"type": "object"})).with_annotations(hints);
        let tool = Arc::new(mcp_interceptors::BoundTool::new("s__t", "s", tool));
        let outcome = Toolset::call(&pool, ToolCall::new(tool, JsonMap::new())).await;
        assert_eq!(outcome.is_ok(), trusted);
        if let Err(error) = outcome {
            assert_eq!(error.kind(), CallErrorKind::Transport);
            assert_eq!(error.delivery(), Delivery::Unknown);
        }
        assert_eq!(server.connects.load(Ordering::SeqCst), connects);
    }
}

#[tokio::test]
async fn a_call_that_its_caller_lets_run_twice_is_made_again() {
    let server = ending_during_its_first_call();
    let pool = pool_of(&server, ServerOptions::new());
    let options = CallOptions::new().with_repeatable();
    let called = pool.call_tool("s", CallToolParams::new("t"), &options);
    called.await.unwrap();
    assert_eq!(server.connects.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn calls_that_lose_their_connection_together_share_the_next_one() {
    let server = Scripted::new(|count, mut peer| async move {
        welcome(&mut peer, &json!({"tools": {}})).await;
        if count == 0 {
            peer.hang_up().await;
        } else {
            for _ in 0..10 {
                answer_one(&mut peer).await;
            }
            peer.receive().await;
        }
    });
    let pool = pool_of(&server, ServerOptions::new());
    pool.session("s").await.unwrap().closed().await;
    let calls = futures_util::future::join_all((0..10).map(|_| call(&pool))).await;
    assert!(calls.iter().all(Result::is_ok), "{calls:?}");
    assert_eq!(server.connects.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_server_that_refuses_stays_connected() {
    let server = Scripted::new(|_, mut peer| async move {
        welcome(&mut peer, &json!({"tools": {}})).await;
        let first = peer.expect("tools/call").await;
        peer.fail(&first, -32602, "unknown tool").await;
        answer_one(&mut peer).await;
        peer.receive().await;
    });
    let pool = pool_of(&server, ServerOptions::new());
    let error = call(&pool).await.unwrap_err();
    assert_eq!(
        error.chain(),
        "server `s` gave no result: the peer answered: unknown tool (-32602)"
    );
    call(&pool).await.unwrap();
    assert_eq!(server.connects.load(Ordering::SeqCst), 1);
}
