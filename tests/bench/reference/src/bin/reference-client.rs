//! The client of the references: `imp=raw` or `imp=serde`. For `kind=sessions` it opens sessions in
//! the server program that `imp` names.

use std::net::SocketAddr;
use std::process::Stdio;
use std::time::Instant;

use harness::{
    Kind, Latencies, Row, Scenario, Stopwatch, payload, resident_kib, run, sibling, start_listening,
};
use reference::{Codec, ask, connect, converse, open_session, serve_lines};
use tokio::process::{Child, Command};
use tokio::task::JoinSet;

const SERVER: &str = "reference-server";

fn main() {
    let scenario = Scenario::from_args();
    let codec = Codec {
        typed: scenario.imp == "serde",
        era: scenario.era,
    };
    let row = run(scenario.single_thread, async {
        match scenario.kind {
            Kind::Stdio => stdio(&scenario, codec).await,
            Kind::Pair => pair(&scenario, codec).await,
            Kind::Http => http(&scenario, codec).await,
            Kind::StdioStart => stdio_start(&scenario, codec).await,
            Kind::HttpStart => http_start(&scenario, codec).await,
            Kind::Sessions => sessions(&scenario).await,
        }
    });
    row.print();
}

fn spawn(scenario: &Scenario) -> Child {
    let scenario = Scenario {
        kind: Kind::Stdio,
        ..scenario.clone()
    };
    Command::new(sibling(SERVER))
        .args(scenario.server_args())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the server starts")
}

async fn stdio(scenario: &Scenario, codec: Codec) -> Row {
    let mut child = spawn(scenario);
    let source = child.stdout.take().expect("stdout");
    let sink = child.stdin.take().expect("stdin");
    let row = converse(source, sink, codec, scenario, child.id()).await;
    child.wait().await.expect("the server ends");
    row
}

async fn pair(scenario: &Scenario, codec: Codec) -> Row {
    let (here, there) = tokio::io::duplex(64 * 1024);
    let server = tokio::spawn(async move {
        let (source, sink) = tokio::io::split(there);
        serve_lines(source, sink, codec).await;
    });
    let (source, sink) = tokio::io::split(here);
    let row = converse(source, sink, codec, scenario, None).await;
    server.await.expect("the server ends");
    row
}

async fn http(scenario: &Scenario, codec: Codec) -> Row {
    let (child, port) = start_listening(SERVER, scenario.server_args()).await;
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    repeat(address, codec, scenario.size, scenario.warm_up_calls()).await;
    let watch = Stopwatch::start(child.id());
    if scenario.inflight == 1 {
        let latencies = repeat(address, codec, scenario.size, scenario.calls).await;
        return watch.stop(scenario, latencies);
    }
    let mut tasks = JoinSet::new();
    for _ in 0..scenario.inflight {
        tasks.spawn(repeat(
            address,
            codec,
            scenario.size,
            scenario.calls / scenario.inflight,
        ));
    }
    let mut latencies = Latencies::with_capacity(scenario.calls);
    while let Some(done) = tasks.join_next().await {
        latencies.extend(done.expect("a call"));
    }
    watch.stop(scenario, latencies)
}

async fn repeat(address: SocketAddr, codec: Codec, size: usize, calls: usize) -> Latencies {
    let mut sender = connect(address).await;
    let text = payload(size);
    let mut latencies = Latencies::with_capacity(calls);
    for call in 0..calls {
        let start = Instant::now();
        ask(&mut sender, address, codec, (call as u64, &text)).await;
        latencies.push(start.elapsed());
    }
    latencies
}

/// A process, one round trip, its end.
async fn stdio_start(scenario: &Scenario, codec: Codec) -> Row {
    let one = Scenario {
        calls: 1,
        inflight: 1,
        ..scenario.clone()
    };
    let mut latencies = Latencies::with_capacity(scenario.calls);
    let watch = Stopwatch::start(None);
    for _ in 0..scenario.calls {
        let start = Instant::now();
        stdio(&one, codec).await;
        latencies.push(start.elapsed());
    }
    watch.stop(scenario, latencies)
}

/// A connection and as many round trips as the lifecycle has: a question and its answer, or a
/// handshake and its end.
async fn http_start(scenario: &Scenario, codec: Codec) -> Row {
    let (child, port) = start_listening(SERVER, scenario.server_args()).await;
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    let trips = match scenario.era {
        harness::Era::Handshake => 3,
        harness::Era::Stateless => 1,
    };
    let mut latencies = Latencies::with_capacity(scenario.calls);
    let watch = Stopwatch::start(child.id());
    for _ in 0..scenario.calls {
        let start = Instant::now();
        repeat(address, codec, scenario.size, trips).await;
        latencies.push(start.elapsed());
    }
    watch.stop(scenario, latencies)
}

/// What an idle session costs the server. The first of them fill what all share.
async fn sessions(scenario: &Scenario) -> Row {
    let (child, port) = start_listening(&scenario.imp, scenario.server_args()).await;
    let pid = child.id().expect("it runs");
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    let mut sender = connect(address).await;
    for _ in 0..scenario.warm_up_calls() {
        open_session(&mut sender, address).await;
    }
    let before = resident_kib(pid);
    let mut latencies = Latencies::with_capacity(scenario.calls);
    let watch = Stopwatch::start(Some(pid));
    for _ in 0..scenario.calls {
        let start = Instant::now();
        open_session(&mut sender, address).await;
        latencies.push(start.elapsed());
    }
    let grown = resident_kib(pid) - before;
    Row {
        session_kib: grown as f64 / scenario.calls as f64,
        ..watch.stop(scenario, latencies)
    }
}
