//! What a handler returns when it does not succeed.

use std::error::Error;
use std::fmt;

use mcp_jsonrpc::{ErrorCode, ErrorObject};
use mcp_protocol::error_code::{
    MISSING_CLIENT_CAPABILITY, RESOURCE_NOT_FOUND, URL_ELICITATION_REQUIRED,
};
use mcp_protocol::{
    CallToolResult, ContentBlock, Feature, InvalidParamHeader, ProtocolVersion, chain,
};

use crate::AskError;

/// Why something cannot be offered by a server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegistrationError {
    /// The input schema of a tool marks arguments for HTTP headers against the rules: clients
    /// would have to leave the tool out.
    #[error("the tool {tool} marks its arguments against the rules")]
    ParamHeader {
        /// The name of the tool.
        tool: String,
        /// Which rule is broken.
        source: InvalidParamHeader,
    },
}

/// Why a tool has no result.
///
/// A failure of the tool itself is told to the model that called it, as a result with `isError`:
/// any error turns into one by `?`, with its sources. Two kinds of error stay what they are,
/// errors of the protocol: an [`ErrorObject`], and an [`AskError`] about a capability that the
/// client would have to declare.
///
/// ```
/// use mcp_server::ToolError;
/// let parsed: Result<u8, ToolError> = "300".parse::<u8>().map_err(ToolError::from);
/// assert_eq!(
///     parsed.unwrap_err().to_string(),
///     "number too large to fit in target type"
/// );
/// assert_eq!(ToolError::new("no such page").to_string(), "no such page");
/// ```
pub struct ToolError(Repr);

enum Repr {
    Failed(Box<CallToolResult>),
    Protocol(Box<ErrorObject>),
}

impl ToolError {
    /// A failure in words that help the model to do better.
    pub fn new(message: impl Into<String>) -> Self {
        Self::with_content([ContentBlock::text(message)])
    }

    /// A failure with content of any kind.
    pub fn with_content(content: impl IntoIterator<Item = ContentBlock>) -> Self {
        let result = CallToolResult::new(content.into_iter().collect()).with_is_error(true);
        Self(Repr::Failed(Box::new(result)))
    }

    /// An error of the protocol: the call is answered without a result, and the model may never
    /// hear of it. For what is wrong with the request as such.
    #[must_use]
    pub fn protocol(error: ErrorObject) -> Self {
        Self(Repr::Protocol(Box::new(error)))
    }

    /// What the call is answered with.
    pub(crate) fn into_answer(
        self,
        version: ProtocolVersion,
    ) -> Result<CallToolResult, ErrorObject> {
        match self.0 {
            Repr::Failed(result) => Ok(*result),
            Repr::Protocol(error) => Err(lawful(*error, version)),
        }
    }
}

impl<E: Error + Send + Sync + 'static> From<E> for ToolError {
    fn from(error: E) -> Self {
        match known(error) {
            Known::Protocol(error) => Self::protocol(error),
            Known::Other(error) => Self::new(chain(&*error)),
        }
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Failed(result) => f.write_str(&result.text_content()),
            Repr::Protocol(error) => error.fmt(f),
        }
    }
}

impl fmt::Debug for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ToolError({self})")
    }
}

/// Why a prompt, a resource or a completion cannot be given: always an error of the protocol.
///
/// Any error turns into one by `?`. What it says goes to the log and not to the client, which is
/// told of an internal error; an [`ErrorObject`] and an [`AskError`] are sent as they are.
pub struct RequestError(Box<RequestRepr>);

enum RequestRepr {
    /// The error code depends on the revision.
    NotFound,
    Protocol(ErrorObject),
    Internal(Box<dyn Error + Send + Sync>),
}

impl RequestError {
    /// The resource does not exist.
    #[must_use]
    pub fn not_found() -> Self {
        Self(Box::new(RequestRepr::NotFound))
    }

    /// The request asks for something that makes no sense; the message says what.
    pub fn invalid_params(message: impl Into<String>) -> Self {
        ErrorObject::invalid_params(message).into()
    }

    /// What the request for `subject` is answered with.
    pub(crate) fn into_answer(
        self,
        subject: &str,
        version: ProtocolVersion,
        not_found: impl FnOnce() -> ErrorObject,
    ) -> ErrorObject {
        match *self.0 {
            RequestRepr::NotFound => not_found(),
            RequestRepr::Protocol(error) => lawful(error, version),
            RequestRepr::Internal(error) => {
                tracing::error!(subject, error = chain(&*error), "a handler failed");
                ErrorObject::internal("the server failed to answer")
            }
        }
    }
}

impl<E: Error + Send + Sync + 'static> From<E> for RequestError {
    fn from(error: E) -> Self {
        Self(Box::new(match known(error) {
            Known::Protocol(error) => RequestRepr::Protocol(error),
            Known::Other(error) => RequestRepr::Internal(error),
        }))
    }
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            RequestRepr::NotFound => f.write_str("not found"),
            RequestRepr::Protocol(error) => error.fmt(f),
            RequestRepr::Internal(error) => error.fmt(f),
        }
    }
}

impl fmt::Debug for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RequestError({self})")
    }
}

enum Known {
    Protocol(ErrorObject),
    Other(Box<dyn Error + Send + Sync>),
}

/// Finds the errors that the protocol has a form for.
fn known(error: impl Error + Send + Sync + 'static) -> Known {
    let error: Box<dyn Error + Send + Sync> = Box::new(error);
    let error = match error.downcast::<ErrorObject>() {
        Ok(error) => return Known::Protocol(*error),
        Err(error) => error,
    };
    match error.downcast::<AskError>() {
        Ok(error) => match error.to_error_object() {
            Some(object) => Known::Protocol(object),
            None => Known::Other(error),
        },
        Err(error) => Known::Other(error),
    }
}

/// The error with a code that a server may send in the revision.
///
/// 2026-07-28 keeps -32099 to -32020 for the protocol, and has done with those above them and with
/// two older codes: codes of one's own lie outside of -32768 to -32000.
fn lawful(mut error: ErrorObject, version: ProtocolVersion) -> ErrorObject {
    let code = match error.code {
        RESOURCE_NOT_FOUND if !version.has(Feature::ResourceNotFoundCode) => {
            ErrorCode::INVALID_PARAMS
        }
        URL_ELICITATION_REQUIRED if !version.has(Feature::UrlElicitationRequiredCode) => {
            ErrorCode::INTERNAL_ERROR
        }
        ErrorCode(-32099..=-32000)
            if version.is_stateless() && error.code != MISSING_CLIENT_CAPABILITY =>
        {
            ErrorCode::INTERNAL_ERROR
        }
        _ => return error,
    };
    tracing::warn!(%error, %version, "a handler's error has a code that the revision reserves");
    error.code = code;
    error
}
