//! Interceptors around local tools, by rule.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod examples;
mod layers;
mod onion;
mod overhead;
mod tower_layers;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use mcp_interceptors::{BoundTool, LocalTools, ToolCall, ToolLayers, ToolService, Toolset};
use mcp_protocol::Tool;
use serde_json::json;

/// A server with the tools `add` and `multiply` that counts its calls.
#[derive(Clone, Default)]
struct Calculator {
    calls: Arc<AtomicUsize>,
    seen: Arc<Mutex<Vec<ToolCall>>>,
}

impl Calculator {
    fn tools(&self) -> LocalTools {
        let (add, multiply) = (self.clone(), self.clone());
        LocalTools::prefixed("math")
            .tool(Tool::new("add", json!({"type": "object"})), move |call| {
                let text = add.run(&call, |a, b| a + b);
                async move { Ok(text.into()) }
            })
            .tool(
                Tool::new("multiply", json!({"type": "object"})),
                move |call| {
                    let text = multiply.run(&call, |a, b| a * b);
                    async move { Ok(text.into()) }
                },
            )
    }

    fn run(&self, call: &ToolCall, f: fn(i64, i64) -> i64) -> String {
        self.calls.fetch_add(1, Ordering::SeqCst);
        self.seen.lock().unwrap().push(call.clone());
        let number = |name: &str| call.args()[name].as_i64().unwrap();
        f(number("a"), number("b")).to_string()
    }

    fn count(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    fn service(&self, layers: &ToolLayers) -> ToolService {
        layers.wrap(ToolService::from_toolset(Arc::new(self.tools())))
    }
}

async fn add_of(tools: &dyn Toolset, a: i64, b: i64) -> ToolCall {
    let add: Arc<BoundTool> = tools.tools().await.tools.remove(0);
    ToolCall::new(add, serde_json::Map::new())
        .with_arg("a", a)
        .with_arg("b", b)
}
