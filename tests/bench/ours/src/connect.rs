//! The three ways to a server.

use std::sync::Arc;

use harness::{Scenario, sibling};
use mcp_client::{Connect, ConnectError, Link};
use mcp_peer::PeerOptions;
use mcp_protocol::RequestContext;
use mcp_protocol::lifecycle::Wire;
use mcp_server::Server;
use mcp_transport::{BoxFuture, Handler, memory};
use mcp_transport_http::HttpTransport;
use mcp_transport_stdio::ChildBuilder;

type Opening<'a> = BoxFuture<'a, Result<Link, ConnectError>>;
type Inward = Arc<dyn Handler<RequestContext>>;

/// A child process.
#[derive(Debug)]
pub struct Stdio(ChildBuilder);

impl Stdio {
    /// The server program beside this one.
    pub fn server(scenario: &Scenario) -> Self {
        Self(ChildBuilder::new(sibling("ours-server")).args(scenario.server_args()))
    }

    /// Starts it; its process id is for measuring.
    pub fn start(&self, handler: Inward) -> (Link, Option<u32>) {
        let child = self.0.spawn().expect("the server starts");
        let pid = child.process.id();
        let peer = mcp_peer::client(child.reader, child.writer, handler, PeerOptions::default());
        (Link::new(Arc::new(peer), Wire::Stream), Some(pid))
    }
}

impl Connect for Stdio {
    fn connect(&self, handler: Inward) -> Opening<'_> {
        Box::pin(async move { Ok(self.start(handler).0) })
    }
}

/// An HTTP server that runs.
#[derive(Debug)]
pub struct Http(HttpTransport);

impl Http {
    /// The server on this port of the loopback interface.
    pub fn port(port: u16) -> Self {
        let transport = HttpTransport::builder(format!("http://127.0.0.1:{port}/mcp"));
        Self(transport.build().expect("a transport"))
    }
}

impl Connect for Http {
    fn connect(&self, handler: Inward) -> Opening<'_> {
        let channel = Arc::new(self.0.open(handler));
        Box::pin(async move { Ok(Link::new(channel, Wire::Http)) })
    }
}

/// A server in this process.
#[derive(Debug)]
pub struct Pair(pub Server);

impl Connect for Pair {
    fn connect(&self, handler: Inward) -> Opening<'_> {
        let (here, there) = memory(64);
        // It ends with the client's side.
        drop(self.0.serve(there.0, there.1));
        let peer = mcp_peer::client(here.0, here.1, handler, PeerOptions::default());
        Box::pin(async move { Ok(Link::new(Arc::new(peer), Wire::Stream)) })
    }
}
