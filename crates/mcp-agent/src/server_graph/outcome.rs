//! What a call came to, in one form for all servers.

use mcp_interceptors::ToolMessage;
use mcp_protocol::ContentBlock;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ServerCall;
use crate::react::{ShowStructured, Truncate, shown};

/// What a call came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct McpOutcome {
    /// Of what kind the content is.
    pub content_type: ContentType,
    /// A text for text and errors, any JSON for JSON, and content blocks for the rest.
    pub content: Value,
    /// The server.
    pub server: String,
    /// The tool, by the name that was used.
    pub tool: String,
    /// The model's id of the call.
    pub tool_call_id: String,
    /// Whether the call failed.
    pub is_error: bool,
    /// Whether the content is a part only.
    pub truncated: bool,
}

/// Of what kind an outcome's content is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ContentType {
    /// Text alone.
    Text,
    /// Structured content.
    Json,
    /// Images alone.
    Image,
    /// Sound alone.
    Audio,
    /// Resources alone, or links to them.
    Resource,
    /// Several kinds, or one that is not known.
    Mixed,
    /// What went wrong, as text.
    Error,
}

impl McpOutcome {
    pub(super) fn of(
        server: &str,
        call: &ServerCall,
        message: &ToolMessage,
        truncate: Option<Truncate>,
    ) -> Self {
        let whole = shown(message, ShowStructured::Never);
        let cut = truncate.and_then(|truncate| truncate.content(&whole, &call.tool_call_id));
        let truncated = cut.is_some();
        let blocks = cut.unwrap_or(whole);
        let content_type = match message.is_error() {
            true => ContentType::Error,
            false => kind(&blocks, message.artifact.is_some()),
        };
        let content = match (content_type, &message.artifact) {
            (ContentType::Text | ContentType::Error, _) => text(&blocks).into(),
            (ContentType::Json, Some(artifact)) => artifact.clone(),
            _ => serde_json::to_value(&blocks).unwrap_or_default(),
        };
        Self {
            content_type,
            content,
            server: server.to_owned(),
            tool: call.tool.clone(),
            tool_call_id: call.tool_call_id.clone(),
            is_error: message.is_error(),
            truncated: truncated && content_type != ContentType::Json,
        }
    }
}

fn text(blocks: &[ContentBlock]) -> String {
    let texts: Vec<&str> = blocks.iter().filter_map(ContentBlock::as_text).collect();
    texts.join("\n")
}

fn kind(blocks: &[ContentBlock], structured: bool) -> ContentType {
    let of = |block: &ContentBlock| match block {
        ContentBlock::Text(_) => ContentType::Text,
        ContentBlock::Image(_) => ContentType::Image,
        ContentBlock::Audio(_) => ContentType::Audio,
        ContentBlock::Resource(_) | ContentBlock::ResourceLink(_) => ContentType::Resource,
        _ => ContentType::Mixed,
    };
    let mut kinds = blocks.iter().map(of);
    let first = kinds.next().unwrap_or(ContentType::Text);
    match (first, kinds.all(|kind| kind == first)) {
        (ContentType::Text, true) if structured => ContentType::Json,
        (kind, true) => kind,
        (_, false) => ContentType::Mixed,
    }
}
