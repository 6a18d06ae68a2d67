//! What layers cost.

use std::sync::Arc;

use mcp_interceptors::{
    CallError, JsonMap, LocalTools, Next, ToolCall, ToolLayers, ToolOutcome, ToolService, Toolset,
};
use mcp_protocol::Tool;
use serde_json::json;

async fn pass(call: ToolCall, next: Next) -> Result<ToolOutcome, CallError> {
    next.run(call).await
}

/// How many allocations a call through so many layers is.
fn allocations(layers: usize) -> u64 {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let tool = Tool::new("t", json!({"type": "object"}));
    let tools = LocalTools::new("s").tool(tool, |_| async { Ok("done".into()) });
    let layers = (0..layers).fold(ToolLayers::new(), |layers, _| layers.intercept(pass));
    let tool = runtime.block_on(tools.tools()).tools.remove(0);
    let service = layers.wrap(ToolService::from_toolset(Arc::new(tools)));
    let call = || ToolCall::new(Arc::clone(&tool), JsonMap::new());
    let make = |call| runtime.block_on(service.call(call)).unwrap();
    drop(make(call()));
    let call = call();
    allocation_counter::measure(|| drop(make(call))).count_total
}

#[test]
fn a_layer_that_does_nothing_costs_one_allocation() {
    let bare = allocations(0);
    assert!(bare > 0, "the counter counts");
    assert_eq!(allocations(10), bare + 10);
}
