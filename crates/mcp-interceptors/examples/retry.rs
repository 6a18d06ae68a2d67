//! Calls that fail are made again, with longer and longer pauses: by hand, and by the layer.
//!
//! `cargo run -p mcp-interceptors --example retry`
//!
//! The layer does what is easy to forget by hand: it sees what the tool itself reports, makes
//! nothing again that may have run, waits a random part of each pause, and bounds what all calls
//! together repeat.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use mcp_interceptors::{
    Backoff, CallError, CallErrorKind, JsonMap, LocalTools, Next, RetryLayer, ToolCall, ToolLayers,
    ToolOutcome, Toolset,
};
use mcp_protocol::Tool;
use serde_json::json;

/// By hand: three attempts, 100 ms and 200 ms apart.
async fn retry(call: ToolCall, next: Next) -> Result<ToolOutcome, CallError> {
    let mut pause = Duration::from_millis(100);
    for _ in 0..2 {
        match next.run(call.clone()).await {
            Err(error) if error.kind() == CallErrorKind::Connect => {}
            result => return result,
        }
        tokio::time::sleep(pause).await;
        pause *= 2;
    }
    next.run(call).await
}

/// A server that is not there for the first two calls.
fn starting() -> LocalTools {
    let calls = AtomicU32::new(0);
    let tool = Tool::new("ping", json!({"type": "object"}));
    LocalTools::new("s").tool(tool, move |_| {
        let nth = calls.fetch_add(1, Ordering::Relaxed) + 1;
        std::future::ready(if nth < 3 {
            Err(CallError::new(CallErrorKind::Connect, "not yet there"))
        } else {
            Ok(format!("answered the call number {nth}").into())
        })
    })
}

async fn ping(layers: &ToolLayers) -> Result<String, Box<dyn Error>> {
    let tools = layers.around(Arc::new(starting()));
    let ping = tools.tools().await.tools.remove(0);
    let outcome = tools.call(ToolCall::new(ping, JsonMap::new())).await?;
    Ok(outcome.text())
}

/// What comes of a call by hand, and of one through the layer.
///
/// # Errors
/// If a call fails too often.
pub async fn run() -> Result<(String, String), Box<dyn Error>> {
    let by_hand = ToolLayers::new().intercept(retry);
    let backoff = Backoff::new(Duration::from_millis(100), Duration::from_secs(1));
    let by_layer = ToolLayers::new().layer(RetryLayer::new(3).backoff(backoff));
    Ok((ping(&by_hand).await?, ping(&by_layer).await?))
}

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::print_stdout, reason = "an example shows what it did")]
async fn main() -> Result<(), Box<dyn Error>> {
    let (by_hand, by_layer) = run().await?;
    println!("by hand: {by_hand}\nby the layer: {by_layer}");
    Ok(())
}
