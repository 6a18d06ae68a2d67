//! Two interceptors: the first in the list is the outermost.
//!
//! `cargo run -p mcp-interceptors --example order`

use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

use mcp_interceptors::{
    CallError, Interceptor, JsonMap, LocalTools, Next, ToolCall, ToolLayers, ToolOutcome, Toolset,
};
use mcp_protocol::Tool;
use serde_json::json;

type Log = Arc<Mutex<Vec<String>>>;

/// Says when it is passed on the way in, and on the way out.
struct Says(&'static str, Log);

impl Says {
    fn say(&self, when: &str) {
        let mut lines = self.1.lock().unwrap_or_else(PoisonError::into_inner);
        lines.push(format!("{}: {when}", self.0));
    }
}

impl Interceptor for Says {
    async fn intercept(&self, call: ToolCall, next: Next) -> Result<ToolOutcome, CallError> {
        self.say("before");
        let result = next.run(call).await;
        self.say("after");
        result
    }
}

/// Makes one call and gives back who said what, in order.
///
/// # Errors
/// If the call fails.
pub async fn run() -> Result<Vec<String>, Box<dyn Error>> {
    let log = Log::default();
    let in_tool = Says("tool", Arc::clone(&log));
    let tool = Tool::new("work", json!({"type": "object"}));
    let tools = LocalTools::new("s").tool(tool, move |_| {
        in_tool.say("works");
        std::future::ready(Ok("done".into()))
    });
    let tools = ToolLayers::new()
        .intercept(Says("outer", Arc::clone(&log)))
        .intercept(Says("inner", Arc::clone(&log)))
        .around(Arc::new(tools));
    let work = tools.tools().await.tools.remove(0);
    tools.call(ToolCall::new(work, JsonMap::new())).await?;
    let lines = log.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(lines.clone())
}

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::print_stdout, reason = "an example shows what it did")]
async fn main() -> Result<(), Box<dyn Error>> {
    println!("{}", run().await?.join("\n"));
    Ok(())
}
