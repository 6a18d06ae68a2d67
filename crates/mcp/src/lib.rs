#![doc = include_str!("../README.md")]

#[cfg(feature = "config")]
mod config;
#[cfg(all(feature = "client", any(feature = "stdio", feature = "http")))]
mod connect;

#[cfg(feature = "config")]
pub use config::{
    Checked, Config, ConfigError, ConfigErrorKind, ServerConfig, Transport, Variables,
};
#[cfg(all(feature = "client", feature = "http"))]
pub use connect::HttpConnect;
#[cfg(all(feature = "client", feature = "stdio"))]
pub use connect::StdioConnect;

pub use mcp_jsonrpc as jsonrpc;
pub use mcp_protocol as protocol;
pub use mcp_protocol::{ProtocolVersion, Tool};
pub use mcp_transport as transport;

#[cfg(feature = "http")]
pub use mcp_transport_http as http;
#[cfg(feature = "stdio")]
pub use mcp_transport_stdio as stdio;

#[cfg(any(feature = "client", feature = "server"))]
pub use mcp_peer as peer;

#[cfg(any(feature = "client", feature = "agent"))]
pub use mcp_interceptors as interceptors;
#[cfg(any(feature = "client", feature = "agent"))]
pub use mcp_interceptors::{ToolCall, ToolOutcome, Toolset, intercept};

#[cfg(feature = "client")]
pub use mcp_client as client;
#[cfg(feature = "client")]
pub use mcp_client::{ServerPool, Session};

#[cfg(feature = "server")]
pub use mcp_server as server;
#[cfg(feature = "server")]
pub use mcp_server::Server;

#[cfg(feature = "agent")]
pub use mcp_agent as agent;
#[cfg(feature = "agent")]
pub use mcp_agent::ReactAgent;
#[cfg(feature = "agent")]
pub use mcp_model as model;
#[cfg(feature = "agent")]
pub use mcp_model::ChatModel;
