//! A session and a pool against servers in memory: our own, and peers played line by line.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may panic"
)]

mod catalog;
mod connects;
mod handlers;
mod held;
mod http;
mod negotiate;
mod pages;
mod pool;
mod reconnect;
mod rounds;
mod session;
mod toolset;
