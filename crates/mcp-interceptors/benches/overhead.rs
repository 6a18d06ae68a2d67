//! What ten layers that do nothing cost a call: `cargo bench -p mcp-interceptors`.
//!
//! Time is that of one thread, the median of a hundred batches. Allocations are counted by a test.

#![expect(clippy::print_stdout, reason = "a bench shows its figures")]

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mcp_interceptors::{
    CallError, JsonMap, LocalTools, Next, ToolCall, ToolLayers, ToolOutcome, ToolService, Toolset,
};
use mcp_protocol::Tool;

const BATCHES: usize = 100;
const CALLS: u32 = 1_000;

async fn pass(call: ToolCall, next: Next) -> Result<ToolOutcome, CallError> {
    next.run(call).await
}

/// The time of a call through so many layers.
async fn measure(layers: usize) -> Result<Duration, Box<dyn Error>> {
    let tool = Tool::new("t", serde_json::json!({"type": "object"}));
    let tools = LocalTools::new("s").tool(tool, |_| async { Ok("done".into()) });
    let layers = (0..layers).fold(ToolLayers::new(), |layers, _| layers.intercept(pass));
    let tool = tools.tools().await.tools.remove(0);
    let service = layers.wrap(ToolService::from_toolset(Arc::new(tools)));
    let call = || ToolCall::new(Arc::clone(&tool), JsonMap::new());
    let mut times = Vec::with_capacity(BATCHES);
    for _ in 0..BATCHES {
        let began = Instant::now();
        for _ in 0..CALLS {
            service.call(call()).await?;
        }
        times.push(began.elapsed() / CALLS);
    }
    times.sort_unstable();
    Ok(times.get(BATCHES / 2).copied().unwrap_or_default())
}

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let bare = runtime.block_on(measure(0))?;
    let layered = runtime.block_on(measure(10))?;
    println!("a call without layers: {bare:?}");
    println!("a call through ten layers: {layered:?}");
    println!("ten layers: {:?}", layered.saturating_sub(bare));
    Ok(())
}
