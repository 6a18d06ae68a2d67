//! Our client against our server, on several threads.

use std::sync::Arc;

use mcp_jsonrpc::{ErrorObject, RawJson};
use mcp_peer::PeerOptions;
use mcp_protocol::lifecycle::ServerIdentity;
use mcp_protocol::{Implementation, ServerCapabilities};
use mcp_transport::{Call, CallError, Channel, memory};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::Script;

/// A call that is served without a handshake.
fn call(n: usize) -> Call {
    let params = json!({
        "name": "t",
        "arguments": {"n": n},
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
        },
    });
    Call::new("tools/call", Some(RawJson::from(params)))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn thousands_of_calls_get_their_own_answers_while_others_are_given_up() {
    let echo = Script::request(|asked| async move {
        let params: Value = asked
            .message
            .params
            .unwrap_or(RawJson::EMPTY)
            .decode()
            .unwrap();
        let n = params.pointer("/arguments/n").cloned().unwrap_or_default();
        if n.as_u64().is_some_and(|n| n % 2 == 0) {
            tokio::task::yield_now().await;
        }
        RawJson::encode(&n).map_err(|e| ErrorObject::internal(e.to_string()))
    });
    let ((reader, writer), (far_reader, far_writer)) = memory(16);
    let info = Implementation::new("test", "0");
    let identity = Arc::new(ServerIdentity::new(info, ServerCapabilities::default()));
    let options = PeerOptions::default();
    let server = mcp_peer::server(far_reader, far_writer, identity, echo, options.clone());
    let peer = mcp_peer::client(reader, writer, Script::idle(), options);

    let mut calls = JoinSet::new();
    for n in 0..5000 {
        let peer = peer.clone();
        calls.spawn(async move { check(n, peer.call(call(n))).await });
    }
    while let Some(done) = calls.join_next().await {
        done.unwrap();
    }
    peer.close().await;
    server.closed().await;
}

/// Expects the call's own answer, or for every seventh walks away, most often before it comes.
async fn check(n: usize, call: impl Future<Output = Result<RawJson, CallError>>) {
    tokio::select! {
        answer = call => assert_eq!(answer.unwrap().decode::<usize>().unwrap(), n),
        () = tokio::task::yield_now(), if n.is_multiple_of(7) => {}
    }
}
