//! Getting a prompt: what is filled in, and the messages that come of it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    ContentBlock, Extra, InputResponses, Meta, ProtocolVersion, RequestMeta, ResultType, Role,
    unique,
};

request! {
    /// `prompts/get`: the messages of a prompt.
    ///
    /// Specification: Prompts, Getting a Prompt (all revisions).
    GetPrompt = "prompts/get": GetPromptParams => GetPromptResult
}

/// Params of [`GetPrompt`] (`GetPromptRequestParams`).
///
/// Specification: Prompts, Getting a Prompt (all revisions).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct GetPromptParams {
    /// Which prompt.
    pub name: String,
    /// What is filled in: strings, by argument. Other values decode, for the server to refuse.
    #[serde(
        default,
        deserialize_with = "unique::optional_object",
        skip_serializing_if = "Option::is_none"
    )]
    pub arguments: Option<Map<String, Value>>,
    /// Answers to what the server asked before. Since 2026-07-28.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_responses: Option<InputResponses>,
    /// What the server wants back, byte for byte. Since 2026-07-28.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_state: Option<String>,
    /// What travels beside the params.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl GetPromptParams {
    /// Asks for a prompt with nothing filled in.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            arguments: None,
            input_responses: None,
            request_state: None,
            meta: None,
            extra: Extra::new(),
        }
    }

    /// The same with one more argument filled in.
    #[must_use]
    pub fn with_argument(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.arguments
            .get_or_insert_default()
            .insert(name.into(), Value::String(value.into()));
        self
    }

    /// What is filled in for an argument, if it is a string.
    #[must_use]
    pub fn argument(&self, name: &str) -> Option<&str> {
        self.arguments.as_ref()?.get(name)?.as_str()
    }
}

setters!(GetPromptParams {
    with_input_responses(input_responses: InputResponses),
    with_request_state(request_state: String),
    with_meta(meta: RequestMeta),
});
has_meta!(GetPromptParams);

/// Result of [`GetPrompt`].
///
/// Specification: Prompts, Getting a Prompt (all revisions).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct GetPromptResult {
    /// The kind of the result. Since 2026-07-28.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
    /// What the prompt is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The messages.
    pub messages: Vec<PromptMessage>,
    /// What travels beside the result.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl GetPromptResult {
    /// A result without description.
    #[must_use]
    pub fn new(messages: Vec<PromptMessage>) -> Self {
        Self {
            messages,
            ..Self::default()
        }
    }

    /// Content of kinds that the revision lacks becomes what it has.
    fn fit_to(&mut self, version: ProtocolVersion) {
        for message in &mut self.messages {
            message.content.fit_to(version);
        }
    }
}

setters!(GetPromptResult {
    with_description(description: String),
    with_meta(meta: Meta),
});
server_result!(GetPromptResult, fit: fit_to);

/// One message of a prompt. Its content is one block in every revision.
///
/// Specification: Prompts, PromptMessage (all revisions).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct PromptMessage {
    /// Who speaks.
    pub role: Role,
    /// What they say.
    pub content: ContentBlock,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl PromptMessage {
    /// A message.
    pub fn new(role: Role, content: impl Into<ContentBlock>) -> Self {
        Self {
            role,
            content: content.into(),
            extra: Extra::new(),
        }
    }

    /// A message by the user.
    pub fn user(content: impl Into<ContentBlock>) -> Self {
        Self::new(Role::User, content)
    }

    /// A message by the model.
    pub fn assistant(content: impl Into<ContentBlock>) -> Self {
        Self::new(Role::Assistant, content)
    }
}
