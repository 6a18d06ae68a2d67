//! What a connection promises, tried with a peer that plays by a script, on paused time.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod bounds;
mod bytes;
mod calls;
mod ending;
mod notifications;
mod pair;
mod requests;

use std::fmt;
use std::sync::Arc;

use mcp_jsonrpc::{ErrorObject, Notification, RawJson, Request};
use mcp_peer::{Peer, PeerOptions};
use mcp_protocol::lifecycle::ServerIdentity;
use mcp_protocol::{Implementation, RequestContext, ServerCapabilities};
use mcp_testkit::ScriptedPeer;
use mcp_transport::{BoxFuture, Handler, Incoming};

type Outcome = Result<RawJson, ErrorObject>;
type Asked = Incoming<Request, RequestContext>;
type Told = Incoming<Notification, RequestContext>;

/// A handler made of two closures.
struct Script {
    request: Box<dyn Fn(Asked) -> BoxFuture<'static, Outcome> + Send + Sync>,
    notification: Box<dyn Fn(Told) -> BoxFuture<'static, ()> + Send + Sync>,
}

impl Script {
    /// Answers requests so, and ignores notifications.
    fn request<F>(f: impl Fn(Asked) -> F + Send + Sync + 'static) -> Arc<Self>
    where
        F: Future<Output = Outcome> + Send + 'static,
    {
        Arc::new(Self {
            request: Box::new(move |asked| Box::pin(f(asked))),
            notification: Box::new(|_| Box::pin(async {})),
        })
    }

    /// Takes notifications so, and answers requests with `{}`.
    fn notification<F>(f: impl Fn(Told) -> F + Send + Sync + 'static) -> Arc<Self>
    where
        F: Future<Output = ()> + Send + 'static,
    {
        Arc::new(Self {
            request: Box::new(|_| Box::pin(async { Ok(RawJson::EMPTY) })),
            notification: Box::new(move |told| Box::pin(f(told))),
        })
    }

    /// Answers every request with `{}`.
    fn idle() -> Arc<Self> {
        Self::request(|_| async { Ok(RawJson::EMPTY) })
    }
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Script")
    }
}

impl Handler<RequestContext> for Script {
    fn request(self: Arc<Self>, asked: Asked) -> BoxFuture<'static, Outcome> {
        (self.request)(asked)
    }

    fn notification(self: Arc<Self>, told: Told) -> BoxFuture<'static, ()> {
        (self.notification)(told)
    }
}

/// A client whose server is played by the test, after the handshake.
async fn client(handler: Arc<Script>) -> (Peer, ScriptedPeer) {
    client_with(handler, PeerOptions::default()).await
}

async fn client_with(handler: Arc<Script>, options: PeerOptions) -> (Peer, ScriptedPeer) {
    let (server, (reader, writer)) = ScriptedPeer::new();
    let peer = mcp_peer::client(reader, writer, handler, options);
    mcp_transport::Channel::negotiated(&peer, "2025-11-25");
    tokio::task::yield_now().await;
    (peer, server)
}

/// A server whose client is played by the test, after the handshake.
async fn server(handler: Arc<Script>) -> (Peer, ScriptedPeer) {
    server_with(handler, PeerOptions::default(), 1024).await
}

async fn server_with(
    handler: Arc<Script>,
    options: PeerOptions,
    lines: usize,
) -> (Peer, ScriptedPeer) {
    let (mut client, (reader, writer)) = ScriptedPeer::with_capacity(lines);
    let mut capabilities = ServerCapabilities::default();
    capabilities.tools = Some(mcp_protocol::ToolsCapability::default());
    capabilities.logging = Some(serde_json::Map::new());
    let identity = ServerIdentity::new(Implementation::new("test", "0"), capabilities);
    let peer = mcp_peer::server(reader, writer, Arc::new(identity), handler, options);
    client.introduce("2025-11-25").await;
    (peer, client)
}
