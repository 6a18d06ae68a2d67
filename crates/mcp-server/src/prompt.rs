//! Prompts: what is registered, and what may be returned for one.

use std::fmt;

use mcp_protocol::{ContentBlock, GetPromptResult, Prompt, PromptMessage};

use crate::RequestError;
use crate::handler::Function;

/// A prompt with what makes it.
pub(crate) struct PromptEntry {
    pub(crate) prompt: Prompt,
    pub(crate) handler: Function<GetPromptResult, RequestError>,
}

impl PromptEntry {
    /// The first argument that is required and not among these.
    pub(crate) fn missing(&self, given: impl Fn(&str) -> bool) -> Option<&str> {
        self.prompt
            .arguments
            .iter()
            .flatten()
            .filter(|argument| argument.required == Some(true))
            .map(|argument| &*argument.name)
            .find(|name| !given(name))
    }
}

impl fmt::Debug for PromptEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PromptEntry")
            .field(&self.prompt.name)
            .finish()
    }
}

/// What may be returned for a prompt: text of the user, messages, or a result made by hand.
pub trait IntoPromptResult {
    /// The result.
    fn into_prompt_result(self) -> GetPromptResult;
}

impl IntoPromptResult for GetPromptResult {
    fn into_prompt_result(self) -> GetPromptResult {
        self
    }
}

impl IntoPromptResult for Vec<PromptMessage> {
    fn into_prompt_result(self) -> GetPromptResult {
        GetPromptResult::new(self)
    }
}

impl IntoPromptResult for PromptMessage {
    fn into_prompt_result(self) -> GetPromptResult {
        GetPromptResult::new(vec![self])
    }
}

/// One message of the user.
impl IntoPromptResult for String {
    fn into_prompt_result(self) -> GetPromptResult {
        PromptMessage::user(ContentBlock::text(self)).into_prompt_result()
    }
}

/// One message of the user.
impl IntoPromptResult for &str {
    fn into_prompt_result(self) -> GetPromptResult {
        self.to_owned().into_prompt_result()
    }
}
