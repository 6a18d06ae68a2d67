//! Both ends of ours against each other, many calls at once, some of them given up: nobody gets
//! the answer of somebody else, and nothing is left.

use std::time::Duration;

use mcp_jsonrpc::{Notification, RawJson};
use mcp_transport::{Call, CallError, Channel, Timeouts};
use mcp_transport_http::{HttpChannel, HttpOptions};
use serde_json::{Value, json};

use crate::client_support::{Client, modern_call};
use crate::support::Server;

/// The era of a client.
#[derive(Clone, Copy)]
enum Era {
    Handshake(&'static str),
    Stateless,
}

async fn connect(url: &str, era: Era) -> Client {
    let client = Client::new(url);
    let Era::Handshake(version) = era else {
        client.channel.negotiated("2026-07-28");
        return client;
    };
    let params = json!({"protocolVersion": version, "capabilities": {},
        "clientInfo": {"name": "t", "version": "0"}});
    let mut call = Call::new("initialize", Some(params.into()));
    call.cancellable = false;
    client.channel.call(call).await.unwrap();
    client.channel.negotiated(version);
    let initialized = Notification::new("notifications/initialized", None);
    client.channel.notify(initialized).await.unwrap();
    client
}

async fn tool(
    channel: &HttpChannel,
    era: Era,
    name: &str,
    secret: u64,
    limit: Duration,
) -> Result<Value, CallError> {
    let mut params = json!({"name": name, "arguments": {"secret": secret}});
    let mut call = match era {
        Era::Handshake(_) => Call::new("tools/call", None),
        Era::Stateless => {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            });
            modern_call("tools/call", Some(name))
        }
    };
    call.params = Some(RawJson::from(params));
    call.timeouts = Timeouts::within(limit);
    channel
        .call(call)
        .await
        .map(|answer| answer.decode().unwrap())
}

/// One call of a kind that depends on `n`.
async fn one(channel: HttpChannel, era: Era, n: u64) {
    let long = Duration::from_secs(30);
    match n % 6 {
        0 | 1 => {
            let answer = tool(&channel, era, "echo", n, long).await.unwrap();
            assert_eq!(
                answer["content"][0]["text"],
                json!({ "secret": n }).to_string()
            );
        }
        2 => {
            let answer = tool(&channel, era, "progress", n, long).await.unwrap();
            assert_eq!(answer["content"][0]["text"], "\"done\"");
        }
        3 => {
            let limit = Duration::from_millis(n % 7);
            let answer = tool(&channel, era, "wait", n, limit).await;
            assert!(
                matches!(answer, Err(CallError::TimedOut { .. })),
                "{answer:?}"
            );
        }
        4 => {
            let calling = tool(&channel, era, "flood", n, long);
            let given_up = tokio::time::timeout(Duration::from_millis(n % 5), calling).await;
            assert!(given_up.is_err() || given_up.unwrap().is_ok());
        }
        _ => {
            let answer = tool(&channel, era, "panic", n, long).await;
            assert!(matches!(answer, Err(CallError::Remote(e)) if e.code.0 == -32603));
        }
    }
}

async fn run(era: Era) {
    let server = Server::start(HttpOptions::default()).await;
    let mut clients = Vec::new();
    for _ in 0..3 {
        clients.push(connect(&server.url, era).await);
    }
    let mut calls = tokio::task::JoinSet::new();
    for n in 0..600 {
        let channel = clients[usize::try_from(n).unwrap() % clients.len()]
            .channel
            .clone();
        calls.spawn(one(channel, era, n));
        if calls.len() >= 48 {
            calls.join_next().await.unwrap().unwrap();
        }
    }
    while let Some(done) = calls.join_next().await {
        done.unwrap();
    }
    for client in clients {
        client.channel.close().await;
    }
    assert_eq!(server.service.session_count(), 0);
    server.stop().await;
    let metrics = tokio::runtime::Handle::current().metrics();
    let gone = async {
        while metrics.num_alive_tasks() > 0 {
            tokio::task::yield_now().await;
        }
    };
    let left = tokio::time::timeout(Duration::from_secs(20), gone).await;
    assert!(left.is_ok(), "{} tasks are left", metrics.num_alive_tasks());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_of_the_handshake_era_never_cross_and_leave_nothing() {
    run(Era::Handshake("2025-11-25")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_of_the_first_revision_with_sessions_never_cross_and_leave_nothing() {
    run(Era::Handshake("2025-03-26")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_that_stand_alone_never_cross_and_leave_nothing() {
    run(Era::Stateless).await;
}
