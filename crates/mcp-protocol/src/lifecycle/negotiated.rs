//! What client and server have agreed on, as the client sees it.

use std::sync::Arc;

use super::gate;
use super::identity::ClientIdentity;
use crate::error::NotNegotiated;
use crate::{Implementation, ProtocolVersion, RequestMeta, ServerCapabilities};

/// What client and server have agreed on, as the client sees it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Negotiated {
    /// The revision in use.
    pub version: ProtocolVersion,
    /// What the server says it is. Never a ground for a decision.
    pub server_info: Option<Implementation>,
    /// What the server offers.
    pub capabilities: ServerCapabilities,
    /// How to use the server, in its own words: text from outside.
    pub instructions: Option<String>,
    /// What we have said of ourselves.
    pub client: ClientIdentity,
}

impl Negotiated {
    /// What was agreed on with a server that offers this.
    #[must_use]
    pub fn new(
        version: ProtocolVersion,
        capabilities: ServerCapabilities,
        mut client: ClientIdentity,
    ) -> Self {
        if version.is_stateless() {
            client.capabilities = client.stateless_capabilities();
        }
        Self {
            version,
            server_info: None,
            capabilities,
            instructions: None,
            client,
        }
    }

    /// Whether this request may be sent: the revision has it and the server offers it.
    ///
    /// # Errors
    /// [`NotNegotiated`], which says what is missing.
    pub fn allows(&self, method: &str) -> Result<(), NotNegotiated> {
        gate::server_allows(method, self.version, &self.capabilities)
    }

    /// Whether this notification may be sent: the revision has it and we have declared it.
    ///
    /// # Errors
    /// [`NotNegotiated`], which says what is missing.
    pub fn allows_notification(&self, method: &str) -> Result<(), NotNegotiated> {
        gate::client_may(method, self.version, &self.client.capabilities)
    }

    /// Puts into a request's `_meta` what the revision wants there: since 2026-07-28 revision,
    /// capabilities and identity, before that nothing.
    pub fn stamp(&self, meta: &mut Option<RequestMeta>) {
        if self.version.is_stateless() {
            stamp(meta.get_or_insert_default(), self.version, &self.client);
        }
    }
}

/// The context of a request that stands alone.
pub(super) fn stamp(meta: &mut RequestMeta, version: ProtocolVersion, client: &ClientIdentity) {
    meta.protocol_version = Some(version.as_str().into());
    meta.client_info = Some(Arc::clone(&client.info));
    meta.client_capabilities = Some(client.stateless_capabilities());
}
