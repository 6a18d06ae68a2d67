//! Arguments are changed on their way to the server; the caller's call stays as it was.
//!
//! `cargo run -p mcp-interceptors --example double_arguments`

use std::error::Error;
use std::sync::Arc;

use mcp_interceptors::{
    CallError, JsonMap, LocalTools, Next, ToolCall, ToolLayers, ToolOutcome, Toolset,
};
use mcp_protocol::Tool;
use serde_json::{Value, json};

/// Doubles every whole number.
async fn double(call: ToolCall, next: Next) -> Result<ToolOutcome, CallError> {
    let mut args = call.args().clone();
    for value in args.values_mut() {
        if let Some(n) = value.as_i64() {
            *value = (n * 2).into();
        }
    }
    next.run(call.with_args(args)).await
}

/// A server that adds two numbers.
fn calculator() -> LocalTools {
    let add = Tool::new("add", json!({"type": "object"}));
    LocalTools::new("calculator").tool(add, |call: ToolCall| async move {
        let number = |name| call.args().get(name).and_then(Value::as_i64).unwrap_or(0);
        Ok((number("a") + number("b")).to_string().into())
    })
}

/// Adds 2 and 3, doubled. Gives back the sum, and the caller's first argument afterwards.
///
/// # Errors
/// If the call fails.
pub async fn run() -> Result<(String, Option<Value>), Box<dyn Error>> {
    let tools = ToolLayers::new()
        .intercept(double)
        .around(Arc::new(calculator()));
    let add = tools.tools().await.tools.remove(0);
    let call = ToolCall::new(add, JsonMap::new())
        .with_arg("a", 2)
        .with_arg("b", 3);
    let outcome = tools.call(call.clone()).await?;
    Ok((outcome.text(), call.args().get("a").cloned()))
}

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::print_stdout, reason = "an example shows what it did")]
async fn main() -> Result<(), Box<dyn Error>> {
    println!("2 + 3, doubled: {}", run().await?.0);
    Ok(())
}
