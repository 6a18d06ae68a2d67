//! The time of day.

use std::time::{SystemTime, UNIX_EPOCH};

use mcp_protocol::tasks::iso_8601;

/// The time now, as tasks say it.
pub(super) fn now() -> String {
    iso_8601(
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default(),
    )
}
