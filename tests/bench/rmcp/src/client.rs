//! The client: a session, and one call.

use std::sync::Arc;

use harness::{Client, Era};
use rmcp::model::{CallToolRequestParams, JsonObject, ProtocolVersion};
use rmcp::service::RunningService;
use rmcp::transport::IntoTransport;
use rmcp::{ClientLifecycleMode, ClientServiceExt as _, RoleClient, ServiceExt as _};

/// A session with an echo server.
#[derive(Clone, Debug)]
pub struct Echo(Arc<RunningService<RoleClient, ()>>);

impl Echo {
    pub(crate) async fn connect<T, E, A>(transport: T, era: Era) -> Self
    where
        T: IntoTransport<RoleClient, E, A>,
        E: std::error::Error + Send + Sync + 'static,
    {
        let running = match era {
            Era::Handshake => ().serve(transport).await,
            Era::Stateless => {
                let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
                let mode = ClientLifecycleMode::Discover { preferred_versions };
                ().serve_with_lifecycle(transport, mode).await
            }
        };
        Self(Arc::new(running.expect("a session")))
    }
}

impl Client for Echo {
    async fn call(&self, text: &str) {
        let arguments = JsonObject::from_iter([("message".to_owned(), text.into())]);
        let params = CallToolRequestParams::new("echo").with_arguments(arguments);
        let result = self.0.peer().call_tool(params).await.expect("a result");
        let answer = result.content.first().and_then(|block| block.as_text());
        assert_eq!(answer.map(|answer| answer.text.len()), Some(text.len()));
    }

    async fn close(self) {
        if let Ok(running) = Arc::try_unwrap(self.0) {
            running.cancel().await.expect("an end in order");
        }
    }
}
