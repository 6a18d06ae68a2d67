//! The client: a session, and one call.

use std::sync::Arc;

use harness::{Client, Era};
use serde_json::json;
use tower_mcp::client::{ClientTransport, McpClient};

/// A session with an echo server.
#[derive(Clone)]
pub struct Echo(Arc<McpClient>);

impl Echo {
    pub(crate) async fn connect(transport: impl ClientTransport + 'static, era: Era) -> Self {
        let client = McpClient::connect(transport).await.expect("a connection");
        match era {
            Era::Handshake => drop(client.initialize("bench", "1").await.expect("a session")),
            Era::Stateless => drop(client.discover("bench", "1").await.expect("a session")),
        }
        Self(Arc::new(client))
    }
}

impl Client for Echo {
    async fn call(&self, text: &str) {
        let arguments = json!({ "message": text });
        let result = self.0.call_tool("echo", arguments).await.expect("a result");
        assert_eq!(result.first_text().map(str::len), Some(text.len()));
    }

    async fn close(self) {
        if let Some(client) = Arc::into_inner(self.0) {
            client.shutdown().await.expect("an end in order");
        }
    }
}
