//! What is said in a conversation with a model.

use std::fmt;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{ToolResultContent, ToolUseContent};
use crate::tagged;
use crate::{AudioContent, ImageContent, TextContent};

/// The content of a message: one block, or since 2025-11-25 a list of blocks.
///
/// Written as it was made or read, since earlier revisions know no list.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SamplingContent {
    /// One block.
    Block(SamplingMessageContentBlock),
    /// A list of blocks. Since 2025-11-25.
    List(Vec<SamplingMessageContentBlock>),
}

impl SamplingContent {
    /// The blocks, one or many.
    #[must_use]
    pub fn blocks(&self) -> &[SamplingMessageContentBlock] {
        match self {
            Self::Block(block) => std::slice::from_ref(block),
            Self::List(blocks) => blocks,
        }
    }
}

impl<T: Into<SamplingMessageContentBlock>> From<T> for SamplingContent {
    fn from(block: T) -> Self {
        Self::Block(block.into())
    }
}

impl From<Vec<SamplingMessageContentBlock>> for SamplingContent {
    fn from(blocks: Vec<SamplingMessageContentBlock>) -> Self {
        Self::List(blocks)
    }
}

impl Serialize for SamplingContent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Block(block) => block.serialize(serializer),
            Self::List(blocks) => blocks.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for SamplingContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor)
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = SamplingContent;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a content block or a list of them")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<SamplingContent, A::Error> {
        SamplingMessageContentBlock::deserialize(MapAccessDeserializer::new(map))
            .map(SamplingContent::Block)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<SamplingContent, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(seq)).map(SamplingContent::List)
    }
}

/// One part of what is said.
///
/// Specification: Sampling, Messages (all revisions).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SamplingMessageContentBlock {
    /// Text: `text`.
    Text(TextContent),
    /// An image: `image`.
    Image(ImageContent),
    /// Sound: `audio`. Since 2025-03-26.
    Audio(AudioContent),
    /// The model uses a tool: `tool_use`. Since 2025-11-25.
    ToolUse(ToolUseContent),
    /// What came of it: `tool_result`. Since 2025-11-25.
    ToolResult(ToolResultContent),
    /// A kind that this crate does not know, with its `type`.
    Other(Map<String, Value>),
}

impl SamplingMessageContentBlock {
    /// Text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent::new(text))
    }

    /// The text, if the block is text.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(content) => Some(&content.text),
            _ => None,
        }
    }
}

impl From<&str> for SamplingMessageContentBlock {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for SamplingMessageContentBlock {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl From<TextContent> for SamplingMessageContentBlock {
    fn from(content: TextContent) -> Self {
        Self::Text(content)
    }
}

impl From<ImageContent> for SamplingMessageContentBlock {
    fn from(content: ImageContent) -> Self {
        Self::Image(content)
    }
}

impl From<AudioContent> for SamplingMessageContentBlock {
    fn from(content: AudioContent) -> Self {
        Self::Audio(content)
    }
}

impl From<ToolUseContent> for SamplingMessageContentBlock {
    fn from(content: ToolUseContent) -> Self {
        Self::ToolUse(content)
    }
}

impl From<ToolResultContent> for SamplingMessageContentBlock {
    fn from(content: ToolResultContent) -> Self {
        Self::ToolResult(content)
    }
}

impl Serialize for SamplingMessageContentBlock {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(content) => tagged::write("text", content, serializer),
            Self::Image(content) => tagged::write("image", content, serializer),
            Self::Audio(content) => tagged::write("audio", content, serializer),
            Self::ToolUse(content) => tagged::write("tool_use", content, serializer),
            Self::ToolResult(content) => tagged::write("tool_result", content, serializer),
            Self::Other(members) => members.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for SamplingMessageContentBlock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(BlockVisitor)
    }
}

struct BlockVisitor;

impl<'de> Visitor<'de> for BlockVisitor {
    type Value = SamplingMessageContentBlock;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a content block of a conversation")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        use SamplingMessageContentBlock as Block;
        let (kind, members) = tagged::read::<_, String>(map, "type")?;
        Ok(match kind.as_deref() {
            Some("text") => Block::Text(members.into_body()?),
            Some("image") => Block::Image(members.into_body()?),
            Some("audio") => Block::Audio(members.into_body()?),
            Some("tool_use") => Block::ToolUse(members.into_body()?),
            Some("tool_result") => Block::ToolResult(members.into_body()?),
            Some(kind) => Block::Other(members.into_map(kind.to_owned())?),
            None => return Err(de::Error::missing_field("type")),
        })
    }
}
