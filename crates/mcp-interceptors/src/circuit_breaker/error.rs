//! What the layer says when it does not ask a server.

use std::time::Duration;

/// A server has failed too often. It is the source of the [`CallError`](crate::CallError).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{server}` kept failing, it is asked again in {retry_after:?}")]
#[non_exhaustive]
pub struct CircuitOpen {
    /// The server.
    pub server: String,
    /// When it will be asked again. Zero while one call finds out whether it is back.
    pub retry_after: Duration,
}
