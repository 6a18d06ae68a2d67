//! The `mcp` command from outside: its answers, its exit codes, and that it leaves nothing behind.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may panic"
)]

mod agent;
mod config;
#[cfg(unix)]
mod interrupt;
mod openai;
mod scratch;
mod serve;
mod tools;
