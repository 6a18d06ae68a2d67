//! The server: a tool that says what it was told.

use rmcp::handler::server::wrapper::Parameters;
use rmcp::{schemars, tool, tool_router};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Message {
    message: String,
}

/// The server with the tool `echo`.
#[derive(Clone, Debug)]
pub struct EchoServer;

#[tool_router(server_handler)]
impl EchoServer {
    #[tool(description = "Echoes a message")]
    fn echo(&self, Parameters(Message { message }): Parameters<Message>) -> String {
        message
    }
}
