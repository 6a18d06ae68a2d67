//! What can be wrong with settings.

use mcp_transport::TransportError;

use crate::client::NO_TLS;

/// Why a client cannot be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The URL is not one of an MCP endpoint.
    #[error("{url:?} is no usable URL: {reason}")]
    Url {
        /// What was given.
        url: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A header's name or value is not one.
    #[error("header {name:?} is not valid")]
    Header {
        /// The name that was given.
        name: String,
    },
    /// The header belongs to the protocol or to HTTP.
    #[error("header {name:?} is set by the transport itself")]
    ProtectedHeader {
        /// The name that was given.
        name: String,
    },
    /// The URL needs TLS, and there is no provider for it.
    #[error("{url:?} cannot be reached, {NO_TLS}")]
    NoTls {
        /// The URL.
        url: String,
    },
    /// TLS could not be set up.
    #[error("the HTTP client could not be built")]
    Client(#[source] TransportError),
}
