//! Errors as the layers around calls and requests see them, and back.

use std::error::Error as StdError;

use mcp_interceptors::{CallError, CallErrorKind, Delivery};
use mcp_transport::CallError as WireError;

use crate::Error;

impl Error {
    /// The kind of error that this is for layers, with the code that the server answered.
    pub(crate) fn kind(&self) -> (CallErrorKind, Option<i64>) {
        let code = self.remote().map(|error| error.code.0);
        let kind = match self {
            Self::Call(WireError::TimedOut { .. }) => CallErrorKind::TimedOut,
            Self::Call(WireError::Closed { .. }) => CallErrorKind::Transport,
            Self::Call(WireError::Rejected(_)) if code.is_none() => CallErrorKind::Transport,
            Self::Call(WireError::Busy { .. }) | Self::NotNegotiated(_) => CallErrorKind::Refused,
            Self::Params { .. } => CallErrorKind::InvalidArguments,
            Self::Layer(error) => error.kind(),
            _ => CallErrorKind::Protocol,
        };
        (kind, code)
    }

    /// The error for layers.
    pub(crate) fn for_layers(self) -> CallError {
        let delivery = match self.delivery() {
            mcp_transport::Delivery::NotSent => Delivery::NotSent,
            mcp_transport::Delivery::Unknown => Delivery::Unknown,
        };
        let (kind, code) = self.kind();
        let error = CallError::new(kind, self.to_string()).with_delivery(delivery);
        let error = match code {
            Some(code) => error.with_code(code),
            None => error,
        };
        error.with_source(self)
    }
}

/// What comes out of the layers: the session's own error as it was, or one of a layer.
impl From<CallError> for Error {
    fn from(error: CallError) -> Self {
        let is_ours = |error: &CallError| error.source().is_some_and(|source| source.is::<Self>());
        if !is_ours(&error) {
            return Self::Layer(error);
        }
        match error.into_source().map(|source| source.downcast::<Self>()) {
            Some(Ok(own)) => *own,
            Some(Err(other)) => Self::Layer(CallError::layer(other)),
            None => Self::Layer(CallError::new(CallErrorKind::Layer, "a layer failed")),
        }
    }
}
