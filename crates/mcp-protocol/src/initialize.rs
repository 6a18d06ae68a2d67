//! `initialize`: the handshake of the revisions until 2025-11-25.

use serde::{Deserialize, Serialize};

use crate::{
    ClientCapabilities, Extra, Implementation, Meta, NotificationParams, RequestMeta,
    ServerCapabilities,
};

request! {
    /// `initialize`: the first request of a client; agrees on revision and capabilities.
    ///
    /// Specification: Lifecycle, Initialization (2024-11-05 to 2025-11-25). Never cancelled.
    Initialize = "initialize": InitializeParams => InitializeResult
}

notification! {
    /// `notifications/initialized`: the client has read the result and is ready.
    ///
    /// Specification: Lifecycle, Initialization (2024-11-05 to 2025-11-25).
    Initialized = "notifications/initialized": NotificationParams
}

/// Params of [`Initialize`] (`InitializeRequestParams`).
///
/// Specification: Lifecycle, Initialization (2024-11-05 to 2025-11-25).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct InitializeParams {
    /// The newest revision that the client speaks.
    pub protocol_version: String,
    /// What the client can do.
    pub capabilities: ClientCapabilities,
    /// Who the client is.
    pub client_info: Implementation,
    /// What travels beside the params.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl InitializeParams {
    /// Params without `_meta`.
    pub fn new(
        protocol_version: impl Into<String>,
        capabilities: ClientCapabilities,
        client_info: Implementation,
    ) -> Self {
        Self {
            protocol_version: protocol_version.into(),
            capabilities,
            client_info,
            meta: None,
            extra: Extra::new(),
        }
    }
}

setters!(InitializeParams { with_meta(meta: RequestMeta) });
has_meta!(InitializeParams);

/// Result of [`Initialize`].
///
/// Specification: Lifecycle, Initialization (2024-11-05 to 2025-11-25).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct InitializeResult {
    /// The revision that the connection uses. A client that does not speak it disconnects.
    pub protocol_version: String,
    /// What the server can do.
    pub capabilities: ServerCapabilities,
    /// Who the server is.
    pub server_info: Implementation,
    /// How to use the server, for the model. Text from outside: never to be trusted blindly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// What travels beside the result.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl InitializeResult {
    /// A result without instructions.
    pub fn new(
        protocol_version: impl Into<String>,
        capabilities: ServerCapabilities,
        server_info: Implementation,
    ) -> Self {
        Self {
            protocol_version: protocol_version.into(),
            capabilities,
            server_info,
            instructions: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

setters!(InitializeResult {
    with_instructions(instructions: String),
    with_meta(meta: Meta),
});
