//! A user's server, to see what it takes to compile one.

use rmcp::handler::server::wrapper::Parameters;
use rmcp::{ServiceExt, schemars, tool, tool_router, transport::stdio};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Message {
    message: String,
}

#[derive(Clone, Debug)]
struct Echo;

#[tool_router(server_handler)]
impl Echo {
    #[tool(description = "Echoes a message")]
    fn echo(&self, Parameters(Message { message }): Parameters<Message>) -> String {
        message
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Echo.serve(stdio()).await?.waiting().await?;
    Ok(())
}
