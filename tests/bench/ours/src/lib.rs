//! This project's client and server, as a user would write them.

mod client;
mod connect;
mod server;

pub use client::Echo;
pub use connect::{Ours, Stdio};
pub use server::echo_server;
