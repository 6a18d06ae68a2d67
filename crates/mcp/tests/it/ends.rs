//! Servers that end while something is under way.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use mcp::client::{CallOptions, PoolError};
use mcp::protocol::CallToolParams;
use mcp::server::{Context, NoArgs, ToolError};
use mcp::transport::Channel as _;
use mcp::{Server, Tool};
use serde_json::json;

use crate::servers::{greeting, hello, pool};

const ROLE: &str = "MCP_TEST_ENDS";

/// Does nothing unless it is started as a server.
#[tokio::test]
async fn other_role() {
    if std::env::var_os(ROLE).is_some() {
        let (reader, writer) = mcp::stdio::Stdio::own();
        server().serve(reader, writer).closed().await;
    }
}

#[expect(clippy::exit, reason = "a server that ends like this is what is tried")]
async fn die(_: NoArgs, _: Context) -> Result<&'static str, ToolError> {
    std::io::stderr().write_all(b"out of luck\n").unwrap();
    std::process::exit(9)
}

fn server() -> Server {
    let tool = |name: &str| Tool::new(name, json!({"type": "object"}));
    Server::builder("ends", "1.0.0")
        .tool(tool("hello"), hello)
        .tool(tool("die"), die)
        .tool(tool("pid"), |_: NoArgs, _| async {
            Ok::<_, ToolError>(std::process::id().to_string())
        })
        .tool(tool("slow"), |_: NoArgs, _| async {
            tokio::time::sleep(Duration::from_millis(200)).await;
            Ok::<_, ToolError>("at last")
        })
        .tool(tool("never"), |_: NoArgs, _| async {
            std::future::pending::<Result<&str, ToolError>>().await
        })
        .build()
}

const ARGS: [&str; 3] = ["--exact", "ends::other_role", "--nocapture"];

fn child() -> serde_json::Value {
    let program = std::env::current_exe().unwrap();
    json!({"command": program, "args": ARGS, "env": {ROLE: "server"}})
}

#[tokio::test]
async fn s02_a_call_that_its_server_does_not_survive_says_how_it_ended() {
    let pool = pool(&json!({"a": child()}));
    assert_eq!(greeting(&pool, "a").await, "hello");
    let die = CallToolParams::new("die");
    let error = pool
        .call_tool("a", die, &CallOptions::new())
        .await
        .unwrap_err();
    let PoolError::OutcomeUnknown { stderr, .. } = &error else {
        panic!("{error:?}");
    };
    assert!(
        stderr.as_ref().unwrap().contains("out of luck"),
        "{stderr:?}"
    );
    assert!(
        error.chain().contains("exited with code 9"),
        "{}",
        error.chain()
    );
    assert_eq!(
        greeting(&pool, "a").await,
        "hello",
        "a29: the next call starts it again"
    );
    pool.shutdown().await;
}

#[tokio::test]
async fn s02_all_open_calls_of_a_killed_server_fail_at_once_with_the_signal() {
    let pool = pool(&json!({"a": child()}));
    assert_eq!(greeting(&pool, "a").await, "hello");
    let options = CallOptions::new();
    let never = || pool.call_tool("a", CallToolParams::new("never"), &options);
    let kill = async {
        // It is the fourth of its connection, so the others are on their way.
        let pid = pool.call_tool("a", CallToolParams::new("pid"), &options);
        let pid = pid.await.unwrap().first_text().unwrap().to_owned();
        let killed = Command::new("kill").args(["-9", &pid]).status().unwrap();
        assert!(killed.success());
    };
    let (one, two, three, ()) = tokio::join!(never(), never(), never(), kill);
    for outcome in [one, two, three] {
        let error = outcome.unwrap_err();
        assert!(matches!(error, PoolError::OutcomeUnknown { .. }), "{error}");
        let text = error.chain();
        assert!(text.contains("was killed by signal 9"), "{text}");
    }
    assert_eq!(greeting(&pool, "a").await, "hello");
    pool.shutdown().await;
}

/// What a server writes that gets these calls and then the end of its input.
fn answers(calls: &[&str], last_line_end: &str) -> String {
    let mut server = Command::new(std::env::current_exe().unwrap())
        .args(ARGS)
        .env(ROLE, "server")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}});
    let mut lines = vec![
        json!({"jsonrpc": "2.0", "id": "i", "method": "initialize", "params": hello}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
    ];
    lines.extend(calls.iter().map(|name| {
        json!({"jsonrpc": "2.0", "id": name, "method": "tools/call", "params": {"name": name}})
    }));
    let text = lines
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("\n");
    let mut stdin = server.stdin.take().unwrap();
    stdin
        .write_all(format!("{text}{last_line_end}").as_bytes())
        .unwrap();
    drop(stdin);
    let output = server.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn s03_answers_that_are_owed_at_the_end_of_input_are_given() {
    for line_end in ["\n", ""] {
        let output = answers(&["hello", "slow"], line_end);
        assert!(output.contains("at last"), "{output}");
    }
}

#[test]
fn s03_a_handler_that_never_ends_does_not_keep_the_server() {
    let output = answers(&["hello", "never"], "\n");
    assert!(output.contains("hello"), "{output}");
}
