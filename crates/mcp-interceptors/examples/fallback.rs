//! Another answer when a server is too slow or not there.
//!
//! `cargo run -p mcp-interceptors --example fallback`
//!
//! The time limit is tower's; it stands inside of the fallback, which so sees it.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use mcp_interceptors::{
    CallError, CallErrorKind, FallbackLayer, JsonMap, LocalTools, ToolCall, ToolLayers, Toolset,
};
use mcp_protocol::Tool;
use serde_json::json;
use tower::timeout::TimeoutLayer;

/// A server with a tool that never ends, one that is not there, and one that works.
fn shop() -> LocalTools {
    let tool = |name: &str| Tool::new(name, json!({"type": "object"}));
    LocalTools::new("shop")
        .tool(tool("forecast"), |_| std::future::pending())
        .tool(tool("stock"), |_| async {
            Err(CallError::new(CallErrorKind::Connect, "nobody there"))
        })
        .tool(tool("prices"), |_| async { Ok("a lamp is 12".into()) })
}

/// Calls each tool and gives back what came of it.
///
/// # Errors
/// If a call has no outcome in spite of it all.
pub async fn run() -> Result<Vec<String>, Box<dyn Error>> {
    let fallback = FallbackLayer::with(|call: ToolCall, error: CallError| async move {
        let name = call.name();
        match error.kind() {
            CallErrorKind::TimedOut => Ok(format!("{name} took too long, try it later").into()),
            CallErrorKind::Connect => Ok(format!("{name} is down, this is of yesterday").into()),
            _ => Err(error),
        }
    });
    let tools = ToolLayers::new()
        .layer(fallback)
        .layer(TimeoutLayer::new(Duration::from_secs(1)))
        .around(Arc::new(shop()));
    let mut texts = Vec::new();
    for tool in tools.tools().await.tools {
        let outcome = tools.call(ToolCall::new(tool, JsonMap::new())).await?;
        texts.push(outcome.text());
    }
    Ok(texts)
}

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::print_stdout, reason = "an example shows what it did")]
async fn main() -> Result<(), Box<dyn Error>> {
    println!("{}", run().await?.join("\n"));
    Ok(())
}
