//! The server program: `imp=pipes` asks for the faster of the two ways to serve stdio.

use bench_rmcp::EchoServer;
use harness::{Era, Scenario, run};
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use rmcp::ServiceExt as _;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::transport::{stdio, stdio_pipes};
use tokio::net::TcpListener;

fn main() {
    let scenario = Scenario::from_args();
    run(scenario.single_thread, async {
        if scenario.kind.is_http() {
            return http(scenario.era).await;
        }
        let running = match scenario.imp.as_str() {
            "pipes" => EchoServer.serve(stdio_pipes()).await,
            _ => EchoServer.serve(stdio()).await,
        };
        let running = running.expect("a session");
        running.waiting().await.expect("an end in order");
    });
}

async fn http(era: Era) {
    let config = StreamableHttpServerConfig::default().with_max_request_body_bytes(64 << 20);
    let config = match era {
        Era::Handshake => config,
        // Whole answers instead of streams: the faster way where there are no sessions.
        Era::Stateless => config
            .with_legacy_session_mode(false)
            .with_json_response(true),
    };
    let sessions = LocalSessionManager::default().into();
    let service = StreamableHttpService::new(|| Ok(EchoServer), sessions, config);
    let service = TowerToHyperService::new(service);
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    println!("{}", listener.local_addr().expect("an address").port());
    loop {
        let (stream, _) = listener.accept().await.expect("a connection");
        stream.set_nodelay(true).expect("no delay");
        let serving = http1::Builder::new().serve_connection(TokioIo::new(stream), service.clone());
        tokio::spawn(serving);
    }
}
