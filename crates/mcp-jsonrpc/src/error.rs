//! What can be wrong with the bytes of a message, and what a receiver answers to it.

use std::fmt;

use crate::{ErrorCode, ErrorObject, Id};

/// Bytes from the peer that are not a message.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum DecodeError {
    /// The text is not UTF-8 or not JSON.
    Syntax {
        /// What the parser found, and where.
        detail: String,
    },
    /// The JSON is not a JSON-RPC 2.0 request or notification.
    Request {
        /// The id, where one can be read.
        id: Option<Id>,
        /// What is wrong.
        reason: &'static str,
    },
    /// `params` is not an object.
    Params {
        /// The id of the request; `None` for a notification, which is never answered.
        id: Option<Id>,
    },
    /// The JSON is not a JSON-RPC 2.0 response. Never answered.
    Response {
        /// The id of the call that it would have answered, where one can be read.
        id: Option<Id>,
        /// What is wrong.
        reason: &'static str,
    },
    /// The message is longer than the receiver accepts.
    TooLong {
        /// The id, where it could be found at either end of the message.
        id: Option<Id>,
        /// Whether the message is a response.
        response: bool,
        /// The limit in bytes.
        limit: usize,
    },
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the peer sent ")?;
        match self {
            Self::Syntax { detail } => write!(f, "text that is not JSON: {detail}"),
            Self::Request { reason, .. } => write!(f, "an invalid request: {reason}"),
            Self::Params { .. } => f.write_str("params that are not an object"),
            Self::Response { reason, .. } => write!(f, "an invalid response: {reason}"),
            Self::TooLong { limit, .. } => write!(f, "a message of more than {limit} bytes"),
        }
    }
}

impl std::error::Error for DecodeError {}

impl DecodeError {
    /// The error to send back, with the id to send it under; `None` where nothing may be sent.
    #[must_use]
    pub fn reply(&self) -> Option<(Option<Id>, ErrorObject)> {
        match self {
            Self::Syntax { .. } => Some((
                None,
                ErrorObject::new(ErrorCode::PARSE_ERROR, "parse error"),
            )),
            Self::Request { id, reason } => Some((
                id.clone(),
                ErrorObject::invalid_request(format!("invalid request: {reason}")),
            )),
            Self::TooLong {
                id,
                response: false,
                limit,
            } => Some((
                id.clone(),
                ErrorObject::invalid_request(format!("message longer than {limit} bytes")),
            )),
            Self::Params { id } => id.clone().map(|id| {
                (
                    Some(id),
                    ErrorObject::invalid_params("params must be an object"),
                )
            }),
            Self::Response { .. } | Self::TooLong { .. } => None,
        }
    }

    /// The id of our call that this is a failed answer to, where it is one.
    #[must_use]
    pub const fn answers(&self) -> Option<&Id> {
        match self {
            Self::Response { id, .. }
            | Self::TooLong {
                id, response: true, ..
            } => id.as_ref(),
            _ => None,
        }
    }

    /// Why something with neither method nor result nor error is no request.
    pub(crate) const NO_KIND: &'static str = "method is missing";

    /// What this is to whoever only takes answers: with neither method nor result nor error it may
    /// be a request or a response that went wrong, and whoever waits for that answer must hear of
    /// it.
    #[must_use]
    pub fn as_response(self) -> Self {
        match self {
            Self::Request {
                id: id @ Some(_),
                reason: Self::NO_KIND,
            } => Self::Response {
                id,
                reason: "it has neither result nor error",
            },
            other => other,
        }
    }

    /// A message of more than `limit` bytes, of which only the ends are known.
    #[must_use]
    pub fn too_long(head: &[u8], tail: &[u8], limit: usize) -> Self {
        let (id, response) = crate::message::peek(head, tail);
        Self::TooLong {
            id,
            response,
            limit,
        }
    }
}
