//! What sessions and calls cost.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use mcp_transport::Channel as _;
use mcp_transport_http::{HttpOptions, HttpService};
use serde_json::{Value, json};
use tokio::runtime::Builder;
use tokio::sync::{Notify, mpsc};

use crate::client_support::{Client, modern_call};
use crate::support::{Probe, identity, initialize, tool};

const VERSION: &str = "2025-11-25";

async fn post(service: &HttpService, session: Option<&str>, body: &Value) -> Option<String> {
    let mut request = http::Request::post("/mcp")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream");
    if let Some(id) = session {
        request = request
            .header("mcp-session-id", id)
            .header("mcp-protocol-version", VERSION);
    }
    let body = Full::new(Bytes::from(body.to_string()));
    let response = service.handle(request.body(body).unwrap()).await;
    assert!(response.status().is_success(), "{response:?}");
    let (parts, body) = response.into_parts();
    body.collect().await.unwrap();
    let id = parts.headers.get("mcp-session-id")?;
    Some(id.to_str().unwrap().to_owned())
}

/// Opens a session as a client does, and calls tools: one answered as JSON, one as a stream.
async fn session(service: &HttpService, calls: bool) {
    let id = post(service, None, &initialize(VERSION)).await.unwrap();
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    post(service, Some(&id), &initialized).await;
    if calls {
        post(service, Some(&id), &tool(1, "echo", &json!({}))).await;
        post(service, Some(&id), &tool("2", "progress", &json!({}))).await;
    }
}

fn probe() -> Arc<Probe> {
    Arc::new(Probe {
        go: Notify::new(),
        log: mpsc::unbounded_channel().0,
        versions: Mutex::default(),
    })
}

fn bytes_of_a_session(calls: bool) -> i64 {
    const SESSIONS: i64 = 1000;
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let service = HttpService::new(identity(), probe(), HttpOptions::default());
    // What comes once for all.
    runtime.block_on(session(&service, calls));
    let used = allocation_counter::measure(|| {
        for _ in 0..SESSIONS {
            runtime.block_on(session(&service, calls));
        }
    });
    assert_eq!(service.session_count(), 1001);
    used.bytes_current / SESSIONS
}

#[test]
fn h17_a_session_that_nobody_uses_takes_little_memory() {
    let fresh = bytes_of_a_session(false);
    assert!(fresh < 5 << 10, "{fresh} bytes");
    let used = bytes_of_a_session(true);
    assert!(used < 8 << 10, "{used} bytes");
}

/// Each call allocates and moves what waits for it, and more than a kibibyte is dear to allocate.
#[tokio::test]
async fn what_waits_for_an_answer_is_small() {
    let client = Client::new("http://localhost:1/mcp");
    let call = modern_call("tools/list", None);
    let calling = allocation_counter::measure(|| drop(client.channel.call(call)));
    assert_eq!(calling.count_total, 1);
    let service = HttpService::new(identity(), probe(), HttpOptions::default());
    let request = http::Request::new(Full::new(Bytes::new()));
    let handling = hyper::service::Service::call(&service, request);
    let sizes = (calling.bytes_total, size_of_val(&*handling));
    assert!(sizes.0 <= 1024 && sizes.1 <= 1024, "{sizes:?}");
    client.channel.close().await;
}
