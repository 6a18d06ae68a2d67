//! What answers a request of 2026-07-28: its result, or one that asks for something first.

use mcp_jsonrpc::RawJson;
use serde::de::DeserializeOwned;

use super::InputRequiredResult;
use crate::{CreateTaskResult, ResultType};

/// What answers a request whose result has a `resultType`.
///
/// Specification: basic protocol, Responses. Since 2026-07-28.
///
/// ```
/// use mcp_jsonrpc::RawJson;
/// use mcp_protocol::{Answer, CallToolResult};
/// let raw = RawJson::parse(r#"{"resultType":"complete","content":[]}"#).unwrap();
/// let answer: Answer<CallToolResult> = Answer::decode(&raw).unwrap();
/// assert!(matches!(answer, Answer::Complete(_)));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Answer<T> {
    /// The result.
    Complete(T),
    /// The server needs input first.
    InputRequired(Box<InputRequiredResult>),
    /// The result comes later: extension `io.modelcontextprotocol/tasks`.
    Task(Box<CreateTaskResult>),
}

impl<T: DeserializeOwned> Answer<T> {
    /// Decodes a result by what its `resultType` says; absent means complete.
    ///
    /// # Errors
    /// If the kind is not known, or the result does not fit its kind.
    pub fn decode(raw: &RawJson) -> Result<Self, AnswerError> {
        // What is wrong with an object that this does not take, its decoding says.
        let [kind] = raw.pick(["resultType"]).unwrap_or_default();
        let kind: Option<ResultType> = match kind {
            None | Some("\"complete\"") => None,
            Some(other) => serde_json::from_str(other).map_err(malformed)?,
        };
        match kind {
            None | Some(ResultType::Complete) => decode(raw).map(Self::Complete),
            Some(ResultType::InputRequired) => {
                let result: InputRequiredResult = decode(raw)?;
                if result.is_empty() {
                    return Err(AnswerError::AsksNothing);
                }
                Ok(Self::InputRequired(Box::new(result)))
            }
            Some(ResultType::Task) => decode(raw).map(Box::new).map(Self::Task),
            Some(ResultType::Other(kind)) => Err(AnswerError::UnknownKind { kind }),
        }
    }
}

fn decode<T: DeserializeOwned>(raw: &RawJson) -> Result<T, AnswerError> {
    raw.decode().map_err(malformed)
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "used as a function of map_err"
)]
fn malformed(error: serde_json::Error) -> AnswerError {
    AnswerError::Malformed {
        detail: error.to_string(),
    }
}

/// A result that is not one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// `resultType` is none that this crate knows.
    #[error("the peer sent a result of the unknown kind `{kind}`")]
    UnknownKind {
        /// The kind.
        kind: String,
    },
    /// An input-required result has neither requests nor a state.
    #[error("the peer asked for input without saying what")]
    AsksNothing,
    /// The result does not fit its kind.
    #[error("the peer sent a result that does not decode: {detail}")]
    Malformed {
        /// What does not fit, and where.
        detail: String,
    },
}
