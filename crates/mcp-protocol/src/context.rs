//! What is known about a message besides the message.

use std::sync::{Arc, LazyLock};

use crate::{ClientCapabilities, Implementation, LoggingLevel, ProgressToken, ProtocolVersion};

/// What a client can do that declares nothing.
static NOTHING: LazyLock<Arc<ClientCapabilities>> = LazyLock::new(Arc::default);

/// What a request says, or its connection has agreed, about who asks and under which rules.
///
/// In the handshake era it comes from `initialize`; since 2026-07-28 each request carries its
/// own in `_meta`, and nothing is kept from one request to the next.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RequestContext {
    /// The revision whose rules apply.
    pub version: ProtocolVersion,
    /// What the client can do.
    pub client_capabilities: Arc<ClientCapabilities>,
    /// What the client says it is. Never a ground for a decision.
    pub client_info: Option<Arc<Implementation>>,
    /// The token for progress notifications, where the request asks for them.
    pub progress_token: Option<ProgressToken>,
    /// The least level of log messages that belong to this request. Since 2026-07-28.
    pub log_level: Option<LoggingLevel>,
}

impl RequestContext {
    /// The context of a client that declares nothing.
    #[must_use]
    pub fn new(version: ProtocolVersion) -> Self {
        Self {
            version,
            client_capabilities: Arc::clone(&NOTHING),
            client_info: None,
            progress_token: None,
            log_level: None,
        }
    }

    /// The same context with what the client can do.
    #[must_use]
    pub fn with_client_capabilities(
        mut self,
        capabilities: impl Into<Arc<ClientCapabilities>>,
    ) -> Self {
        self.client_capabilities = capabilities.into();
        self
    }

    /// The same context with what the client says it is.
    #[must_use]
    pub fn with_client_info(mut self, info: impl Into<Arc<Implementation>>) -> Self {
        self.client_info = Some(info.into());
        self
    }

    /// The same context with a token for progress.
    #[must_use]
    pub fn with_progress_token(mut self, token: impl Into<ProgressToken>) -> Self {
        self.progress_token = Some(token.into());
        self
    }

    /// The same context with a level for log messages.
    #[must_use]
    pub fn with_log_level(mut self, level: LoggingLevel) -> Self {
        self.log_level = Some(level);
        self
    }
}

/// A client of the newest revision that declares nothing.
impl Default for RequestContext {
    fn default() -> Self {
        Self::new(ProtocolVersion::LATEST)
    }
}
