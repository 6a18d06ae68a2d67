//! The loop around the calls of an SDK.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use crate::{Row, Scenario, Stopwatch};

/// How long each call took.
#[derive(Debug, Default)]
pub struct Latencies(Vec<u64>);

impl Latencies {
    pub fn with_capacity(calls: usize) -> Self {
        Self(Vec::with_capacity(calls))
    }

    pub fn push(&mut self, latency: Duration) {
        self.0
            .push(u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX));
    }

    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    pub(crate) fn quantiles<const N: usize>(mut self, which: [f64; N]) -> [f64; N] {
        self.0.sort_unstable();
        let last = self.0.len().saturating_sub(1);
        which.map(|q| {
            let at = ((self.0.len() as f64 * q) as usize).min(last);
            self.0
                .get(at)
                .map_or(0.0, |nanoseconds| *nanoseconds as f64 / 1e3)
        })
    }
}

/// Makes the calls that do not count.
pub async fn warm_up<F: Future<Output = ()>>(scenario: &Scenario, call: impl Fn() -> F) {
    for _ in 0..scenario.warm_up_calls() {
        call().await;
    }
}

/// Makes the calls of a scenario as a user would: one after another, or from as many tasks as
/// there shall be calls in flight.
pub async fn measure<F>(
    scenario: &Scenario,
    server: Option<u32>,
    call: impl Fn() -> F + Send + Sync + 'static,
) -> Row
where
    F: Future<Output = ()> + Send,
{
    warm_up(scenario, &call).await;
    let watch = Stopwatch::start(server);
    if scenario.inflight == 1 {
        let latencies = repeat(scenario.calls, &call).await;
        return watch.stop(scenario, latencies);
    }
    let call = Arc::new(call);
    let mut tasks = JoinSet::new();
    for _ in 0..scenario.inflight {
        let (call, calls) = (Arc::clone(&call), scenario.calls / scenario.inflight);
        tasks.spawn(async move { repeat(calls, &*call).await });
    }
    let mut latencies = Latencies::with_capacity(scenario.calls);
    while let Some(done) = tasks.join_next().await {
        latencies.extend(done.expect("a call"));
    }
    watch.stop(scenario, latencies)
}

async fn repeat<F: Future<Output = ()>>(calls: usize, call: impl Fn() -> F) -> Latencies {
    let mut latencies = Latencies::with_capacity(calls);
    for _ in 0..calls {
        let start = Instant::now();
        call().await;
        latencies.push(start.elapsed());
    }
    latencies
}
