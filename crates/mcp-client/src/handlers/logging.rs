//! The log messages of a server.

use std::fmt;

use mcp_protocol::LoggingMessageParams;
use mcp_transport::BoxFuture;

use super::Origin;

/// Takes the log messages of a server. Without one they go to `tracing`.
pub trait Logging: fmt::Debug + Send + Sync + 'static {
    /// Takes one message. Messages of a connection come one after another, in order; what takes
    /// long here delays only other notifications of the same server.
    ///
    /// # Cancel safety
    /// The future is dropped when the connection has ended.
    fn log(&self, message: LoggingMessageParams, origin: Origin) -> BoxFuture<'_, ()>;
}

/// Hands a message to `tracing`, in the level that fits.
pub(crate) fn trace(message: &LoggingMessageParams, origin: &Origin) {
    let server = &*origin.server;
    let logger = message.logger.as_deref().unwrap_or_default();
    let data = &message.data;
    match message.level.severity() {
        Some(0) => tracing::debug!(server, logger, %data, "the server says"),
        Some(3) => tracing::warn!(server, logger, %data, "the server says"),
        Some(4..) => tracing::error!(server, logger, %data, "the server says"),
        _ => tracing::info!(server, logger, %data, "the server says"),
    }
}
