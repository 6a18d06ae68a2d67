//! `ping`: are you there?

use serde::{Deserialize, Serialize};

use crate::{EmptyResult, Extra, Meta, RequestMeta};

request! {
    /// `ping`: asks the other side whether it is there.
    ///
    /// Specification: Ping (2024-11-05 to 2025-11-25). Answered at once, in any state.
    Ping = "ping": RequestParams => EmptyResult
}

/// Params of a request that carries nothing but `_meta`.
///
/// Specification: basic protocol, Requests (all revisions).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct RequestParams {
    /// What travels beside the params. Required since 2026-07-28.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl RequestParams {
    /// Params without `_meta`.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

setters!(RequestParams { with_meta(meta: RequestMeta) });
has_meta!(RequestParams);

/// Params of a notification that carries nothing but `_meta`.
///
/// Specification: basic protocol, Notifications (all revisions).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct NotificationParams {
    /// What travels beside the params.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl NotificationParams {
    /// Params without `_meta`.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

setters!(NotificationParams { with_meta(meta: Meta) });
