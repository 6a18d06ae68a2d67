//! Why a call of a session has no result.

use mcp_interceptors::Delivery as Layered;
use mcp_protocol::AnswerError;
use mcp_protocol::lifecycle::NotNegotiated;
use mcp_transport::{CallError, Delivery};

/// Why a call of a session has no result.
///
/// A tool that fails has a result (`isError`); this is for what went wrong around it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Nothing was sent: the revision or the server does not have it.
    #[error(transparent)]
    NotNegotiated(#[from] NotNegotiated),
    /// Nothing was sent: the params cannot be written as JSON.
    #[error("the params of {method} cannot be written as JSON")]
    Params {
        /// The method.
        method: String,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
    /// The call failed on its way, or the server answered with an error.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The server's result is not one of this method.
    #[error("the server's result of {method} cannot be read")]
    Result {
        /// The method.
        method: String,
        /// Why.
        #[source]
        source: AnswerError,
    },
    /// The server's result is of a kind that this call cannot have.
    #[error("the server's result of {method} is of kind `{kind}`, which it cannot be")]
    ResultType {
        /// The method.
        method: String,
        /// The `resultType`.
        kind: String,
    },
    /// The server's list has no end.
    #[error(transparent)]
    Pages(#[from] PagesError),
    /// The server asked for input that it did not get.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The call has become a task that has no result.
    #[error("the task `{id}` of the call has no result")]
    Task {
        /// The task.
        id: String,
        /// Why.
        #[source]
        source: TaskError,
    },
    /// Nothing was sent: more resources would be subscribed to than a session may be told of.
    #[error("more than {limit} resources would be subscribed to")]
    TooManySubscriptions {
        /// The limit.
        limit: usize,
    },
    /// The server does not tell of this resource, though it says that it tells of resources.
    #[error("the server does not tell of changes of {uri}")]
    NotSubscribed {
        /// The resource.
        uri: String,
    },
    /// A layer has failed, or has refused the request.
    #[error(transparent)]
    Layer(mcp_interceptors::CallError),
    /// Nothing was sent: the prompt needs an argument that is not given.
    #[error("the prompt {prompt} needs the argument {argument}")]
    MissingArgument {
        /// The prompt.
        prompt: String,
        /// The argument.
        argument: String,
    },
}

/// A list that has no end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PagesError {
    /// A page points to one that was there before.
    #[error("the server's pages of {method} go in a circle: page {page} has a cursor again")]
    Repeated {
        /// The method.
        method: String,
        /// The page, counted from 1.
        page: usize,
    },
    /// The pages hold too much.
    #[error("the server's list of {method} is too long: {entries} entries of {bytes} bytes so far")]
    TooLong {
        /// The method.
        method: String,
        /// How many there were.
        entries: usize,
        /// How long the pages were.
        bytes: usize,
    },
    /// There are too many pages.
    #[error("the server's list of {method} has more than {limit} pages")]
    TooMany {
        /// The method.
        method: String,
        /// The limit.
        limit: usize,
    },
}

/// A task without a result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TaskError {
    /// It was given up, here or elsewhere.
    #[error("it was cancelled")]
    Cancelled,
    /// It has failed, and the server does not say with which error.
    #[error("it has failed: {}", .message.as_deref().unwrap_or("the server does not say why"))]
    Failed {
        /// What the server says for people.
        message: Option<String>,
    },
    /// It could not be followed to its end. It may go on.
    #[error("it could not be followed to its end")]
    Lost(#[source] Box<Error>),
}

/// A server that asked for input which it did not get.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// It asked for something that was not declared.
    #[error(transparent)]
    NotDeclared(#[from] NotNegotiated),
    /// The answer cannot be written as JSON.
    #[error("the answer to the server's question by {method} cannot be written as JSON")]
    Unwritable {
        /// The method that it used.
        method: String,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
    /// The handler gave no answer.
    #[error("the server's question by {method} was not answered")]
    Refused {
        /// The method that it used.
        method: String,
        /// What the handler says.
        #[source]
        source: mcp_jsonrpc::ErrorObject,
    },
    /// It asked for nothing and gave nothing to go on with.
    #[error("the server asked for input but not for what")]
    Empty,
    /// It asked again and again.
    #[error("the server asked for input more than {limit} times")]
    TooMany {
        /// The limit.
        limit: usize,
    },
}

impl Error {
    /// Whether the call can have had an effect on the server.
    #[must_use]
    pub fn delivery(&self) -> Delivery {
        match self {
            Self::NotNegotiated(_)
            | Self::Params { .. }
            | Self::MissingArgument { .. }
            | Self::TooManySubscriptions { .. } => Delivery::NotSent,
            Self::Call(error) => error.delivery(),
            Self::Layer(error) if error.delivery() == Layered::NotSent => Delivery::NotSent,
            Self::Layer(_)
            | Self::Result { .. }
            | Self::ResultType { .. }
            | Self::Pages(_)
            | Self::Input(_)
            | Self::Task { .. }
            | Self::NotSubscribed { .. } => Delivery::Unknown,
        }
    }

    /// What went wrong on the way, also where that happened while a task was followed.
    pub(crate) fn on_the_way(&self) -> Option<&CallError> {
        match self {
            Self::Call(error) => Some(error),
            Self::Task {
                source: TaskError::Lost(error),
                ..
            } => error.on_the_way(),
            _ => None,
        }
    }

    /// The same error for a call of which a part has been done: it is not as if nothing had been
    /// sent.
    pub(crate) fn after_a_part(self) -> Self {
        match self {
            Self::Call(CallError::Closed { reason, .. }) => Self::Call(CallError::Closed {
                reason,
                delivery: Delivery::Unknown,
            }),
            other => other,
        }
    }

    /// The error that the server answered with, if that is what happened.
    #[must_use]
    pub fn remote(&self) -> Option<&mcp_jsonrpc::ErrorObject> {
        match self {
            Self::Call(CallError::Remote(error)) => Some(error),
            Self::Call(CallError::Rejected(rejection)) => rejection.error.as_ref(),
            _ => None,
        }
    }

    /// This error and everything that caused it, in one line: `a: b: c`.
    #[must_use]
    pub fn chain(&self) -> String {
        mcp_protocol::chain(self)
    }
}
