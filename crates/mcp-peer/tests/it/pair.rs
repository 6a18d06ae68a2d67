//! Our client against our server, on several threads.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use mcp_jsonrpc::{ErrorObject, Notification, RawJson, Request};
use mcp_peer::{Peer, PeerOptions};
use mcp_protocol::lifecycle::ServerIdentity;
use mcp_protocol::{Implementation, RequestContext, ServerCapabilities};
use mcp_transport::{BoxFuture, Call, CallError, Channel, Handler, Incoming, memory};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::Script;

/// A call that is served without a handshake.
fn call(n: usize) -> Call {
    with_arguments(&json!({"n": n}))
}

fn with_arguments(arguments: &Value) -> Call {
    let params = json!({
        "name": "t",
        "arguments": arguments,
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

/// Answers each call with the number in the notification that its caller had sent before.
#[derive(Debug, Default)]
struct LastTold(Mutex<HashMap<usize, usize>>);

impl LastTold {
    fn numbers(params: Option<RawJson>) -> (usize, usize) {
        let params: Value = params.unwrap_or(RawJson::EMPTY).decode().unwrap();
        let number = |name| params.pointer(name).and_then(Value::as_u64).unwrap_or(0);
        let number = |name| usize::try_from(number(name)).unwrap();
        (number("/arguments/caller"), number("/arguments/n"))
    }
}

impl Handler<RequestContext> for LastTold {
    fn request(
        self: Arc<Self>,
        asked: Incoming<Request, RequestContext>,
    ) -> BoxFuture<'static, Result<RawJson, ErrorObject>> {
        let (caller, _) = Self::numbers(asked.message.params);
        let last = self.0.lock().unwrap().get(&caller).copied();
        Box::pin(async move { Ok(RawJson::encode(&last).unwrap()) })
    }

    fn notification(
        self: Arc<Self>,
        told: Incoming<Notification, RequestContext>,
    ) -> BoxFuture<'static, ()> {
        let (caller, n) = Self::numbers(told.message.params);
        self.0.lock().unwrap().insert(caller, n);
        Box::pin(async {})
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_one_caller_sends_stays_in_order_whoever_writes_it() {
    let ((reader, writer), (far_reader, far_writer)) = memory(16);
    let info = Implementation::new("test", "0");
    let identity = Arc::new(ServerIdentity::new(info, ServerCapabilities::default()));
    let options = PeerOptions::default();
    let handler = Arc::new(LastTold::default());
    mcp_peer::server(far_reader, far_writer, identity, handler, options.clone());
    let peer = mcp_peer::client(reader, writer, Script::idle(), options);
    // Alone the caller writes itself; with others the driver does.
    for callers in [1, 2, 8, 1] {
        let mut tasks = JoinSet::new();
        for caller in 0..callers {
            tasks.spawn(tell_and_ask(peer.clone(), caller));
        }
        tasks.join_all().await;
    }
    peer.close().await;
}

async fn tell_and_ask(peer: Peer, caller: usize) {
    for n in 1..500 {
        let call = with_arguments(&json!({"caller": caller, "n": n}));
        let told = Notification::new("notifications/test", call.params.clone());
        peer.notify(told).await.unwrap();
        let last: usize = peer.call(call).await.unwrap().decode().unwrap();
        assert_eq!(last, n, "caller {caller}");
    }
}

#[tokio::test]
async fn within_a_process_a_call_is_answered_where_it_is_made() {
    let ((reader, writer), (far_reader, far_writer)) = memory(16);
    let info = Implementation::new("test", "0");
    let identity = Arc::new(ServerIdentity::new(info, ServerCapabilities::default()));
    let options = PeerOptions::default();
    let handler = Script::idle();
    mcp_peer::server(far_reader, far_writer, identity, handler, options.clone());
    let peer = mcp_peer::client(reader, writer, Script::idle(), options);
    // The first one finds both ends at their beginning.
    peer.call(call(0)).await.unwrap();
    let mut second = peer.call(call(1));
    let polled = second
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()));
    assert!(matches!(polled, Poll::Ready(Ok(_))), "no task had to run");
    peer.close().await;
}

#[test]
fn an_end_in_another_runtime_is_left_to_that_runtime() {
    let build = || {
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        runtime.worker_threads(1).enable_time().build().unwrap()
    };
    let (here, there) = (build(), build());
    let home = there.handle().id();
    let handler = Script::request(move |_| async move {
        let here = tokio::runtime::Handle::current().id();
        Ok(RawJson::encode(&(here == home)).unwrap())
    });
    let ((reader, writer), (far_reader, far_writer)) = memory(16);
    there.block_on(async {
        let info = Implementation::new("test", "0");
        let identity = Arc::new(ServerIdentity::new(info, ServerCapabilities::default()));
        let options = PeerOptions::default();
        mcp_peer::server(far_reader, far_writer, identity, handler, options);
    });
    here.block_on(async {
        let peer = mcp_peer::client(reader, writer, Script::idle(), PeerOptions::default());
        for n in 0..10 {
            assert_eq!(peer.call(call(n)).await.unwrap().as_str(), "true");
        }
        peer.close().await;
    });
}
