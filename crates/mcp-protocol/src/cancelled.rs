//! `notifications/cancelled`: the answer to a request is no longer wanted.

use mcp_jsonrpc::Id;
use serde::{Deserialize, Serialize};

use crate::{Extra, Meta};

notification! {
    /// `notifications/cancelled`: the sender gives up one of its own requests. In 2026-07-28
    /// only clients send it, and servers only to end a subscription.
    ///
    /// Specification: Cancellation (all revisions).
    Cancelled = "notifications/cancelled": CancelledParams
}

/// Params of [`Cancelled`] (`CancelledNotificationParams`).
///
/// Specification: Cancellation (all revisions).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct CancelledParams {
    /// Which request. The schema of 2025-11-25 lets tasks leave it out; such a notification
    /// says nothing and does not decode.
    pub request_id: Id,
    /// Why, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What travels beside the params.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl CancelledParams {
    /// Gives up a request without saying why.
    pub fn new(request_id: impl Into<Id>) -> Self {
        Self {
            request_id: request_id.into(),
            reason: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

setters!(CancelledParams {
    with_reason(reason: String),
    with_meta(meta: Meta),
});
