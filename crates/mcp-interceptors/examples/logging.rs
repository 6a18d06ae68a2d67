//! Every call is logged: before, after, and when it fails.
//!
//! `cargo run -p mcp-interceptors --example logging`
//!
//! For spans and traces there is `TraceLayer`; this is what an interceptor of one's own looks
//! like.

use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

use mcp_interceptors::{
    CallError, Interceptor, JsonMap, LocalTools, Next, ToolCall, ToolLayers, ToolOutcome, Toolset,
};
use mcp_protocol::{CallToolResult, Tool};
use serde_json::json;

/// Writes a line for each thing that happens.
#[derive(Clone, Debug, Default)]
struct Logging(Arc<Mutex<Vec<String>>>);

impl Logging {
    fn line(&self, line: String) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.push(line);
    }
}

impl Interceptor for Logging {
    async fn intercept(&self, call: ToolCall, next: Next) -> Result<ToolOutcome, CallError> {
        let name = format!("{}/{}", call.server(), call.name());
        let args = serde_json::to_string(call.args()).map_err(CallError::layer)?;
        self.line(format!("calling {name} with {args}"));
        let result = next.run(call).await;
        self.line(match &result {
            // The tool itself may say that it failed; that is no error of the call.
            Ok(outcome) if outcome.is_error() => format!("{name} failed: {}", outcome.text()),
            Ok(outcome) => format!("{name} returned {}", outcome.text()),
            Err(error) => format!("{name} broke: {}", error.chain()),
        });
        result
    }
}

/// Makes three calls and gives back what was logged.
///
/// # Errors
/// If a tool is missing.
pub async fn run() -> Result<Vec<String>, Box<dyn Error>> {
    let tool = |name: &str| Tool::new(name, json!({"type": "object"}));
    let weather = LocalTools::new("weather")
        .tool(tool("now"), |_| async { Ok("12 degrees".into()) })
        .tool(tool("next_year"), |_| async {
            Ok(CallToolResult::error("nobody knows").into())
        })
        .tool(tool("mars"), |_| async {
            Err(CallError::layer("the antenna is down"))
        });

    let log = Logging::default();
    let tools = ToolLayers::new()
        .intercept(log.clone())
        .around(Arc::new(weather));
    for tool in tools.tools().await.tools {
        let call = ToolCall::new(tool, JsonMap::new()).with_arg("city", "Oslo");
        // What comes of it is in the log.
        let _ = tools.call(call).await;
    }
    let lines = log.0.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(lines.clone())
}

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::print_stdout, reason = "an example shows what it did")]
async fn main() -> Result<(), Box<dyn Error>> {
    println!("{}", run().await?.join("\n"));
    Ok(())
}
