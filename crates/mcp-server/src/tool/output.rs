//! What a tool may return.

use mcp_protocol::{CallToolResult, ContentBlock};
use serde::Serialize;

use crate::ToolError;

/// What a tool may return: text, content, structured content, or a result made by hand.
pub trait IntoToolResult {
    /// The result of the call.
    ///
    /// # Errors
    /// If the value cannot be written as JSON.
    fn into_tool_result(self) -> Result<CallToolResult, ToolError>;
}

impl IntoToolResult for CallToolResult {
    fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
        Ok(self)
    }
}

/// Text.
impl IntoToolResult for String {
    fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
        Ok(CallToolResult::text(self))
    }
}

/// Text.
impl IntoToolResult for &str {
    fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
        Ok(CallToolResult::text(self))
    }
}

impl IntoToolResult for ContentBlock {
    fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
        Ok(CallToolResult::new(vec![self]))
    }
}

impl IntoToolResult for Vec<ContentBlock> {
    fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
        Ok(CallToolResult::new(self))
    }
}

/// No content at all.
impl IntoToolResult for () {
    fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
        Ok(CallToolResult::new(Vec::new()))
    }
}

/// Structured content: the value as `structuredContent`, and its JSON as text for clients that
/// look at text only.
///
/// Since 2025-06-18; earlier revisions see the text alone. Until 2025-11-25 the value has to be
/// an object; another is left to the text there.
///
/// ```
/// use mcp_server::{IntoToolResult, Json};
/// let result = Json(serde_json::json!({"sum": 3})).into_tool_result()?;
/// assert_eq!(result.structured_content.unwrap()["sum"], 3);
/// # Ok::<(), mcp_server::ToolError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a wrapper around one value, by design"
)]
pub struct Json<T>(pub T);

impl<T: Serialize> IntoToolResult for Json<T> {
    fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
        Ok(CallToolResult::structured(serde_json::to_value(&self.0)?))
    }
}
