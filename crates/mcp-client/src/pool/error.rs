//! Why a server of a pool could not be used.

use std::sync::Arc;

use mcp_interceptors::{CallError, CallErrorKind, Delivery, Phase, ServerFailure};

use crate::connect::Shared;
use crate::{ConnectError, Error};

/// Why a server of a pool could not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PoolError {
    /// There is no such server.
    #[error("there is no server `{server}`; there are: {}", .known.join(", "))]
    UnknownServer {
        /// What was asked for.
        server: String,
        /// The servers that there are.
        known: Vec<String>,
    },
    /// There is no session with it.
    #[error("server `{server}` is not available")]
    Connect {
        /// The server.
        server: Arc<str>,
        /// Why.
        #[source]
        source: Arc<ConnectError>,
    },
    /// The call has no result.
    #[error("server `{server}` gave no result")]
    Call {
        /// The server.
        server: Arc<str>,
        /// Why.
        #[source]
        source: Box<Error>,
        /// The last lines that the server's process wrote to its standard error.
        stderr: Option<String>,
    },
    /// The connection ended while the call was under way: it may have run, or not. It was not
    /// made again.
    #[error("server `{server}` ended the connection during the call, whether it ran is unknown")]
    OutcomeUnknown {
        /// The server.
        server: Arc<str>,
        /// Why the connection ended.
        #[source]
        source: Box<Error>,
        /// The last lines that the server's process wrote to its standard error.
        stderr: Option<String>,
    },
    /// The pool has been shut down.
    #[error("the servers have been shut down")]
    ShutDown,
}

impl PoolError {
    /// Whether the call can have had an effect on the server.
    #[must_use]
    pub fn delivery(&self) -> Delivery {
        match self {
            Self::Call { source, .. } if source.delivery() == mcp_transport::Delivery::Unknown => {
                Delivery::Unknown
            }
            Self::OutcomeUnknown { .. } => Delivery::Unknown,
            _ => Delivery::NotSent,
        }
    }

    /// This error and everything that caused it, in one line: `a: b: c`.
    #[must_use]
    pub fn chain(&self) -> String {
        mcp_protocol::chain(self)
    }

    /// The failure of this server in a list, `phase` being what was asked of it.
    pub(super) fn failure(&self, server: &str, phase: Phase) -> ServerFailure {
        match self {
            Self::Connect { source, .. } => {
                ServerFailure::new(server, source.phase(), source.chain())
                    .with_stderr(source.stderr().map(str::to_owned))
            }
            Self::Call { source, stderr, .. } | Self::OutcomeUnknown { source, stderr, .. } => {
                ServerFailure::new(server, phase, source.chain()).with_stderr(stderr.clone())
            }
            Self::UnknownServer { .. } | Self::ShutDown => {
                ServerFailure::new(server, Phase::Connect, self.to_string())
            }
        }
    }
}

/// As the layers around a tool call see it.
impl From<PoolError> for CallError {
    fn from(error: PoolError) -> Self {
        let (kind, code) = match &error {
            PoolError::UnknownServer { .. } => (CallErrorKind::UnknownTool, None),
            PoolError::Connect { .. } => (CallErrorKind::Connect, None),
            PoolError::ShutDown => (CallErrorKind::Refused, None),
            PoolError::OutcomeUnknown { .. } => (CallErrorKind::Transport, None),
            PoolError::Call { source, .. } => source.kind(),
        };
        let own = Self::new(kind, error.to_string()).with_delivery(error.delivery());
        let own = match code {
            Some(code) => own.with_code(code),
            None => own,
        };
        match error {
            PoolError::Connect { source, .. } => own.with_source(Shared(source)),
            PoolError::Call { source, .. } | PoolError::OutcomeUnknown { source, .. } => {
                own.with_source(source)
            }
            PoolError::UnknownServer { .. } | PoolError::ShutDown => own,
        }
    }
}
