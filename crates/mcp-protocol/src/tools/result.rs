//! What comes of a tool call.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{ContentBlock, Extra, Feature, Meta, ProtocolVersion, ResultType, decode, unique};

/// Result of [`CallTool`](super::CallTool).
///
/// A tool that fails says so here, by [`is_error`](Self::is_error), where the model can read it;
/// errors of JSON-RPC are for calls that reached no tool.
///
/// Specification: Tools, Tool Result (all revisions).
///
/// ```
/// use mcp_protocol::CallToolResult;
/// let result = CallToolResult::text("21 degrees");
/// assert_eq!(result.text_content(), "21 degrees");
/// assert!(!result.is_error());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct CallToolResult {
    /// The kind of the result. Since 2026-07-28.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
    /// For the model. Always written; read as empty when a server leaves it out.
    #[serde(default, deserialize_with = "decode::null_as_default")]
    pub content: Vec<ContentBlock>,
    /// For programs, as the tool's output schema says. `Some(Value::Null)` is the value `null`.
    ///
    /// Since 2025-06-18, when it had to be an object; any JSON since 2026-07-28.
    #[serde(
        default,
        deserialize_with = "unique::present_value",
        skip_serializing_if = "Option::is_none"
    )]
    pub structured_content: Option<Value>,
    /// Whether the tool failed. Absent: it did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
    /// What travels beside the result.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl CallToolResult {
    /// The result of a tool that did its work.
    #[must_use]
    pub fn new(content: Vec<ContentBlock>) -> Self {
        Self {
            content,
            ..Self::default()
        }
    }

    /// A result of one text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(vec![ContentBlock::text(text)])
    }

    /// The result of a tool that failed, with the reason for the model.
    pub fn error(text: impl Into<String>) -> Self {
        Self {
            is_error: Some(true),
            ..Self::text(text)
        }
    }

    /// A structured result, which is also there as text for models and older clients.
    #[must_use]
    pub fn structured(content: Value) -> Self {
        let text = content.to_string();
        Self {
            structured_content: Some(content),
            ..Self::text(text)
        }
    }

    /// Whether the tool failed.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.is_error.unwrap_or(false)
    }

    /// The first text.
    #[must_use]
    pub fn first_text(&self) -> Option<&str> {
        self.content.iter().find_map(ContentBlock::as_text)
    }

    /// All texts, one after another, with a line end between them.
    #[must_use]
    pub fn text_content(&self) -> String {
        let texts: Vec<&str> = self
            .content
            .iter()
            .filter_map(ContentBlock::as_text)
            .collect();
        texts.join("\n")
    }

    /// Content of kinds that the revision lacks becomes what it has; structured content that it
    /// could not carry goes, and leaves its text.
    fn fit_to(&mut self, version: ProtocolVersion) {
        self.content
            .iter_mut()
            .for_each(|block| block.fit_to(version));
        if !version.has(Feature::AnyStructuredContent) {
            self.structured_content
                .take_if(|content| !content.is_object());
        }
    }

    /// The same with one more part.
    #[must_use]
    pub fn with_content(mut self, block: impl Into<ContentBlock>) -> Self {
        self.content.push(block.into());
        self
    }
}

setters!(CallToolResult {
    with_structured_content(structured_content: Value),
    with_is_error(is_error: bool),
    with_meta(meta: Meta),
});
server_result!(CallToolResult, fit: fit_to);

impl From<ContentBlock> for CallToolResult {
    fn from(block: ContentBlock) -> Self {
        Self::new(vec![block])
    }
}

impl From<Vec<ContentBlock>> for CallToolResult {
    fn from(content: Vec<ContentBlock>) -> Self {
        Self::new(content)
    }
}
