//! Completion: what suggests values for arguments.

use mcp_protocol::{CompleteParams, Completion};

use crate::RequestError;
use crate::handler::Plain;

/// What completes arguments of prompts and variables of resource templates.
pub(crate) type Completer = Plain<CompleteParams, Completion, RequestError>;

/// What may be returned for a completion: the values, the best first, or a completion made by
/// hand. At most [`Completion::MAX_VALUES`] values are sent.
pub trait IntoCompletion {
    /// The completion.
    fn into_completion(self) -> Completion;
}

impl IntoCompletion for Completion {
    fn into_completion(self) -> Completion {
        self
    }
}

impl IntoCompletion for Vec<String> {
    fn into_completion(self) -> Completion {
        Completion::new(self)
    }
}
