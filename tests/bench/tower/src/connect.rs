//! The three ways to a server.

use std::process::Stdio;

use harness::{Scenario, Sdk, sibling};
use tokio::process::Command;
use tower_mcp::client::{ChannelTransport, HttpClientTransport, StdioClientTransport};

use crate::{Echo, echo_router};

/// tower-mcp.
#[derive(Debug)]
pub struct Tower;

impl Sdk for Tower {
    type Client = Echo;
    const SERVER: &str = "tower-server";

    async fn stdio(scenario: &Scenario) -> (Echo, Option<u32>) {
        let child = Command::new(sibling(Self::SERVER))
            .args(scenario.server_args())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let pid = child.id();
        let transport = StdioClientTransport::from_child(child).expect("its pipes");
        let transport = transport.max_frame_len(64 << 20);
        (Echo::connect(transport, scenario.era).await, pid)
    }

    async fn http(scenario: &Scenario, port: u16) -> Echo {
        let transport = HttpClientTransport::new(format!("http://127.0.0.1:{port}/mcp"));
        Echo::connect(transport, scenario.era).await
    }

    async fn pair(scenario: &Scenario) -> Echo {
        Echo::connect(ChannelTransport::new(echo_router()), scenario.era).await
    }
}
