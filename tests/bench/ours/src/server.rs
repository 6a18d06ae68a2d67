//! The server: a tool that says what it was told, among others that nobody calls.

use mcp_protocol::Tool;
use mcp_server::{Context, Server, ToolError};
use serde::Deserialize;

#[derive(Deserialize)]
struct Message {
    message: String,
}

async fn echo(args: Message, _: Context) -> Result<String, ToolError> {
    Ok(args.message)
}

/// A server with so many tools, of which the last is `echo`.
pub fn echo_server(tools: usize) -> Server {
    let schema = serde_json::json!({
        "type": "object",
        "properties": { "message": { "type": "string" } },
        "required": ["message"]
    });
    let tool = |name: String| Tool::new(name, schema.clone()).with_description("Echoes a message");
    let others = (1..tools).map(|n| tool(format!("tool_{n}")));
    let server = Server::builder("echo", "1");
    let server = others.fold(server, |server, other| server.tool(other, echo));
    server.tool(tool("echo".to_owned()), echo).build()
}
