//! Content blocks to and from JSON: by hand, in one pass when `type` comes first.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use super::{
    AudioContent, ContentBlock, EmbeddedResource, ImageContent, ResourceLink, TextContent,
};
use crate::tagged::{self, Body};
use crate::{Extra, decode};

/// The kinds of content blocks.
enum Kind {
    Text,
    Image,
    Audio,
    ResourceLink,
    Resource,
    Other(String),
}

impl From<&str> for Kind {
    fn from(kind: &str) -> Self {
        match kind {
            "text" => Self::Text,
            "image" => Self::Image,
            "audio" => Self::Audio,
            "resource_link" => Self::ResourceLink,
            "resource" => Self::Resource,
            other => Self::Other(other.to_owned()),
        }
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        decode::text(deserializer)
    }
}

impl Serialize for ContentBlock {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(content) => tagged::write("text", content, serializer),
            Self::Image(content) => tagged::write("image", content, serializer),
            Self::Audio(content) => tagged::write("audio", content, serializer),
            Self::ResourceLink(link) => tagged::write("resource_link", &**link, serializer),
            Self::Resource(content) => tagged::write("resource", &**content, serializer),
            Self::Other(members) => members.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ContentBlock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(BlockVisitor)
    }
}

struct BlockVisitor;

impl<'de> Visitor<'de> for BlockVisitor {
    type Value = ContentBlock;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a content block")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ContentBlock, A::Error> {
        let (kind, members) = tagged::read(map, "type")?;
        Ok(match kind {
            Some(Kind::Text) => ContentBlock::Text(members.into_body()?),
            Some(Kind::Image) => ContentBlock::Image(members.into_body()?),
            Some(Kind::Audio) => ContentBlock::Audio(members.into_body()?),
            Some(Kind::ResourceLink) => ContentBlock::ResourceLink(Box::new(members.into_body()?)),
            Some(Kind::Resource) => ContentBlock::Resource(Box::new(members.into_body()?)),
            Some(Kind::Other(kind)) => ContentBlock::Other(members.into_map(kind)?),
            None => return Err(de::Error::missing_field("type")),
        })
    }
}

macro_rules! body {
    ($($type:ty),+) => {
        $(impl Body for $type {
            fn extra(&self) -> &Extra {
                &self.extra
            }
        })+
    };
}

body!(
    TextContent,
    ImageContent,
    AudioContent,
    EmbeddedResource,
    ResourceLink
);
