//! A user's server, to see what it takes to compile one.

use mcp_protocol::Tool;
use mcp_server::{Context, Server, ToolError};
use mcp_transport::Channel as _;
use mcp_transport_stdio::Stdio;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Message {
    message: String,
}

async fn echo(args: Message, _: Context) -> Result<String, ToolError> {
    Ok(args.message)
}

#[tokio::main]
async fn main() {
    let tool = Tool::new("echo", schemars::schema_for!(Message));
    let tool = tool.with_description("Echoes a message");
    let server = Server::builder("echo", "1").tool(tool, echo).build();
    let (reader, writer) = Stdio::own();
    server.serve(reader, writer).closed().await;
}
