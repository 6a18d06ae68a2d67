//! The client: a session, and one call.

use harness::{Client, Era};
use mcp_client::{CallOptions, ClientOptions, Connect, Session};
use mcp_protocol::CallToolParams;
use mcp_protocol::lifecycle::Preference;
use serde::Serialize;

#[derive(Serialize)]
struct Message {
    message: String,
}

/// A session with an echo server.
#[derive(Clone, Debug)]
pub struct Echo(Session);

impl Echo {
    pub(crate) async fn connect(connect: &dyn Connect, era: Era) -> Self {
        let preference = match era {
            Era::Handshake => Preference::Handshake,
            Era::Stateless => Preference::Stateless,
        };
        let options = ClientOptions::new("bench", "1").with_preference(preference);
        let session = Session::connect(connect, options).await.expect("a session");
        assert_eq!(session.version().as_str(), era.name());
        Self(session)
    }
}

impl Client for Echo {
    async fn call(&self, text: &str) {
        let arguments = Message {
            message: text.to_owned(),
        };
        let params = CallToolParams::new("echo")
            .with_arguments(&arguments)
            .expect("arguments");
        let result = self.0.call_tool(params, &CallOptions::new()).await;
        let result = result.expect("a result");
        assert_eq!(result.first_text().map(str::len), Some(text.len()));
    }

    async fn close(self) {
        self.0.close().await;
    }
}
