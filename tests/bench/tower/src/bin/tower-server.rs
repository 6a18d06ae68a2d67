//! The server program.

use axum::serve::ListenerExt as _;
use bench_tower::echo_router;
use harness::{Scenario, run};
use tokio::net::TcpListener;
use tower_mcp::{HttpTransport, StdioTransport};

fn main() {
    let scenario = Scenario::from_args();
    run(scenario.single_thread, async {
        if scenario.kind.is_http() {
            return http().await;
        }
        let transport = StdioTransport::new(echo_router());
        let mut transport = transport.max_frame_len(64 << 20);
        transport.run().await.expect("an end in order");
    });
}

/// Whole answers instead of streams: the faster way.
async fn http() {
    let app = HttpTransport::new(echo_router())
        .sse_responses(false)
        .require_sessions()
        .into_router_at("/mcp");
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    println!("{}", listener.local_addr().expect("an address").port());
    let listener = listener.tap_io(|stream| stream.set_nodelay(true).expect("no delay"));
    axum::serve(listener, app).await.expect("it serves");
}
