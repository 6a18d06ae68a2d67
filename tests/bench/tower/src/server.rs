//! The server: a tool that says what it was told.

use tower_mcp::{CallToolResult, McpRouter, ToolBuilder};

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
struct Message {
    message: String,
}

/// The server with the tool `echo`.
pub fn echo_router() -> McpRouter {
    let echo = ToolBuilder::new("echo")
        .description("Echoes a message")
        .handler(|args: Message| async move { Ok(CallToolResult::text(args.message)) });
    McpRouter::new().server_info("echo", "1").tool(echo.build())
}
