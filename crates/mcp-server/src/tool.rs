//! Tools: what is registered, and what a tool may return.

mod output;

use std::fmt;

use mcp_protocol::{CallToolResult, Tool};

use crate::ToolError;
use crate::handler::Function;

pub use output::{IntoToolResult, Json};

/// A tool with what runs it.
pub(crate) struct ToolEntry {
    pub(crate) tool: Tool,
    pub(crate) handler: Function<CallToolResult, ToolError>,
}

impl fmt::Debug for ToolEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ToolEntry").field(&self.tool.name).finish()
    }
}

/// The arguments of a tool or prompt that wants none. What a caller sends all the same is
/// ignored.
///
/// ```
/// use mcp_protocol::Tool;
/// use mcp_server::{Context, NoArgs, Server};
/// let server = Server::builder("clock", "1.0.0")
///     .tool(
///         Tool::new("noon", serde_json::json!({"type": "object"})),
///         |_: NoArgs, _: Context| async { Ok("12:00") },
///     )
///     .build();
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[non_exhaustive]
pub struct NoArgs {}
