//! What a tool call ends with when nothing went wrong on the way.

use mcp_protocol::{CallToolResult, ContentBlock};
use serde::{Deserialize, Serialize};

use crate::{Command, ToolMessage};

/// What a tool call ends with.
///
/// The innermost service answers with [`Result`](Self::Result); a layer may answer with any of
/// the three. A tool's own failure is an outcome, not an `Err`: see
/// [`is_error`](Self::is_error).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(
    clippy::exhaustive_enums,
    reason = "layers match on it, and each kind needs a decision"
)]
pub enum ToolOutcome {
    /// A server's result, as it came.
    Result(CallToolResult),
    /// An answer in the form that the conversation keeps.
    Message(ToolMessage),
    /// Changes to the run around the call.
    Command(Command),
}

impl ToolOutcome {
    /// The text blocks, joined with line breaks. Empty if there are none.
    #[must_use]
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self
            .content()
            .iter()
            .filter_map(ContentBlock::as_text)
            .collect();
        texts.join("\n")
    }

    /// The content blocks that the model would see.
    #[must_use]
    pub fn content(&self) -> &[ContentBlock] {
        match self {
            Self::Result(result) => &result.content,
            Self::Message(message) => &message.content,
            Self::Command(command) => command.message.as_ref().map_or(&[], |m| &m.content),
        }
    }

    /// Whether the tool said that it failed.
    #[must_use]
    pub fn is_error(&self) -> bool {
        match self {
            Self::Result(result) => result.is_error(),
            Self::Message(message) => message.is_error(),
            Self::Command(command) => command.message.as_ref().is_some_and(ToolMessage::is_error),
        }
    }

    /// Puts a text before the content that the model would see.
    #[must_use]
    pub fn prefixed(mut self, text: impl Into<String>) -> Self {
        let content = match &mut self {
            Self::Result(result) => Some(&mut result.content),
            Self::Message(message) => Some(&mut message.content),
            Self::Command(command) => command.message.as_mut().map(|m| &mut m.content),
        };
        if let Some(content) = content {
            content.insert(0, ContentBlock::text(text));
        }
        self
    }

    /// Changes a server's result and leaves the other kinds as they are.
    #[must_use]
    pub fn map_result(self, f: impl FnOnce(CallToolResult) -> CallToolResult) -> Self {
        match self {
            Self::Result(result) => Self::Result(f(result)),
            other @ (Self::Message(_) | Self::Command(_)) => other,
        }
    }
}

impl From<CallToolResult> for ToolOutcome {
    fn from(result: CallToolResult) -> Self {
        Self::Result(result)
    }
}

impl From<ToolMessage> for ToolOutcome {
    fn from(message: ToolMessage) -> Self {
        Self::Message(message)
    }
}

impl From<Command> for ToolOutcome {
    fn from(command: Command) -> Self {
        Self::Command(command)
    }
}

impl From<&str> for ToolOutcome {
    fn from(text: &str) -> Self {
        Self::Message(text.into())
    }
}

impl From<String> for ToolOutcome {
    fn from(text: String) -> Self {
        Self::Message(text.into())
    }
}
