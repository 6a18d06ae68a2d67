//! A session and a pool against servers in memory: our own, and peers played line by line.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may panic"
)]
#![expect(
    clippy::excessive_nesting,
    reason = "the peer's script stands where it is played"
)]

mod catalog;
mod connects;
mod handlers;
mod headers;
mod held;
mod http;
mod layers;
mod listen;
mod names;
mod negotiate;
mod pages;
mod pool;
mod progress;
mod question_tasks;
mod reconnect;
mod rounds;
mod session;
mod sizes;
mod tasks;
mod toolset;
