//! The `mcp` command from outside: its answers, its exit codes, and that it leaves nothing behind.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may panic"
)]

mod agent;
mod config;
#[cfg(unix)]
mod doctor;
#[cfg(unix)]
mod found;
#[cfg(unix)]
mod interop;
#[cfg(unix)]
mod interrupt;
#[cfg(unix)]
mod listing;
mod openai;
mod scratch;
#[cfg(unix)]
mod scripted;
mod serve;
mod shell;
#[cfg(unix)]
mod signals;
#[cfg(unix)]
mod terminal;
mod tools;
