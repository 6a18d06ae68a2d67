//! Client and server of the official Rust SDK.

mod client;
mod connect;
mod server;

pub use client::Echo;
pub use connect::Rmcp;
pub use server::EchoServer;
