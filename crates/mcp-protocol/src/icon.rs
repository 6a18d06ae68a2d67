//! Icons of servers, clients, tools, prompts and resources.

use serde::{Deserialize, Serialize};

use crate::Extra;

/// An image that stands for something in a user interface.
///
/// Specification: basic protocol, Icons. Since 2025-11-25.
///
/// The peer chooses `src`: fetch it only over `https:`, without credentials and with a limit of
/// size, or decode it from `data:`; never follow another scheme.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct Icon {
    /// A URL: `https:` or `data:`.
    pub src: String,
    /// The media type, where `src` does not tell it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// The sizes it fits, each `48x48` or `any`. Absent: any size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sizes: Option<Vec<String>>,
    /// The background it is drawn for. Absent: any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theme: Option<IconTheme>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl Icon {
    /// An icon for any size and background.
    pub fn new(src: impl Into<String>) -> Self {
        Self {
            src: src.into(),
            mime_type: None,
            sizes: None,
            theme: None,
            extra: Extra::new(),
        }
    }
}

setters!(Icon {
    with_mime_type(mime_type: String),
    with_sizes(sizes: Vec<String>),
    with_theme(theme: IconTheme),
});

open_enum! {
    /// The background that an icon is drawn for. Since 2025-11-25.
    IconTheme {
        /// For a light background.
        Light = "light",
        /// For a dark background.
        Dark = "dark",
    }
}
