//! Uses of tools and their results, as parts of a conversation.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::tagged::Body;
use crate::{ContentBlock, Extra, Meta, decode, unique};

/// A model uses a tool.
///
/// Specification: Sampling, Tool Use. Since 2025-11-25.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct ToolUseContent {
    /// Names this use; the result carries it.
    pub id: String,
    /// Which tool.
    pub name: String,
    /// The arguments.
    #[serde(deserialize_with = "unique::object")]
    pub input: Map<String, Value>,
    /// What the provider wants back with the next message.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl ToolUseContent {
    /// A use of a tool.
    pub fn new(id: impl Into<String>, name: impl Into<String>, input: Map<String, Value>) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            input,
            meta: None,
            extra: Extra::new(),
        }
    }
}

setters!(ToolUseContent { with_meta(meta: Meta) });

impl Body for ToolUseContent {
    fn extra(&self) -> &Extra {
        &self.extra
    }
}

/// What came of a use of a tool.
///
/// Specification: Sampling, Tool Results. Since 2025-11-25.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct ToolResultContent {
    /// The id of the use.
    pub tool_use_id: String,
    /// For the model.
    #[serde(default, deserialize_with = "decode::null_as_default")]
    pub content: Vec<ContentBlock>,
    /// For programs: an object, or any JSON since 2026-07-28.
    #[serde(
        default,
        deserialize_with = "unique::present_value",
        skip_serializing_if = "Option::is_none"
    )]
    pub structured_content: Option<Value>,
    /// Whether the tool failed. Absent: it did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
    /// What the provider wants back with the next message.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl ToolResultContent {
    /// The result of a use.
    pub fn new(tool_use_id: impl Into<String>, content: Vec<ContentBlock>) -> Self {
        Self {
            tool_use_id: tool_use_id.into(),
            content,
            structured_content: None,
            is_error: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

setters!(ToolResultContent {
    with_structured_content(structured_content: Value),
    with_is_error(is_error: bool),
    with_meta(meta: Meta),
});

impl Body for ToolResultContent {
    fn extra(&self) -> &Extra {
        &self.extra
    }
}
