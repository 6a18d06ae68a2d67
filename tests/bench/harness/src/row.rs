//! What came out of a scenario.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::process::{Usage, peak_kib};
use crate::{Latencies, Scenario};

/// The result of one scenario, as the program prints it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Row {
    pub calls_per_second: f64,
    pub p50_us: f64,
    pub p99_us: f64,
    /// CPU time for each call, in microseconds.
    pub client_cpu_us: f64,
    pub server_cpu_us: f64,
    /// The most memory, in KiB.
    pub client_peak_kib: u64,
    pub server_peak_kib: u64,
    /// What one idle session costs the server, in KiB; only where that is the question.
    pub session_kib: f64,
    /// Heap allocations of a call, both sides together; only where that is the question.
    pub allocations: f64,
}

impl Row {
    /// Prints it for whoever has started the program.
    pub fn print(&self) {
        println!("{}", serde_json::to_string(self).expect("a row is JSON"));
    }
}

/// Measures from when it is made until it is stopped.
#[derive(Debug)]
pub struct Stopwatch {
    server: Option<u32>,
    start: Instant,
    before: (Usage, Usage),
}

impl Stopwatch {
    /// Starts; `server` is the process of the server, where it is another one.
    pub fn start(server: Option<u32>) -> Self {
        let before = usages(server);
        Self {
            server,
            start: Instant::now(),
            before,
        }
    }

    /// Stops after all calls of the scenario.
    pub fn stop(self, scenario: &Scenario, latencies: Latencies) -> Row {
        let seconds = self.start.elapsed().as_secs_f64();
        let calls = scenario.calls as f64;
        let (client, server) = usages(self.server);
        let [p50_us, p99_us] = latencies.quantiles([0.5, 0.99]);
        Row {
            calls_per_second: calls / seconds,
            p50_us,
            p99_us,
            client_cpu_us: client.micros_since(self.before.0) / calls,
            server_cpu_us: server.micros_since(self.before.1) / calls,
            client_peak_kib: peak_kib(std::process::id()),
            server_peak_kib: self.server.map_or(0, peak_kib),
            ..Row::default()
        }
    }
}

fn usages(server: Option<u32>) -> (Usage, Usage) {
    let server = server.map(Usage::of).unwrap_or_default();
    (Usage::of(std::process::id()), server)
}
