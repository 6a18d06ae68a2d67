//! The client program.

use std::sync::Arc;
use std::time::Instant;

use harness::{Kind, Latencies, Row, Scenario, Stopwatch, measure, payload, run, start_listening};
use mcp_client::{Connect, Session};
use ours::{Http, Pair, Stdio, call, echo_server, session};

const SERVER: &str = "ours-server";

fn main() {
    let scenario = Scenario::from_args();
    let row = run(scenario.single_thread, async {
        match scenario.kind {
            Kind::Stdio => stdio(&scenario).await,
            Kind::Pair => calls(&scenario, &Pair(echo_server(scenario.tools)), None).await,
            Kind::Http => {
                let (child, port) = start_listening(SERVER, scenario.server_args()).await;
                calls(&scenario, &Http::port(port), child.id()).await
            }
            Kind::StdioStart => starts(&scenario, &Stdio::server(&stdio_of(&scenario)), None).await,
            Kind::HttpStart => {
                let (child, port) = start_listening(SERVER, scenario.server_args()).await;
                starts(&scenario, &Http::port(port), child.id()).await
            }
            Kind::Sessions => panic!("sessions are measured by the reference client"),
        }
    });
    row.print();
}

fn stdio_of(scenario: &Scenario) -> Scenario {
    Scenario {
        kind: Kind::Stdio,
        ..scenario.clone()
    }
}

async fn stdio(scenario: &Scenario) -> Row {
    let connect = Noted {
        stdio: Stdio::server(scenario),
        pid: Arc::default(),
    };
    let session = session(&connect, scenario.era).await;
    let pid = *connect.pid.get().expect("it was started");
    finish(scenario, session, Some(pid)).await
}

async fn calls(scenario: &Scenario, connect: &dyn Connect, server: Option<u32>) -> Row {
    let session = session(connect, scenario.era).await;
    finish(scenario, session, server).await
}

async fn finish(scenario: &Scenario, session: Session, server: Option<u32>) -> Row {
    let text: Arc<str> = payload(scenario.size).into();
    let one = session.clone();
    let row = measure(scenario, server, move || {
        let (session, text) = (one.clone(), Arc::clone(&text));
        async move { call(&session, &text).await }
    });
    let row = row.await;
    session.close().await;
    row
}

/// From nothing to an agreed revision and back to nothing.
async fn starts(scenario: &Scenario, connect: &dyn Connect, server: Option<u32>) -> Row {
    let mut latencies = Latencies::with_capacity(scenario.calls);
    let watch = Stopwatch::start(server);
    for _ in 0..scenario.calls {
        let start = Instant::now();
        session(connect, scenario.era).await.close().await;
        latencies.push(start.elapsed());
    }
    watch.stop(scenario, latencies)
}

/// Remembers the process that was started last.
#[derive(Debug)]
struct Noted {
    stdio: Stdio,
    pid: Arc<std::sync::OnceLock<u32>>,
}

impl Connect for Noted {
    fn connect(
        &self,
        handler: Arc<dyn mcp_transport::Handler<mcp_protocol::RequestContext>>,
    ) -> mcp_transport::BoxFuture<'_, Result<mcp_client::Link, mcp_client::ConnectError>> {
        let (link, pid) = self.stdio.start(handler);
        if let Some(pid) = pid {
            let _ = self.pid.set(pid);
        }
        Box::pin(async move { Ok(link) })
    }
}
