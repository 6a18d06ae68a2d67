//! Real servers, started and reached as a configuration says.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use mcp::client::CallOptions;
use mcp::http::{HttpServer, HttpService};
use mcp::interceptors::Phase;
use mcp::protocol::CallToolParams;
use mcp::server::{Context, NoArgs, ToolError};
use mcp::stdio::{ChildBuilder, Stdio};
use mcp::transport::Channel as _;
use mcp::{Config, Server, ServerPool, StdioConnect, Tool, Variables};
use serde_json::json;
use tokio_util::sync::CancellationToken;

pub(crate) const ROLE: &str = "MCP_TEST_ROLE";

pub(crate) async fn hello(_: NoArgs, _: Context) -> Result<&'static str, ToolError> {
    Ok("hello")
}

fn greeter() -> Server {
    let tool = Tool::new("hello", json!({"type": "object"}));
    Server::builder("greeter", "1.0.0")
        .tool(tool, hello)
        .build()
}

/// Does nothing unless it is started as a server.
#[tokio::test]
async fn other_role() {
    if std::env::var_os(ROLE).is_some() {
        let (reader, writer) = Stdio::own();
        greeter().serve(reader, writer).closed().await;
    }
}

/// A server that is this test program.
fn child() -> serde_json::Value {
    json!({
        "command": std::env::current_exe().unwrap(),
        "args": ["--exact", "servers::other_role", "--nocapture"],
        "env": {ROLE: "server"},
    })
}

pub(crate) fn pool(servers: &serde_json::Value) -> ServerPool {
    let text = json!({"mcpServers": servers}).to_string();
    let config = Config::parse("tools.json", &text, &Variables::none()).unwrap();
    config.pool()
}

pub(crate) async fn greeting(pool: &ServerPool, server: &str) -> String {
    let hello = CallToolParams::new("hello");
    let result = pool
        .call_tool(server, hello, &CallOptions::new())
        .await
        .unwrap();
    result.first_text().unwrap().to_owned()
}

#[tokio::test]
async fn a_child_process_is_started_and_called() {
    let pool = pool(&json!({"greeter": child()}));
    assert_eq!(greeting(&pool, "greeter").await, "hello");
    let session = pool.session("greeter").await.unwrap();
    assert_eq!(session.server_info().unwrap().name, "greeter");
    pool.shutdown().await;
}

#[tokio::test]
async fn each_process_that_is_started_is_shown() {
    let started = Arc::new(AtomicU32::new(0));
    let program = ChildBuilder::new(std::env::current_exe().unwrap())
        .args(["--exact", "servers::other_role", "--nocapture"])
        .env(ROLE, "server");
    let connect = StdioConnect::new(program).on_start({
        let started = Arc::clone(&started);
        move |process| started.store(process.id(), Ordering::Relaxed)
    });
    let pool = ServerPool::builder()
        .server("greeter", Arc::new(connect))
        .build();
    assert_eq!(greeting(&pool, "greeter").await, "hello");
    assert_ne!(started.load(Ordering::Relaxed), 0);
    pool.shutdown().await;
}

#[tokio::test]
async fn a_url_is_reached_and_called() {
    let server = greeter();
    let http = HttpServer::bind("127.0.0.1:0").await.unwrap();
    let pool = pool(&json!({"greeter": {"type": "http", "url": http.local_url()}}));
    let service = HttpService::new(server.identity(), server.handler(), Default::default());
    let done = CancellationToken::new();
    let serving = tokio::spawn(http.serve(service, done.clone()));
    assert_eq!(greeting(&pool, "greeter").await, "hello");
    pool.shutdown().await;
    done.cancel();
    serving.await.unwrap();
}

#[tokio::test]
async fn a25_each_server_fails_for_itself_with_phase_and_last_words() {
    let pool = pool(&json!({
        "good": child(),
        "missing": {"command": "no-such-server"},
        "broken": {"command": "sh", "args": ["-c", "echo 'no API key' >&2; exit 3"]},
        "silent": {"command": "sh", "args": ["-c", "cat >&2"], "startup_timeout": 0.3},
    }));
    let list = pool.tools().await;
    let names: Vec<_> = list.tools.iter().map(|tool| tool.name()).collect();
    assert_eq!(names, ["good__hello"]);
    assert_eq!(list.failures.len(), 3);
    for (server, phase, part, stderr) in [
        (
            "missing",
            Phase::Spawn,
            "`no-such-server` was not found in any folder of PATH",
            None,
        ),
        (
            "broken",
            Phase::Handshake,
            "`sh` exited with code 3",
            Some("no API key"),
        ),
        (
            "silent",
            Phase::Handshake,
            "did not answer within 300ms",
            None,
        ),
    ] {
        let failure = list
            .failures
            .iter()
            .find(|failure| &*failure.server == server)
            .unwrap();
        assert_eq!(failure.phase, phase, "{failure:?}");
        assert!(failure.message.contains(part), "{failure:?}");
        if stderr.is_some() {
            assert_eq!(failure.stderr.as_deref(), stderr, "{failure:?}");
        }
    }
    pool.shutdown().await;
}

#[tokio::test]
async fn a_launcher_that_takes_too_long_comes_with_a_hint() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let npx = folder.path().join("npx");
    std::fs::write(&npx, "#!/bin/sh\nexec cat >&2\n").unwrap();
    std::fs::set_permissions(&npx, std::fs::Permissions::from_mode(0o755)).unwrap();
    let pool = pool(&json!({"a": {"command": npx, "startup_timeout": 0.2}}));
    let list = pool.tools().await;
    let message = &list.failures[0].message;
    assert!(
        message.contains("`npx` may fetch the server on its first run"),
        "{message}"
    );
    pool.shutdown().await;
}
