//! This project's client and server, as a user would write them.

mod client;
mod connect;
mod server;

pub use client::{call, session};
pub use connect::{Http, Pair, Stdio};
pub use server::echo_server;
