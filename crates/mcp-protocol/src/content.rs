//! Content: text, images, audio and resources, as tools and prompts give it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    Annotations, BlobResourceContents, Extra, Feature, Meta, ProtocolVersion, Resource,
    ResourceContents,
};

mod binary;
mod block;

pub use binary::{AudioContent, ImageContent};

/// One part of what a tool or a prompt gives.
///
/// A kind that this crate does not know is kept as it came, and written as it came. A block
/// without `type`, or with a member that does not fit its kind, does not decode.
///
/// Specification: Tools, Tool Result; Prompts, PromptMessage (all revisions).
///
/// ```
/// use mcp_protocol::ContentBlock;
/// let block: ContentBlock = serde_json::from_str(r#"{"type":"text","text":"hello"}"#).unwrap();
/// assert_eq!(block, ContentBlock::text("hello"));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ContentBlock {
    /// Text: `text`.
    Text(TextContent),
    /// An image: `image`.
    Image(ImageContent),
    /// Sound: `audio`. Since 2025-03-26.
    Audio(AudioContent),
    /// A resource to be read elsewhere: `resource_link`. Since 2025-06-18.
    ResourceLink(Box<ResourceLink>),
    /// A resource with its contents: `resource`.
    Resource(Box<EmbeddedResource>),
    /// A kind that this crate does not know, with its `type`.
    Other(Map<String, Value>),
}

impl ContentBlock {
    /// Text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent::new(text))
    }

    /// An image, from its bytes.
    pub fn image(bytes: impl AsRef<[u8]>, mime_type: impl Into<String>) -> Self {
        Self::Image(ImageContent::from_bytes(bytes, mime_type))
    }

    /// Sound, from its bytes.
    pub fn audio(bytes: impl AsRef<[u8]>, mime_type: impl Into<String>) -> Self {
        Self::Audio(AudioContent::from_bytes(bytes, mime_type))
    }

    /// A link to a resource.
    #[must_use]
    pub fn resource_link(resource: Resource) -> Self {
        Self::ResourceLink(Box::new(ResourceLink(resource)))
    }

    /// A resource with its contents.
    #[must_use]
    pub fn resource(contents: ResourceContents) -> Self {
        Self::Resource(Box::new(EmbeddedResource::new(contents)))
    }

    /// The text, if the block is text.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(content) => Some(&content.text),
            _ => None,
        }
    }

    /// The kind, as `type` names it.
    #[must_use]
    pub fn kind(&self) -> &str {
        match self {
            Self::Text(_) => "text",
            Self::Image(_) => "image",
            Self::Audio(_) => "audio",
            Self::ResourceLink(_) => "resource_link",
            Self::Resource(_) => "resource",
            Self::Other(members) => members.get("type").and_then(Value::as_str).unwrap_or(""),
        }
    }

    /// Turns a kind that came after `version` into one that the revision has: audio into an
    /// embedded resource, a link to a resource into text.
    pub fn fit_to(&mut self, version: ProtocolVersion) {
        match self {
            Self::Audio(audio) if !version.has(Feature::AudioContent) => {
                let data = std::mem::take(&mut audio.data);
                let mime_type = std::mem::take(&mut audio.mime_type);
                let contents =
                    BlobResourceContents::new("urn:mcp:audio", data).with_mime_type(mime_type);
                let mut resource = EmbeddedResource::new(contents.into());
                resource.annotations = audio.annotations.take();
                *self = resource.into();
            }
            Self::ResourceLink(link) if !version.has(Feature::ResourceLinks) => {
                let mut text = TextContent::new(format!("{}: {}", link.display_name(), link.uri));
                text.annotations = link.0.annotations.take();
                *self = text.into();
            }
            _ => {}
        }
    }

    /// The hints of the block, where it has any.
    #[must_use]
    pub fn annotations(&self) -> Option<&Annotations> {
        match self {
            Self::Text(content) => content.annotations.as_ref(),
            Self::Image(content) => content.annotations.as_ref(),
            Self::Audio(content) => content.annotations.as_ref(),
            Self::ResourceLink(link) => link.annotations.as_ref(),
            Self::Resource(content) => content.annotations.as_ref(),
            Self::Other(_) => None,
        }
    }
}

impl From<&str> for ContentBlock {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for ContentBlock {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl From<TextContent> for ContentBlock {
    fn from(content: TextContent) -> Self {
        Self::Text(content)
    }
}

impl From<ImageContent> for ContentBlock {
    fn from(content: ImageContent) -> Self {
        Self::Image(content)
    }
}

impl From<AudioContent> for ContentBlock {
    fn from(content: AudioContent) -> Self {
        Self::Audio(content)
    }
}

impl From<EmbeddedResource> for ContentBlock {
    fn from(content: EmbeddedResource) -> Self {
        Self::Resource(Box::new(content))
    }
}

impl From<ResourceLink> for ContentBlock {
    fn from(link: ResourceLink) -> Self {
        Self::ResourceLink(Box::new(link))
    }
}

/// Text. Its `type` is written by what holds it: [`ContentBlock`] and others.
///
/// Specification: Prompts, Text Content (all revisions).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct TextContent {
    /// The text.
    pub text: String,
    /// Hints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// Since 2025-06-18.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl TextContent {
    /// Text without hints.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            annotations: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

setters!(TextContent {
    with_annotations(annotations: Annotations),
    with_meta(meta: Meta),
});

/// A resource whose contents are part of a result or a prompt.
///
/// Specification: Prompts, Embedded Resources (all revisions).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct EmbeddedResource {
    /// The contents.
    pub resource: ResourceContents,
    /// Hints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// Since 2025-06-18.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl EmbeddedResource {
    /// A resource without hints.
    #[must_use]
    pub fn new(resource: ResourceContents) -> Self {
        Self {
            resource,
            annotations: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

setters!(EmbeddedResource {
    with_annotations(annotations: Annotations),
    with_meta(meta: Meta),
});

/// A resource that the receiver may read or subscribe to. It need not be in `resources/list`.
///
/// Specification: Tools, Resource Links. Since 2025-06-18.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a resource and no more, by definition"
)]
pub struct ResourceLink(pub Resource);

impl std::ops::Deref for ResourceLink {
    type Target = Resource;

    fn deref(&self) -> &Resource {
        &self.0
    }
}
