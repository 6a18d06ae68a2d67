#![doc = include_str!("../README.md")]

mod config;
mod connect;

pub use config::{
    Checked, Config, ConfigError, ConfigErrorKind, ServerConfig, Transport, Variables,
};
pub use connect::{HttpConnect, StdioConnect};

pub use mcp_agent as agent;
pub use mcp_client as client;
pub use mcp_interceptors as interceptors;
pub use mcp_jsonrpc as jsonrpc;
pub use mcp_model as model;
pub use mcp_peer as peer;
pub use mcp_protocol as protocol;
pub use mcp_server as server;
pub use mcp_transport as transport;
pub use mcp_transport_http as http;
pub use mcp_transport_stdio as stdio;

pub use mcp_agent::ReactAgent;
pub use mcp_client::{ServerPool, Session};
pub use mcp_interceptors::{ToolCall, ToolOutcome, Toolset, intercept};
pub use mcp_model::ChatModel;
pub use mcp_protocol::{ProtocolVersion, Tool};
pub use mcp_server::Server;

/// The README of the workspace, so that its program is compiled as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
