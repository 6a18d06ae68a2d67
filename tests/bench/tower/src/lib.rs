//! Client and server of tower-mcp.

mod client;
mod connect;
mod server;

pub use client::Echo;
pub use connect::Tower;
pub use server::echo_router;
