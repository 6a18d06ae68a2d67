//! How many processes and sessions calls take, and what is sent for them.

use std::collections::HashSet;
use std::sync::Arc;

use futures_util::stream::{self, StreamExt as _};
use mcp::client::{CallOptions, PoolError, ServerOptions, SessionPolicy};
use mcp::protocol::lifecycle::Preference;
use mcp::protocol::{CallToolParams, CallToolResult};
use mcp::server::{Context, NoArgs, ToolError};
use mcp::stdio::Stdio;
use mcp::transport::Channel as _;
use mcp::{Config, HttpConnect, Server, ServerPool, Tool, Variables};
use serde_json::{Value, json};

use crate::served::{Served, Tap};

const ROLE: &str = "MCP_TEST_SESSIONS";
const BOTH: [Preference; 2] = [Preference::Handshake, Preference::Stateless];

/// What tells one process or session from another: process id, session id.
async fn who(_: NoArgs, cx: Context) -> Result<String, ToolError> {
    let headers = cx.http_request().map(|parts| &parts.headers);
    let session = headers.and_then(|headers| headers.get("mcp-session-id"));
    let session = session.map_or("none", |id| id.to_str().unwrap_or("?"));
    Ok(format!("{} {session}", std::process::id()))
}

fn server() -> Server {
    let tool = Tool::new("who", json!({"type": "object"}));
    Server::builder("s", "1.0.0").tool(tool, who).build()
}

/// Does nothing unless it is started as a server.
#[tokio::test]
async fn other_role() {
    if std::env::var_os(ROLE).is_some() {
        let (reader, writer) = Stdio::own();
        server().serve(reader, writer).closed().await;
    }
}

fn child() -> Value {
    json!({
        "command": std::env::current_exe().unwrap(),
        "args": ["--exact", "sessions::other_role", "--nocapture"],
        "env": {ROLE: "server"},
    })
}

fn stdio_pool(server: &Value) -> ServerPool {
    let text = json!({"mcpServers": {"s": server}}).to_string();
    let config = Config::parse("tools.json", &text, &Variables::none());
    config.unwrap().pool()
}

fn http_pool(url: &str, options: ServerOptions) -> ServerPool {
    let transport = mcp::http::HttpTransport::builder(url).build().unwrap();
    ServerPool::builder()
        .server_with("s", Arc::new(HttpConnect::new(transport)), options)
        .build()
}

async fn call(pool: &ServerPool) -> Result<CallToolResult, PoolError> {
    let options = CallOptions::new();
    pool.call_tool("s", CallToolParams::new("who"), &options)
        .await
}

/// Who has answered a thousand calls, of which up to 8 run at once.
async fn a_thousand(pool: &ServerPool) -> HashSet<String> {
    let answers = stream::iter(0..1000).map(|_| async {
        let result = call(pool).await.unwrap();
        result.first_text().unwrap().to_owned()
    });
    answers.buffer_unordered(20).collect().await
}

#[tokio::test]
async fn a_thousand_pooled_calls_over_stdio_use_one_process() {
    let pool = stdio_pool(&child());
    assert_eq!(a_thousand(&pool).await.len(), 1);
    pool.shutdown().await;
}

#[tokio::test]
async fn a_thousand_pooled_calls_over_http_use_one_session() {
    for preference in BOTH {
        let served = Served::start(&server()).await;
        let tap = Tap::before(&served).await;
        let options = ServerOptions::new().with_preference(preference);
        let pool = http_pool(&tap.url, options);
        let who = a_thousand(&pool).await;
        pool.shutdown().await;
        assert_eq!(who.len(), 1, "{who:?}");
        let mut requests = tap.requests();
        requests.retain(|request| request != "tools/call");
        requests.sort();
        let expected: &[&str] = match preference {
            Preference::Stateless => &["server/discover"],
            _ => &["DELETE", "GET", "initialize", "notifications/initialized"],
        };
        assert_eq!(requests, expected);
        served.stop().await;
    }
}

#[tokio::test]
async fn a_session_per_call_over_http_sends_nothing_besides() {
    for preference in BOTH {
        let served = Served::start(&server()).await;
        let tap = Tap::before(&served).await;
        let options = ServerOptions::new()
            .with_preference(preference)
            .with_policy(SessionPolicy::PerCall);
        let pool = http_pool(&tap.url, options);
        // Whoever has a handler of changes gets no stream for them here.
        for _ in 0..3 {
            call(&pool).await.unwrap();
        }
        pool.shutdown().await;
        let mut requests = tap.requests();
        requests.retain(|request| request != "DELETE");
        let mut expected = Vec::new();
        if preference == Preference::Stateless {
            // What the server is, a pool asks once; then a call is one request.
            expected.push("server/discover");
        }
        for _ in 0..3 {
            if preference == Preference::Handshake {
                expected.extend(["initialize", "notifications/initialized"]);
            }
            expected.push("tools/call");
        }
        let sorted = |mut requests: Vec<String>| {
            requests.sort();
            requests
        };
        let expected = expected.into_iter().map(str::to_owned).collect();
        assert_eq!(sorted(requests), sorted(expected));
        served.stop().await;
    }
}

#[tokio::test]
async fn a_session_per_call_over_stdio_sends_nothing_besides() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let child = child();
    let program = &child["command"];
    let mut args = vec![json!("-c"), json!("tee -a \"$LOG\" | \"$@\""), json!("sh")];
    args.push(program.clone());
    args.extend(child["args"].as_array().unwrap().iter().cloned());
    let env = json!({ROLE: "server", "LOG": log});
    let pool = stdio_pool(&json!({
        "command": "sh", "args": args, "env": env, "session": "per_call",
    }));
    let mut who = HashSet::new();
    for _ in 0..3 {
        let result = call(&pool).await.unwrap();
        who.insert(result.first_text().unwrap().to_owned());
    }
    pool.shutdown().await;
    assert_eq!(who.len(), 3, "{who:?}");
    let log = std::fs::read_to_string(&log).unwrap();
    let method = |line: &str| -> String {
        let message: Value = serde_json::from_str(line).unwrap();
        message["method"].as_str().unwrap().to_owned()
    };
    let methods: Vec<_> = log.lines().map(method).collect();
    let expected = ["server/discover", "tools/call", "tools/call", "tools/call"];
    assert_eq!(methods, expected);
}

#[tokio::test]
async fn h07_a_server_that_was_started_anew_gets_a_new_session_and_the_call() {
    let served = Served::start(&server()).await;
    let address = served.address().to_owned();
    let options = ServerOptions::new().with_preference(Preference::Handshake);
    let pool = http_pool(&served.url, options);
    let before = call(&pool).await.unwrap();
    served.stop().await;
    let served = Served::start_at(&address, &server()).await;
    let both = tokio::join!(call(&pool), call(&pool));
    let (one, two) = (both.0.unwrap(), both.1.unwrap());
    assert_ne!(before.first_text(), one.first_text());
    assert_eq!(one.first_text(), two.first_text(), "they share one session");
    pool.shutdown().await;
    served.stop().await;
}
