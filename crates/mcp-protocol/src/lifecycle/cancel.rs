//! `notifications/cancelled`: reading it, and saying it.

use mcp_jsonrpc::{Id, MethodName, Notification, RawJson};
use serde::{Deserialize, Serialize};

pub(super) const CANCELLED: MethodName = MethodName::from_static("notifications/cancelled");

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Cancelled {
    request_id: Id,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Cancel<'a> {
    request_id: &'a Id,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

/// Which request a cancellation means; `None` where that cannot be read.
pub(super) fn target(params: Option<&RawJson>) -> Option<Id> {
    let cancelled: Cancelled = params?.decode_borrowed().ok()?;
    Some(cancelled.request_id)
}

/// Tells the peer that nobody waits for this call any more.
pub(super) fn notification(id: &Id, reason: Option<&str>) -> Notification {
    let params = RawJson::encode(&Cancel {
        request_id: id,
        reason,
    });
    // Ids and strings always encode.
    Notification::new(CANCELLED, params.ok())
}
