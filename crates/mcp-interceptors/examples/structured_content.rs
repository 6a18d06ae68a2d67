//! Structured content is put into the text that a model reads: by hand, and by the layer.
//!
//! `cargo run -p mcp-interceptors --example structured_content`

use std::error::Error;
use std::sync::Arc;

use mcp_interceptors::{
    CallError, JsonMap, LocalTools, Next, ShowStructured, ShowStructuredLayer, ToolCall,
    ToolLayers, ToolOutcome, Toolset,
};
use mcp_protocol::{CallToolResult, ContentBlock, Tool};
use serde_json::json;

/// By hand. `map_result` leaves messages and commands of other layers as they are.
async fn append(call: ToolCall, next: Next) -> Result<ToolOutcome, CallError> {
    let outcome = next.run(call).await?;
    Ok(outcome.map_result(|mut result| {
        if let Some(structured) = &result.structured_content {
            let text = structured.to_string();
            result.content.push(ContentBlock::text(text));
        }
        result
    }))
}

/// A tool whose text says little.
fn weather() -> LocalTools {
    let tool = Tool::new("now", json!({"type": "object"}));
    LocalTools::new("weather").tool(tool, |_| async {
        let structured = json!({"temperature": 12, "wind": [3, "m/s"]});
        Ok(CallToolResult::text("see the data")
            .with_structured_content(structured)
            .into())
    })
}

async fn now(layers: &ToolLayers) -> Result<String, Box<dyn Error>> {
    let tools = layers.around(Arc::new(weather()));
    let now = tools.tools().await.tools.remove(0);
    let outcome = tools.call(ToolCall::new(now, JsonMap::new())).await?;
    Ok(outcome.text())
}

/// What a model reads by hand, and through the layer.
///
/// # Errors
/// If a call fails.
pub async fn run() -> Result<(String, String), Box<dyn Error>> {
    let by_hand = ToolLayers::new().intercept(append);
    let by_layer = ToolLayers::new().layer(ShowStructuredLayer::new(ShowStructured::Always));
    Ok((now(&by_hand).await?, now(&by_layer).await?))
}

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::print_stdout, reason = "an example shows what it did")]
async fn main() -> Result<(), Box<dyn Error>> {
    println!("{}", run().await?.0);
    Ok(())
}
