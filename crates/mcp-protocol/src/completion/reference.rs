//! What an argument belongs to: a prompt or a resource template.

use std::fmt;

use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Extra;
use crate::tagged::{self, Body};

/// What an argument belongs to.
///
/// Specification: Completion, Reference Types (all revisions).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CompletionReference {
    /// An argument of a prompt: `ref/prompt`.
    Prompt(PromptReference),
    /// A variable of a resource template: `ref/resource`.
    ResourceTemplate(ResourceTemplateReference),
    /// A kind that this crate does not know, with its `type`.
    Other(Map<String, Value>),
}

impl From<PromptReference> for CompletionReference {
    fn from(reference: PromptReference) -> Self {
        Self::Prompt(reference)
    }
}

impl From<ResourceTemplateReference> for CompletionReference {
    fn from(reference: ResourceTemplateReference) -> Self {
        Self::ResourceTemplate(reference)
    }
}

impl Serialize for CompletionReference {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Prompt(reference) => tagged::write("ref/prompt", reference, serializer),
            Self::ResourceTemplate(reference) => {
                tagged::write("ref/resource", reference, serializer)
            }
            Self::Other(members) => members.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for CompletionReference {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ReferenceVisitor)
    }
}

struct ReferenceVisitor;

impl<'de> Visitor<'de> for ReferenceVisitor {
    type Value = CompletionReference;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a reference to a prompt or a resource template")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        let (kind, members) = tagged::read::<_, String>(map, "type")?;
        Ok(match kind.as_deref() {
            Some("ref/prompt") => CompletionReference::Prompt(members.into_body()?),
            Some("ref/resource") => CompletionReference::ResourceTemplate(members.into_body()?),
            Some(kind) => CompletionReference::Other(members.into_map(kind.to_owned())?),
            None => return Err(de::Error::missing_field("type")),
        })
    }
}

/// Names a prompt.
///
/// Specification: Completion, Reference Types (all revisions).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct PromptReference {
    /// The name for programs.
    pub name: String,
    /// The name for people. Since 2025-06-18.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl PromptReference {
    /// Names a prompt.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: None,
            extra: Extra::new(),
        }
    }
}

setters!(PromptReference { with_title(title: String) });

impl Body for PromptReference {
    fn extra(&self) -> &Extra {
        &self.extra
    }
}

/// Names a resource or a resource template (`ResourceReference` until 2025-03-26).
///
/// Specification: Completion, Reference Types (all revisions).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct ResourceTemplateReference {
    /// A URI, or a URI template.
    pub uri: String,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl ResourceTemplateReference {
    /// Names a resource or a resource template.
    pub fn new(uri: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            extra: Extra::new(),
        }
    }
}

impl Body for ResourceTemplateReference {
    fn extra(&self) -> &Extra {
        &self.extra
    }
}
