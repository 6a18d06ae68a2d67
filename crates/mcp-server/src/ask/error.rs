//! Why a question to the client has no answer.

use mcp_jsonrpc::ErrorObject;
use mcp_protocol::lifecycle::NotNegotiated;
use mcp_protocol::sampling::ToolUseImbalance;
use mcp_protocol::{ClientCapabilities, MissingRequiredClientCapabilityError, ProtocolVersion};
use mcp_transport::CallError;
use serde::Deserialize as _;
use serde_json::{Map, Value};

/// Why a question to the client has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// The client has not declared that it can be asked that.
    #[error("{reason}")]
    NotOffered {
        /// What is missing.
        reason: NotNegotiated,
        /// The revision of the request.
        version: ProtocolVersion,
    },
    /// Only tools, prompts and resources may ask since 2026-07-28.
    #[error("this method cannot ask the client in this revision")]
    NotHere,
    /// The server could not make a task of the call.
    #[error("the call needs a task, and none can be made of it")]
    NoTask,
    /// The request that the question belongs to is over. Only seen by what runs apart from its
    /// handler.
    #[error("the request is over")]
    Ended,
    /// Uses and results of tools in the messages for the model do not match.
    #[error("the messages for the model break a rule of the protocol")]
    ToolUse(#[from] ToolUseImbalance),
    /// The system has no random numbers for an id.
    #[error("no random numbers for an id")]
    Random(#[source] getrandom::Error),
    /// The question cannot be written as JSON.
    #[error("the question could not be written")]
    Question(#[source] serde_json::Error),
    /// The client did not answer, or answered with an error.
    #[error("the client did not answer")]
    Call(#[from] CallError),
    /// The answer is not what was asked for.
    #[error("the answer of the client could not be read")]
    Answer(#[source] serde_json::Error),
    /// The answer has the right form and the wrong values.
    #[error("the answer of the client does not fit the question")]
    Unfit,
}

impl AskError {
    /// The error that the protocol has for this, where it has one.
    pub(crate) fn to_error_object(&self) -> Option<ErrorObject> {
        let Self::NotOffered {
            reason: NotNegotiated::Capability { capability, .. },
            version,
        } = self
        else {
            return None;
        };
        if !version.is_stateless() {
            return None;
        }
        // A path of names always decodes.
        let required = ClientCapabilities::deserialize(nested(capability)).unwrap_or_default();
        Some(MissingRequiredClientCapabilityError::new(required).into())
    }
}

/// `a.b` as `{"a":{"b":{}}}`. The id of an extension has dots of its own.
fn nested(path: &str) -> Value {
    let parts: Vec<&str> = match path.strip_prefix("extensions.") {
        Some(id) => vec!["extensions", id],
        None => path.split('.').collect(),
    };
    parts
        .into_iter()
        .rev()
        .fold(Value::Object(Map::new()), |inner, name| {
            Value::Object(Map::from_iter([(name.to_owned(), inner)]))
        })
}
