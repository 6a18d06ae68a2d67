//! Hints about whom content is for, and how much it matters.

use serde::{Deserialize, Serialize};

use crate::{Extra, encode};

/// Hints about content or a resource. A receiver may ignore them.
///
/// Specification: Resources, Annotations (all revisions; part of `Annotated` in 2024-11-05).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct Annotations {
    /// Whom it is for. Absent: anyone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audience: Option<Vec<Role>>,
    /// How much it matters: from 0 (may be left out) to 1 (needed).
    #[serde(
        serialize_with = "encode::optional_number",
        skip_serializing_if = "Option::is_none"
    )]
    pub priority: Option<f64>,
    /// When it last changed, as in ISO 8601: `2025-01-12T15:00:58Z`. Since 2025-06-18.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl Annotations {
    /// No hints.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

setters!(Annotations {
    with_audience(audience: Vec<Role>),
    with_priority(priority: f64),
    with_last_modified(last_modified: String),
});

open_enum! {
    /// Who speaks or listens in a conversation.
    ///
    /// Specification: Prompts, Sampling, Annotations (all revisions).
    Role {
        /// The person, or what acts for one.
        User = "user",
        /// The model.
        Assistant = "assistant",
    }
}
