//! What the programs of the benchmark share: which scenario to run, how it is measured, how the
//! result is told.
//!
//! A program runs one scenario in a process of its own and prints one line of JSON. Everything
//! that depends on the implementation is in the packages beside this one, so that all of them are
//! measured by the same code.

pub mod allocations;
mod calls;
mod process;
mod row;
mod scenario;
mod sdk;

pub use calls::{Latencies, measure, warm_up};
pub use process::{Usage, resident_kib, sibling, start_listening};
pub use row::{Row, Stopwatch};
pub use scenario::{Era, Kind, Scenario};
pub use sdk::{Client, Sdk, allocations_program, client_program};

/// Runs a program to its end: on the runtime that `#[tokio::main]` makes, or on one thread if the
/// scenario says so.
pub fn run<F: Future>(single_thread: bool, program: F) -> F::Output {
    let mut builder = if single_thread {
        tokio::runtime::Builder::new_current_thread()
    } else {
        tokio::runtime::Builder::new_multi_thread()
    };
    let runtime = builder.enable_all().build().expect("a runtime");
    runtime.block_on(program)
}

/// The text that a call carries.
pub fn payload(size: usize) -> String {
    "abcdefghijklmnopqrstuvwxyz012345"
        .chars()
        .cycle()
        .take(size)
        .collect()
}
