//! Who speaks: the name and version of a client or a server.

use serde::{Deserialize, Serialize};

use crate::{Extra, Icon};

/// The name and version of a program that speaks the protocol.
///
/// Self-reported: for logs and for people, never for decisions.
/// Specification: Lifecycle, Initialization (2024-11-05 to 2025-11-25); basic protocol, `_meta`
/// (2026-07-28).
///
/// ```
/// use mcp_protocol::Implementation;
/// let info = Implementation::new("library", "1.0.0").with_title("The library");
/// assert_eq!(info.display_name(), "The library");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct Implementation {
    /// The name for programs.
    pub name: String,
    /// The name for people. Since 2025-06-18.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The version of the program, not of the protocol.
    pub version: String,
    /// What it does, for people. Since 2025-11-25.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Pictures of it. Since 2025-11-25.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icons: Option<Vec<Icon>>,
    /// Where to read about it. Since 2025-11-25.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub website_url: Option<String>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl Implementation {
    /// An implementation with name and version alone.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: None,
            version: version.into(),
            description: None,
            icons: None,
            website_url: None,
            extra: Extra::new(),
        }
    }

    /// The title, or else the name.
    #[must_use]
    pub fn display_name(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.name)
    }
}

setters!(Implementation {
    with_title(title: String),
    with_description(description: String),
    with_icons(icons: Vec<Icon>),
    with_website_url(website_url: String),
});
