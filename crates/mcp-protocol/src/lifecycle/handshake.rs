//! The server's side of the handshake: `initialize`, `notifications/initialized`, open.
//!
//! Specification: basic/lifecycle, revisions 2024-11-05 to 2025-11-25.

use std::sync::Arc;

use mcp_jsonrpc::ErrorObject;

use super::identity::ServerIdentity;
use super::stateless;
use crate::initialize::{InitializeParams, InitializeResult};
use crate::{ProtocolVersion, RequestContext};

/// Where the handshake stands: of a process over a byte stream, of a session over HTTP.
#[derive(Debug)]
pub struct ServerHandshake {
    identity: Arc<ServerIdentity>,
    state: State,
}

#[derive(Debug)]
enum State {
    AwaitInit,
    AwaitInitialized(RequestContext),
    Ready(RequestContext),
}

impl ServerHandshake {
    /// A server to which nothing has been said.
    #[must_use]
    pub const fn new(identity: Arc<ServerIdentity>) -> Self {
        Self {
            identity,
            state: State::AwaitInit,
        }
    }

    /// Answers `initialize`: the revision asked for if the server speaks it, else its newest.
    ///
    /// # Errors
    /// The error to send: a second `initialize` (`-32600`, nothing changes), or a server that
    /// speaks no revision with a handshake (`-32022`, with those that it speaks).
    pub fn initialize(
        &mut self,
        params: InitializeParams,
    ) -> Result<InitializeResult, ErrorObject> {
        if self.context().is_some() {
            return Err(ErrorObject::invalid_request(
                "the handshake is already done",
            ));
        }
        let identity = &self.identity;
        let requested = &params.protocol_version;
        let Some(version) = identity.handshake_version(requested) else {
            return Err(stateless::unsupported_version(requested, identity));
        };
        self.state = State::AwaitInitialized(
            RequestContext::new(version)
                .with_client_capabilities(params.capabilities)
                .with_client_info(params.client_info),
        );
        let mut result = InitializeResult::new(
            version.as_str(),
            identity.capabilities_in(version),
            identity.info.clone(),
        );
        result.instructions.clone_from(&identity.instructions);
        Ok(result)
    }

    /// Takes `notifications/initialized`. Too early or once more, it is ignored: `false`.
    pub fn initialized(&mut self) -> bool {
        match std::mem::replace(&mut self.state, State::AwaitInit) {
            State::AwaitInitialized(context) => {
                self.state = State::Ready(context);
                true
            }
            state @ (State::AwaitInit | State::Ready(_)) => {
                self.state = state;
                false
            }
        }
    }

    /// What was agreed on, once `initialize` has been answered.
    #[must_use]
    pub const fn context(&self) -> Option<&RequestContext> {
        match &self.state {
            State::AwaitInit => None,
            State::AwaitInitialized(context) | State::Ready(context) => Some(context),
        }
    }

    /// The revision that was agreed on.
    #[must_use]
    pub fn version(&self) -> Option<ProtocolVersion> {
        self.context().map(|context| context.version)
    }

    /// Whether the client has confirmed: from now on the server may send of its own accord.
    #[must_use]
    pub const fn is_ready(&self) -> bool {
        matches!(self.state, State::Ready(_))
    }
}
