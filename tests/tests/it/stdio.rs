//! Real child processes: this very program in another role.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use mcp::client::{CallOptions, ClientOptions, Session};
use mcp::protocol::{CallToolParams, ProtocolVersion};
use mcp::server::{Context, NoArgs, ToolError};
use mcp::stdio::{ChildBuilder, LineReader, LineWriter};
use mcp::{Server, StdioConnect, Tool};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::asked::asked;
use crate::wire::soon;

const ROLE: &str = "MCP_TESTS_ROLE";
const COPY: &str = "MCP_TESTS_COPY";

/// Does nothing unless it is started as a server. That one must not wait for the thread that
/// reads its input, which would go on for ever.
#[expect(clippy::exit, reason = "a server that has served ends its process")]
#[tokio::test]
async fn other_role() {
    if std::env::var(ROLE).is_ok_and(|role| role == "server") {
        serve_and_copy(&std::env::var(COPY).unwrap()).await;
        std::process::exit(0);
    }
}

/// Serves on standard input and output, and copies every byte that comes in to a file.
async fn serve_and_copy(path: &str) {
    let mut copy = std::fs::File::create(path).unwrap();
    let (mut feed, input) = tokio::io::duplex(64 * 1024);
    tokio::spawn(async move {
        let (mut stdin, mut bytes) = (tokio::io::stdin(), vec![0; 64 * 1024]);
        while let Ok(read @ 1..) = stdin.read(&mut bytes).await {
            copy.write_all(&bytes[..read]).unwrap();
            feed.write_all(&bytes[..read]).await.unwrap();
        }
    });
    // A banner of the test harness is on standard output already: noise that clients skip.
    let writer = LineWriter::new(tokio::io::stdout());
    let peer = server().serve(LineReader::new(input, 1 << 20), writer);
    mcp::transport::Channel::closed(&peer).await;
}

fn server() -> Server {
    let tool = |name: &str| Tool::new(name, json!({"type": "object"}));
    Server::builder("child", "1")
        .logging()
        .tool(tool("echo"), |args: Value, _: Context| async move {
            Ok::<_, ToolError>(args["text"].to_string())
        })
        .tool(tool("asks"), |_: NoArgs, cx: Context| async move {
            Ok(cx.roots().await?.len().to_string())
        })
        .tool(tool("never"), |_: NoArgs, _: Context| async {
            std::future::pending::<Result<&str, ToolError>>().await
        })
        .build()
}

/// A connector to this program as a server.
fn child(copy: &Path) -> StdioConnect {
    let program = std::env::current_exe().unwrap();
    let child = ChildBuilder::new(program)
        .args(["--exact", "stdio::other_role", "--nocapture"])
        .env(ROLE, "server")
        .env(COPY, copy);
    StdioConnect::new(child)
}

#[tokio::test]
async fn stdio_03_nothing_but_messages_is_written_to_the_input_of_a_child() {
    let folder = tempfile::tempdir().unwrap();
    for version in ProtocolVersion::ALL {
        let copy = folder.path().join(version.as_str());
        let (_, handlers) = asked();
        let options = ClientOptions::new("test", "1")
            .with_versions([version])
            .with_handlers(handlers);
        let client = Session::connect(&child(&copy), options).await.unwrap();
        use_all_of_it(&client).await;
        soon(client.close()).await;

        let bytes = std::fs::read(&copy).unwrap();
        assert_eq!(bytes.last(), Some(&b'\n'), "the last message is whole");
        let text = std::str::from_utf8(&bytes).unwrap();
        let lines: Vec<_> = text.split_terminator('\n').collect();
        assert!(lines.len() > 10, "{text}");
        for line in lines {
            let message: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line:?}"));
            assert_eq!(message["jsonrpc"], "2.0", "{line}");
            let is_one = message["method"].is_string()
                || message.get("id").is_some()
                    && message.get("result").is_some() != message.get("error").is_some();
            assert!(is_one, "{line}");
        }
    }
}

async fn use_all_of_it(client: &Session) {
    client.list_tools().await.unwrap();
    for text in [
        "line\nbreak\r\n",
        "\u{2028}\u{2029}\u{85}\u{feff}",
        "\0\u{1b}[0m",
        "",
    ] {
        let params = CallToolParams::new("echo");
        let params = params.with_arguments(&json!({"text": text})).unwrap();
        let result = client.call_tool(params, &CallOptions::new()).await.unwrap();
        assert_eq!(result.text_content(), json!(text).to_string());
    }
    // An answer to the server, an error, a time-out, and a call that is dropped.
    let none = CallOptions::new();
    client
        .call_tool(CallToolParams::new("asks"), &none)
        .await
        .unwrap();
    client
        .call_tool(CallToolParams::new("none"), &none)
        .await
        .unwrap_err();
    let short = CallOptions::new().with_timeout(Duration::from_millis(10));
    client
        .call_tool(CallToolParams::new("never"), &short)
        .await
        .unwrap_err();
    let calling = Arc::new(client.clone());
    let call = tokio::spawn(async move {
        let none = CallOptions::new();
        calling.call_tool(CallToolParams::new("never"), &none).await
    });
    client.ping(&none).await.unwrap();
    call.abort();
    client.ping(&none).await.unwrap();
}
