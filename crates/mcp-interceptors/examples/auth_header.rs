//! Each tool is called with a token of its own, over one connection.
//!
//! `cargo run -p mcp-interceptors --example auth_header`
//!
//! The server here is a function that looks at the headers which the transport would send; how
//! they reach a server over HTTP shows `user_header` of `mcp-agent`.

use std::error::Error;
use std::sync::Arc;

use http::header::AUTHORIZATION;
use mcp_interceptors::{HeadersLayer, JsonMap, LocalTools, ToolCall, ToolLayers, Toolset};
use mcp_protocol::Tool;
use serde_json::json;

/// The token for a tool, as from a vault.
fn token_of(call: &ToolCall) -> Option<String> {
    match call.name() {
        "refund" => Some("token-of-the-cashier".to_owned()),
        "orders" => Some("token-of-the-shop".to_owned()),
        _ => None,
    }
}

/// Tools that tell with which authorization they were called.
fn shop() -> LocalTools {
    let names = ["orders", "refund", "opening_hours"];
    names
        .into_iter()
        .fold(LocalTools::new("shop"), |tools, name| {
            let tool = Tool::new(name, json!({"type": "object"}));
            tools.tool(tool, |call: ToolCall| async move {
                let header = call.headers().get(AUTHORIZATION);
                let seen = header.and_then(|value| value.to_str().ok());
                Ok(seen.unwrap_or("nobody").into())
            })
        })
}

/// Calls each tool and gives back what its server saw.
///
/// # Errors
/// If a call fails.
pub async fn run() -> Result<Vec<String>, Box<dyn Error>> {
    let layers = ToolLayers::new().layer(HeadersLayer::new().bearer(token_of));
    let tools = layers.around(Arc::new(shop()));
    let mut seen = Vec::new();
    for tool in tools.tools().await.tools {
        let outcome = tools.call(ToolCall::new(tool, JsonMap::new())).await?;
        seen.push(outcome.text());
    }
    Ok(seen)
}

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::print_stdout, reason = "an example shows what it did")]
async fn main() -> Result<(), Box<dyn Error>> {
    println!("{}", run().await?.join("\n"));
    Ok(())
}
