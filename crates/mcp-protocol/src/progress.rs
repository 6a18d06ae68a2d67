//! `notifications/progress`: how far a request has come.

use serde::{Deserialize, Serialize};

use crate::{Extra, Meta, ProgressToken, encode};

notification! {
    /// `notifications/progress`: how far a request has come that carried a progress token.
    ///
    /// Specification: Progress (all revisions). In 2026-07-28 only servers send it.
    Progress = "notifications/progress": ProgressParams
}

/// Params of [`Progress`] (`ProgressNotificationParams`).
///
/// Specification: Progress (all revisions).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct ProgressParams {
    /// The token from `_meta` of the request.
    pub progress_token: ProgressToken,
    /// How far; rises from one notification to the next.
    #[serde(serialize_with = "encode::number")]
    pub progress: f64,
    /// Out of how much, where that is known.
    #[serde(
        serialize_with = "encode::optional_number",
        skip_serializing_if = "Option::is_none"
    )]
    pub total: Option<f64>,
    /// What is going on, for people. Since 2025-03-26.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What travels beside the params.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl ProgressParams {
    /// Progress without total and message.
    pub fn new(progress_token: impl Into<ProgressToken>, progress: f64) -> Self {
        Self {
            progress_token: progress_token.into(),
            progress,
            total: None,
            message: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

setters!(ProgressParams {
    with_total(total: f64),
    with_message(message: String),
    with_meta(meta: Meta),
});
