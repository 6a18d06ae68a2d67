//! A user's server, to see what it takes to compile one.

use tower_mcp::{BoxError, CallToolResult, McpRouter, StdioTransport, ToolBuilder};

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
struct Message {
    message: String,
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let echo = ToolBuilder::new("echo")
        .description("Echoes a message")
        .handler(|args: Message| async move { Ok(CallToolResult::text(args.message)) })
        .build();
    let router = McpRouter::new().server_info("echo", "1").tool(echo);
    StdioTransport::new(router).run().await?;
    Ok(())
}
