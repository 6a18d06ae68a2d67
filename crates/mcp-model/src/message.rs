//! What is said in a conversation, and by whom.

use mcp_protocol::ContentBlock;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", content = "message", rename_all = "lowercase")]
#[non_exhaustive]
pub enum ChatMessage {
    /// Instructions to the model.
    System(String),
    /// What a person says or shows.
    User(Vec<ContentBlock>),
    /// What a model says, and which tools it asks for.
    Assistant(AssistantMessage),
    /// What came of a tool call.
    Tool(ToolAnswer),
}

impl ChatMessage {
    /// A person's words.
    #[must_use]
    pub fn user(text: impl Into<String>) -> Self {
        Self::User(vec![ContentBlock::text(text)])
    }

    /// A model's words, without tool calls.
    #[must_use]
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::Assistant(AssistantMessage::text_only(text))
    }

    /// All text of the message, blocks joined with a line feed.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::System(text) => text.clone(),
            Self::User(content) => joined_text(content),
            Self::Assistant(message) => message.text(),
            Self::Tool(answer) => answer.text(),
        }
    }
}

/// What a model says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AssistantMessage {
    /// What it says or shows. Empty when it only asks for tools.
    #[serde(default)]
    pub content: Vec<ContentBlock>,
    /// The tools that it asks for, in its order.
    #[serde(default)]
    pub tool_calls: Vec<ToolUse>,
}

impl AssistantMessage {
    /// A message of these parts.
    #[must_use]
    pub const fn new(content: Vec<ContentBlock>, tool_calls: Vec<ToolUse>) -> Self {
        Self {
            content,
            tool_calls,
        }
    }

    /// A message of words alone.
    #[must_use]
    pub fn text_only(text: impl Into<String>) -> Self {
        Self::new(vec![ContentBlock::text(text)], Vec::new())
    }

    /// All text, blocks joined with a line feed.
    #[must_use]
    pub fn text(&self) -> String {
        joined_text(&self.content)
    }
}

/// A model's request to run a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolUse {
    /// The call's id; the answer carries the same.
    pub id: String,
    /// The tool's name as it was offered.
    pub name: String,
    /// The arguments as the model wrote them. Models write bad JSON at times, so this is text;
    /// [`parsed_arguments`](Self::parsed_arguments) reads it.
    pub arguments: String,
}

impl ToolUse {
    /// A call with arguments as text.
    #[must_use]
    pub fn new(
        id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            arguments: arguments.into(),
        }
    }

    /// The arguments as an object. No text at all and `null` are the empty object, as some models
    /// write them for tools without arguments; an object inside a JSON string is unpacked.
    ///
    /// # Errors
    /// When the text is not JSON, or not an object.
    pub fn parsed_arguments(&self) -> Result<Map<String, Value>, ArgumentsError> {
        if self.arguments.trim().is_empty() {
            return Ok(Map::new());
        }
        let mut value: Value = serde_json::from_str(&self.arguments)?;
        if let Value::String(inner) = &value {
            value = serde_json::from_str(inner)?;
        }
        match value {
            Value::Object(map) => Ok(map),
            Value::Null => Ok(Map::new()),
            Value::Array(_) => Err(ArgumentsError::NotAnObject { found: "an array" }),
            Value::Bool(_) => Err(ArgumentsError::NotAnObject { found: "a boolean" }),
            Value::Number(_) => Err(ArgumentsError::NotAnObject { found: "a number" }),
            Value::String(_) => Err(ArgumentsError::NotAnObject { found: "a string" }),
        }
    }
}

/// Why a model's arguments could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArgumentsError {
    /// Not JSON.
    #[error("the arguments are not valid JSON: {0}")]
    Syntax(#[from] serde_json::Error),
    /// JSON, but no object.
    #[error("the arguments must be a JSON object, not {found}")]
    NotAnObject {
        /// What was there.
        found: &'static str,
    },
}

/// What came of a tool call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolAnswer {
    /// The id of the call that it answers.
    pub tool_call_id: String,
    /// The tool's name as the model called it.
    pub name: String,
    /// The result, or what went wrong.
    pub content: Vec<ContentBlock>,
    /// Whether the call failed.
    #[serde(default)]
    pub is_error: bool,
}

impl ToolAnswer {
    /// The answer to `call`.
    #[must_use]
    pub fn new(call: &ToolUse, content: Vec<ContentBlock>, is_error: bool) -> Self {
        Self {
            tool_call_id: call.id.clone(),
            name: call.name.clone(),
            content,
            is_error,
        }
    }

    /// All text, blocks joined with a line feed.
    #[must_use]
    pub fn text(&self) -> String {
        joined_text(&self.content)
    }
}

/// The text of the text blocks (and of embedded text resources), joined with a line feed.
pub(crate) fn joined_text(content: &[ContentBlock]) -> String {
    let parts: Vec<&str> = content.iter().filter_map(ContentBlock::as_text).collect();
    parts.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read_leniently() {
        for empty in ["", "  ", "null", "{}", "\"{}\""] {
            let call = ToolUse::new("1", "t", empty);
            assert!(call.parsed_arguments().unwrap().is_empty(), "{empty:?}");
        }
        let call = ToolUse::new("1", "t", r#""{\"a\":1}""#);
        assert_eq!(call.parsed_arguments().unwrap()["a"], 1);
        for bad in ["[1]", "1", "true", "{\"a\":", "\"x\""] {
            assert!(
                ToolUse::new("1", "t", bad).parsed_arguments().is_err(),
                "{bad:?}"
            );
        }
    }
}
