//! Results that ask for input first, and calls that bring it: 2026-07-28.

use serde::{Deserialize, Serialize};

use crate::prompts::GetPrompt;
use crate::resources::ReadResource;
use crate::tools::CallTool;
use crate::{Extra, Meta, ResultType, RpcRequest as _};

mod answer;
mod requests;
mod responses;

pub use answer::{Answer, AnswerError};
pub use requests::{InputRequest, InputRequests};
pub use responses::InputResponses;

/// The result of a call that needs input before it can go on.
///
/// It answers `tools/call`, `prompts/get` or `resources/read` and nothing else. The client
/// fulfils every request and calls again, with a new id and the same params, plus the answers
/// and the state. It has at least one of the two: without requests, the client just calls again.
///
/// Specification: Multi Round-Trip Requests. Since 2026-07-28.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct InputRequiredResult {
    /// `input_required`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
    /// What the server asks, by keys of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_requests: Option<InputRequests>,
    /// What the server wants back, byte for byte. Opaque to the client; to the server it comes
    /// back from outside, so it is worth no more than its signature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_state: Option<String>,
    /// What travels beside the result.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl InputRequiredResult {
    /// Asks these requests.
    #[must_use]
    pub fn new(input_requests: InputRequests) -> Self {
        Self {
            input_requests: Some(input_requests),
            ..Self::again()
        }
    }

    /// Asks for the same call again, later; give it a state.
    #[must_use]
    pub fn again() -> Self {
        Self {
            result_type: Some(ResultType::InputRequired),
            ..Self::default()
        }
    }

    /// Whether it has neither requests nor a state, which no server may send.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.input_requests.is_none() && self.request_state.is_none()
    }

    /// Whether a method may be answered by such a result.
    #[must_use]
    pub fn may_answer(method: &str) -> bool {
        method == &*CallTool::METHOD
            || method == &*GetPrompt::METHOD
            || method == &*ReadResource::METHOD
    }
}

setters!(InputRequiredResult {
    with_request_state(request_state: String),
    with_meta(meta: Meta),
});
server_result!(InputRequiredResult);
