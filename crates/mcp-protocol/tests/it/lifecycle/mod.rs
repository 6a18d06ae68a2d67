//! Both lifecycles as transcripts, and client and server machines against each other.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod cancel;
mod client;
mod envelope;
mod latest;
mod negotiate;
mod pair;
mod progress;
mod random;
mod server;
mod transcript;

use std::sync::Arc;

use mcp_jsonrpc::Limits;
use mcp_protocol::lifecycle::{ClientConnection, ServerConnection, ServerIdentity};
use mcp_protocol::{Implementation, ProtocolVersion, ServerCapabilities, ToolsCapability};

use transcript::Stage;

/// The `_meta` of a request of 2026-07-28.
macro_rules! modern {
    () => {
        r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#
    };
}
pub(crate) use modern;

fn identity() -> ServerIdentity {
    let tools = ToolsCapability::new().with_list_changed(true);
    ServerIdentity::new(
        Implementation::new("library", "1.0.0"),
        ServerCapabilities::new()
            .with_tools(tools)
            .with_logging(serde_json::Map::new()),
    )
}

fn server() -> Stage<ServerConnection<()>> {
    server_of(identity())
}

fn server_of(identity: ServerIdentity) -> Stage<ServerConnection<()>> {
    Stage::new(ServerConnection::new(Limits::default(), Arc::new(identity)))
}

/// A server that has agreed on a revision by handshake.
#[track_caller]
fn open_server(version: ProtocolVersion) -> Stage<ServerConnection<()>> {
    let mut server = server();
    server.play(&initialize(version.as_str(), version.as_str()));
    server.play(
        r#"
        > {"jsonrpc":"2.0","method":"notifications/initialized"}
        ! notification notifications/initialized
        "#,
    );
    server
}

fn initialize(asked: &str, answered: &str) -> String {
    format!(
        r#"
        > {{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{asked}","capabilities":{{}},"clientInfo":{{"name":"c","version":"1"}}}}}}
        < {{"jsonrpc":"2.0","id":0,"result":{{"protocolVersion":"{answered}","capabilities":{{"tools":{{"listChanged":true}}}},"serverInfo":{{"name":"library","version":"1.0.0"}}}}}}
        "#
    )
}

fn client() -> Stage<ClientConnection<()>> {
    Stage::new(ClientConnection::new(Limits::default()))
}

fn open_client(version: ProtocolVersion) -> Stage<ClientConnection<()>> {
    let mut client = client();
    client.play(&format!("= pin {version}"));
    client
}
