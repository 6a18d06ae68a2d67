//! Many mixed requests over HTTP and stdio, with disconnects, cancellations and timeouts: nothing
//! is lost, nothing crossed, nothing left.

mod memory;
mod operation;
mod random;
mod server;
mod tally;
mod worker;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, ensure};
use tokio::runtime::Handle;

use memory::Memory;
use server::WebServer;
use tally::Tally;
use worker::Worker;

pub use server::serve_stdio;
pub use tally::Report;

/// What a soak is like.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// How many requests are made.
    pub requests: u64,
    /// How many clients make them side by side.
    pub clients: u64,
    /// Where the random numbers begin. The order of what happens still differs from run to run.
    pub seed: u64,
    /// The program that is started as a server over stdio, with the argument `--serve`.
    pub program: PathBuf,
}

impl Options {
    /// So many requests by twelve clients.
    pub fn new(requests: u64, program: impl Into<PathBuf>) -> Self {
        Self {
            requests,
            clients: 12,
            seed: 1,
            program: program.into(),
        }
    }
}

/// How much more memory there may be at the end than after a fifth of the requests, in bytes:
/// what allocators keep differs from run to run.
const MEMORY: u64 = 24 << 20;
/// How long what has ended may take to be gone.
const SETTLE: Duration = Duration::from_secs(30);

/// Runs a soak.
///
/// # Errors
/// If an answer was lost or crossed, or memory or tasks are left.
///
/// # Cancel safety
/// Dropping the future leaves its clients to themselves.
pub async fn run(options: &Options) -> Result<Report> {
    let before = tasks();
    let web = WebServer::start().await?;
    let tally = Arc::new(Tally::new(options.requests));
    let mut workers = tokio::task::JoinSet::new();
    for number in 0..options.clients.max(1) {
        let worker = Worker::new(number, options, &web, &tally);
        workers.spawn(worker.run());
    }
    let memory = tokio::spawn(Memory::watch(Arc::clone(&tally)));
    while let Some(outcome) = workers.join_next().await {
        outcome?;
    }
    tally.finish();
    let memory = memory.await?;
    let left = web.stop(SETTLE).await;
    let tasks = settled(before).await;

    let report = tally.report(&memory);
    ensure!(report.failures.is_empty(), "{report}");
    ensure!(
        report.requests >= options.requests,
        "requests are missing: {report}"
    );
    ensure!(left == 0, "{left} handlers are left: {report}");
    ensure!(
        tasks <= before,
        "{} tasks are left: {report}",
        tasks - before
    );
    ensure!(memory.growth() <= MEMORY, "memory grows: {report}");
    Ok(report)
}

fn tasks() -> usize {
    Handle::current().metrics().num_alive_tasks()
}

/// The number of tasks once it is down to this, or after a while.
async fn settled(before: usize) -> usize {
    let deadline = tokio::time::Instant::now() + SETTLE;
    while tasks() > before && tokio::time::Instant::now() < deadline {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    tasks()
}
