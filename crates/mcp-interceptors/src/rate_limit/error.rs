//! What the layer says when it lets a call not through.

use std::time::Duration;

/// A call came too early. It is the source of the [`CallError`](crate::CallError).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{key}` has used up its calls, the next is possible in {retry_after:?}")]
#[non_exhaustive]
pub struct RateLimited {
    /// What was counted: a server, `server/tool`, or the key of one's own.
    pub key: String,
    /// When a call would be let through.
    pub retry_after: Duration,
}
