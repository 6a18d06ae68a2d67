//! The three ways to a server.

use harness::{Scenario, Sdk, sibling};
use rmcp::ServiceExt as _;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use tokio::process::Command;

use crate::{Echo, EchoServer};

/// The official Rust SDK.
#[derive(Debug)]
pub struct Rmcp;

impl Sdk for Rmcp {
    type Client = Echo;
    const SERVER: &str = "rmcp-server";

    async fn stdio(scenario: &Scenario) -> (Echo, Option<u32>) {
        let mut command = Command::new(sibling(Self::SERVER));
        command.args(scenario.server_args());
        let child = TokioChildProcess::new(command).expect("the server starts");
        let pid = child.id();
        (Echo::connect(child, scenario.era).await, pid)
    }

    async fn http(scenario: &Scenario, port: u16) -> Echo {
        let uri = format!("http://127.0.0.1:{port}/mcp");
        // The default of 16 would leave most of the calls waiting.
        let config = StreamableHttpClientTransportConfig::with_uri(uri).max_concurrent_requests(64);
        Echo::connect(
            StreamableHttpClientTransport::from_config(config),
            scenario.era,
        )
        .await
    }

    async fn pair(scenario: &Scenario) -> Echo {
        let (here, there) = tokio::io::duplex(64 * 1024);
        tokio::spawn(async move {
            let running = EchoServer.serve(there).await.expect("a session");
            // It ends with the client's side.
            let _ = running.waiting().await;
        });
        Echo::connect(here, scenario.era).await
    }
}
