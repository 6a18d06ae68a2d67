//! What kind of model a server wants, and how it may use tools.

use serde::{Deserialize, Serialize};

use crate::{Extra, encode};

/// What kind of model a server wants. The client chooses.
///
/// Specification: Sampling, Model Preferences (all revisions).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct ModelPreferences {
    /// Names of models, the best first; the client takes the first that it can match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hints: Option<Vec<ModelHint>>,
    /// How much cost matters: from 0 (not at all) to 1 (most).
    #[serde(
        serialize_with = "encode::optional_number",
        skip_serializing_if = "Option::is_none"
    )]
    pub cost_priority: Option<f64>,
    /// How much speed matters: from 0 (not at all) to 1 (most).
    #[serde(
        serialize_with = "encode::optional_number",
        skip_serializing_if = "Option::is_none"
    )]
    pub speed_priority: Option<f64>,
    /// How much ability matters: from 0 (not at all) to 1 (most).
    #[serde(
        serialize_with = "encode::optional_number",
        skip_serializing_if = "Option::is_none"
    )]
    pub intelligence_priority: Option<f64>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl ModelPreferences {
    /// No preference.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

setters!(ModelPreferences {
    with_hints(hints: Vec<ModelHint>),
    with_cost_priority(cost_priority: f64),
    with_speed_priority(speed_priority: f64),
    with_intelligence_priority(intelligence_priority: f64),
});

/// A name of a model, or a part of one.
///
/// Specification: Sampling, Model Preferences (all revisions).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct ModelHint {
    /// Matches any model whose name holds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl ModelHint {
    /// A hint by name.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: Some(name.into()),
            extra: Extra::new(),
        }
    }
}

open_enum! {
    /// Whose context a client adds to a conversation.
    ///
    /// Specification: Sampling, `CreateMessageRequest` (all revisions).
    IncludeContext {
        /// None.
        None = "none",
        /// That of the server that asks.
        ThisServer = "thisServer",
        /// That of all its servers.
        AllServers = "allServers",
    }
}

/// Whether the model uses tools.
///
/// Specification: Sampling, Tool Choice. Since 2025-11-25.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct ToolChoice {
    /// Absent: `auto`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<ToolChoiceMode>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl ToolChoice {
    /// The model decides.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

setters!(ToolChoice { with_mode(mode: ToolChoiceMode) });

open_enum! {
    /// Who decides whether the model uses tools. Since 2025-11-25.
    ToolChoiceMode {
        /// The model decides.
        Auto = "auto",
        /// It must use at least one.
        Required = "required",
        /// It must use none.
        None = "none",
    }
}
