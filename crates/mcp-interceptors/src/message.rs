//! The answer to a tool call as the model will see it.

use mcp_protocol::{CallToolResult, ContentBlock};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Whether the call that a [`ToolMessage`] answers went well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "a call went well, or it did not")]
pub enum ToolStatus {
    /// It went well.
    #[default]
    Success,
    /// The tool, a layer or the way to the server failed.
    Error,
}

/// The answer to one tool call, for the conversation.
///
/// `tool_call_id` and `name` are for reading: whoever keeps the conversation stamps the id and
/// the name of the call that is being answered over whatever a layer has put there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolMessage {
    /// The call that is answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// The tool, by the name that the model used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What the model reads.
    pub content: Vec<ContentBlock>,
    /// Whether the call went well.
    #[serde(default)]
    pub status: ToolStatus,
    /// Structured output for the program; the model does not see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact: Option<Value>,
}

impl ToolMessage {
    /// A message of these blocks for a call that went well.
    #[must_use]
    pub fn new(content: Vec<ContentBlock>) -> Self {
        Self {
            content,
            ..Self::default()
        }
    }

    /// A text for a call that went well.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(vec![ContentBlock::text(text)])
    }

    /// A text for a call that failed.
    pub fn error(text: impl Into<String>) -> Self {
        Self::text(text).with_status(ToolStatus::Error)
    }

    /// Sets whether the call went well.
    #[must_use]
    pub const fn with_status(mut self, status: ToolStatus) -> Self {
        self.status = status;
        self
    }

    /// Whether the call failed.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.status == ToolStatus::Error
    }
}

impl From<CallToolResult> for ToolMessage {
    /// Keeps every block, the structured content and whether it is an error.
    fn from(result: CallToolResult) -> Self {
        let status = if result.is_error() {
            ToolStatus::Error
        } else {
            ToolStatus::Success
        };
        Self {
            tool_call_id: None,
            name: None,
            content: result.content,
            status,
            artifact: result.structured_content,
        }
    }
}

impl From<&str> for ToolMessage {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for ToolMessage {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}
