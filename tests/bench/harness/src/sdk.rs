//! What an SDK has to offer to be measured, and the client program made from it.

use std::sync::Arc;
use std::time::Instant;

use crate::{
    Kind, Latencies, Row, Scenario, Stopwatch, allocations, measure, payload, run, start_listening,
};

/// A connected client.
pub trait Client: Clone + Send + Sync + 'static {
    /// Calls `echo` with an argument that the caller owns; checks the length of the answer.
    fn call(&self, text: &str) -> impl Future<Output = ()> + Send;

    /// Ends the connection in order.
    fn close(self) -> impl Future<Output = ()> + Send;
}

/// The ways to a server.
pub trait Sdk {
    type Client: Client;
    /// The server program, built into the same folder.
    const SERVER: &str;

    /// Starts the server as a child process; its id is for measuring.
    fn stdio(scenario: &Scenario) -> impl Future<Output = (Self::Client, Option<u32>)>;

    /// Reaches the server on this port of the loopback interface.
    fn http(scenario: &Scenario, port: u16) -> impl Future<Output = Self::Client>;

    /// A server in this process.
    fn pair(scenario: &Scenario) -> impl Future<Output = Self::Client>;
}

/// The client program: runs the scenario of its arguments and prints the row.
pub fn client_program<S: Sdk>() {
    let scenario = Scenario::from_args();
    let row = run(scenario.single_thread, async {
        match scenario.kind {
            Kind::Stdio => {
                let (client, server) = S::stdio(&scenario).await;
                calls(&scenario, client, server).await
            }
            Kind::Pair => calls(&scenario, S::pair(&scenario).await, None).await,
            Kind::Http => {
                let (child, port) = start_listening(S::SERVER, scenario.server_args()).await;
                let client = S::http(&scenario, port).await;
                calls(&scenario, client, child.id()).await
            }
            Kind::StdioStart => {
                let stdio = async || S::stdio(&scenario).await.0;
                starts(&scenario, None, stdio).await
            }
            Kind::HttpStart => {
                let (child, port) = start_listening(S::SERVER, scenario.server_args()).await;
                starts(&scenario, child.id(), async || {
                    S::http(&scenario, port).await
                })
                .await
            }
            Kind::Sessions => panic!("sessions are opened by the reference client"),
        }
    });
    row.print();
}

/// The program that counts: prints the heap allocations of a call, both sides together.
pub fn allocations_program<S: Sdk>() {
    let scenario = Scenario::from_args();
    let row = run(true, async {
        let client = S::pair(&scenario).await;
        let text = payload(scenario.size);
        for _ in 0..scenario.warm_up_calls() {
            client.call(&text).await;
        }
        let before = allocations::count();
        for _ in 0..scenario.calls {
            client.call(&text).await;
        }
        let allocations = (allocations::count() - before) as f64 / scenario.calls as f64;
        client.close().await;
        Row {
            allocations,
            ..Row::default()
        }
    });
    row.print();
}

async fn calls<C: Client>(scenario: &Scenario, client: C, server: Option<u32>) -> Row {
    let text: Arc<str> = payload(scenario.size).into();
    let one = client.clone();
    let row = measure(scenario, server, move || {
        let (client, text) = (one.clone(), Arc::clone(&text));
        async move { client.call(&text).await }
    });
    let row = row.await;
    client.close().await;
    row
}

/// From nothing to an agreed revision and back to nothing.
async fn starts<C: Client>(
    scenario: &Scenario,
    server: Option<u32>,
    connect: impl AsyncFn() -> C,
) -> Row {
    let mut latencies = Latencies::with_capacity(scenario.calls);
    let watch = Stopwatch::start(server);
    for _ in 0..scenario.calls {
        let start = Instant::now();
        connect().await.close().await;
        latencies.push(start.elapsed());
    }
    watch.stop(scenario, latencies)
}
