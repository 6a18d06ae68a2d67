//! A server with one tool, over stdin and stdout.
//!
//! A line such as `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{...}}` comes in, and
//! one goes out. Nothing else may be written to stdout.

use mcp_protocol::Tool;
use mcp_server::{Context, Server, ToolError};
use mcp_transport::Channel as _;
use mcp_transport_stdio::Stdio;
use schemars::JsonSchema;
use serde::Deserialize;

/// What to say.
#[derive(Deserialize, JsonSchema)]
struct Echo {
    /// The text that comes back.
    text: String,
    /// How many times.
    #[serde(default = "once")]
    times: usize,
}

fn once() -> usize {
    1
}

async fn echo(args: Echo, _: Context) -> Result<String, ToolError> {
    if args.times > 100 {
        return Err(ToolError::new("at most 100 times"));
    }
    Ok(args.text.repeat(args.times))
}

#[tokio::main]
async fn main() {
    let schema = schemars::schema_for!(Echo);
    let server = Server::builder("echo", "1.0.0")
        .tool(
            Tool::new("echo", schema).with_description("Gives back a text."),
            echo,
        )
        .build();
    let (reader, writer) = Stdio::own();
    server.serve(reader, writer).closed().await;
}
