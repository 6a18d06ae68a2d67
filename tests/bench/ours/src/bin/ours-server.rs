//! The server program.

use harness::{Scenario, run};
use mcp_transport::Channel as _;
use mcp_transport_http::{HttpOptions, HttpServer, HttpService};
use mcp_transport_stdio::Stdio;
use ours::echo_server;
use tokio_util::sync::CancellationToken;

fn main() {
    let scenario = Scenario::from_args();
    let server = echo_server(scenario.tools);
    run(scenario.single_thread, async move {
        if scenario.kind.is_http() {
            let options = HttpOptions::default()
                .max_sessions(100_000)
                .max_body(64 << 20);
            let service = HttpService::new(server.identity(), server.handler(), options);
            let listener = HttpServer::bind("127.0.0.1:0").await.expect("a port");
            println!("{}", listener.local_addr().port());
            return listener.serve(service, CancellationToken::new()).await;
        }
        let (reader, writer) = Stdio::own();
        server.serve(reader, writer).closed().await;
    });
}
