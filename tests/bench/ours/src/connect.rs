//! The three ways to a server.

use std::sync::{Arc, OnceLock};

use harness::{Scenario, Sdk, sibling};
use mcp_client::{Connect, ConnectError, Link};
use mcp_peer::PeerOptions;
use mcp_protocol::RequestContext;
use mcp_protocol::lifecycle::Wire;
use mcp_server::Server;
use mcp_transport::{BoxFuture, Handler, memory};
use mcp_transport_http::HttpTransport;
use mcp_transport_stdio::ChildBuilder;

use crate::client::Echo;
use crate::server::echo_server;

type Opening<'a> = BoxFuture<'a, Result<Link, ConnectError>>;
type Inward = Arc<dyn Handler<RequestContext>>;

/// This project.
#[derive(Debug)]
pub struct Ours;

impl Sdk for Ours {
    type Client = Echo;
    const SERVER: &str = "ours-server";

    async fn stdio(scenario: &Scenario) -> (Echo, Option<u32>) {
        let stdio = Stdio::server(scenario);
        let echo = Echo::connect(&stdio, scenario.era).await;
        (echo, stdio.pid())
    }

    async fn http(scenario: &Scenario, port: u16) -> Echo {
        let transport = HttpTransport::builder(format!("http://127.0.0.1:{port}/mcp"));
        let http = Http(transport.build().expect("a transport"));
        Echo::connect(&http, scenario.era).await
    }

    async fn pair(scenario: &Scenario) -> Echo {
        Echo::connect(&Pair(echo_server(scenario.tools)), scenario.era).await
    }
}

/// A child process; remembers its id.
#[derive(Debug)]
pub struct Stdio {
    program: ChildBuilder,
    pid: OnceLock<u32>,
}

impl Stdio {
    /// The server program beside this one.
    pub fn server(scenario: &Scenario) -> Self {
        let program = ChildBuilder::new(sibling(Ours::SERVER)).args(scenario.server_args());
        Self {
            program,
            pid: OnceLock::new(),
        }
    }

    /// The process, once it was started.
    pub fn pid(&self) -> Option<u32> {
        self.pid.get().copied()
    }
}

impl Connect for Stdio {
    fn connect(&self, handler: Inward) -> Opening<'_> {
        let child = self.program.spawn().expect("the server starts");
        let _ = self.pid.set(child.process.id());
        let peer = mcp_peer::client(child.reader, child.writer, handler, PeerOptions::default());
        Box::pin(async move { Ok(Link::new(Arc::new(peer), Wire::Stream)) })
    }
}

/// An HTTP server that runs.
#[derive(Debug)]
struct Http(HttpTransport);

impl Connect for Http {
    fn connect(&self, handler: Inward) -> Opening<'_> {
        let channel = Arc::new(self.0.open(handler));
        Box::pin(async move { Ok(Link::new(channel, Wire::Http)) })
    }
}

/// A server in this process.
#[derive(Debug)]
struct Pair(Server);

impl Connect for Pair {
    fn connect(&self, handler: Inward) -> Opening<'_> {
        let (here, there) = memory(64);
        // It ends with the client's side.
        drop(self.0.serve(there.0, there.1));
        let peer = mcp_peer::client(here.0, here.1, handler, PeerOptions::default());
        Box::pin(async move { Ok(Link::new(Arc::new(peer), Wire::Stream)) })
    }
}
