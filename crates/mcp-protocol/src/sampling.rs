//! Sampling: a server uses the client's model.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Extra, Meta, RequestMeta, Role, TaskMetadata, Tool, encode};

mod balance;
mod content;
mod preferences;
mod tool_content;

pub use balance::ToolUseImbalance;
pub use content::{SamplingContent, SamplingMessageContentBlock};
pub use preferences::{IncludeContext, ModelHint, ModelPreferences, ToolChoice, ToolChoiceMode};
pub use tool_content::{ToolResultContent, ToolUseContent};

request! {
    /// `sampling/createMessage`: asks a client to let its model speak. Since 2026-07-28 only
    /// inside of an input-required result, and deprecated.
    ///
    /// Specification: Sampling (all revisions).
    CreateMessage = "sampling/createMessage": CreateMessageParams => CreateMessageResult
}

/// Params of [`CreateMessage`] (`CreateMessageRequestParams`).
///
/// The client may change any of it, and asks its user first.
/// Specification: Sampling, Creating Messages (all revisions).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct CreateMessageParams {
    /// The conversation so far.
    pub messages: Vec<SamplingMessage>,
    /// What kind of model is wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_preferences: Option<ModelPreferences>,
    /// The system prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// Whose context the client adds. Anything but `none` needs the capability
    /// `sampling.context` since 2025-11-25, and is deprecated in 2026-07-28.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_context: Option<IncludeContext>,
    /// How freely the model chooses.
    #[serde(
        serialize_with = "encode::optional_number",
        skip_serializing_if = "Option::is_none"
    )]
    pub temperature: Option<f64>,
    /// The most tokens that the model may write. The client must keep to it.
    pub max_tokens: u64,
    /// Where the model stops.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_sequences: Option<Vec<String>>,
    /// What the provider of the model is given besides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// Tools that the model may use. Since 2025-11-25, needs `sampling.tools`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<Tool>>,
    /// Whether it must use them. Since 2025-11-25, needs `sampling.tools`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<ToolChoice>,
    /// Asks for a task. 2025-11-25 only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskMetadata>,
    /// What travels beside the params. Until 2025-11-25.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl CreateMessageParams {
    /// Asks for an answer of at most so many tokens.
    #[must_use]
    pub fn new(messages: Vec<SamplingMessage>, max_tokens: u64) -> Self {
        Self {
            messages,
            model_preferences: None,
            system_prompt: None,
            include_context: None,
            temperature: None,
            max_tokens,
            stop_sequences: None,
            metadata: None,
            tools: None,
            tool_choice: None,
            task: None,
            meta: None,
            extra: Extra::new(),
        }
    }

    /// Checks that each use of a tool is answered by the next message, and by nothing else.
    ///
    /// # Errors
    /// Which message breaks the rule. A client answers such a request by `-32602`.
    pub fn check_tool_uses(&self) -> Result<(), ToolUseImbalance> {
        balance::check(&self.messages)
    }
}

setters!(CreateMessageParams {
    with_model_preferences(model_preferences: ModelPreferences),
    with_system_prompt(system_prompt: String),
    with_include_context(include_context: IncludeContext),
    with_temperature(temperature: f64),
    with_stop_sequences(stop_sequences: Vec<String>),
    with_metadata(metadata: Map<String, Value>),
    with_tools(tools: Vec<Tool>),
    with_tool_choice(tool_choice: ToolChoice),
    with_task(task: TaskMetadata),
    with_meta(meta: RequestMeta),
});
has_meta!(CreateMessageParams);

/// One message of a conversation with a model.
///
/// Specification: Sampling, Messages (all revisions).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct SamplingMessage {
    /// Who speaks.
    pub role: Role,
    /// What they say: one block, or since 2025-11-25 a list of blocks.
    pub content: SamplingContent,
    /// Since 2025-11-25.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl SamplingMessage {
    /// A message.
    pub fn new(role: Role, content: impl Into<SamplingContent>) -> Self {
        Self {
            role,
            content: content.into(),
            meta: None,
            extra: Extra::new(),
        }
    }

    /// A message by the user.
    pub fn user(content: impl Into<SamplingContent>) -> Self {
        Self::new(Role::User, content)
    }

    /// A message by the model.
    pub fn assistant(content: impl Into<SamplingContent>) -> Self {
        Self::new(Role::Assistant, content)
    }
}

setters!(SamplingMessage { with_meta(meta: Meta) });

/// Result of [`CreateMessage`].
///
/// Specification: Sampling, Creating Messages (all revisions).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct CreateMessageResult {
    /// Who speaks: the model.
    pub role: Role,
    /// What it says: one block, or since 2025-11-25 a list of blocks.
    pub content: SamplingContent,
    /// Which model spoke.
    pub model: String,
    /// Why it stopped, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<StopReason>,
    /// What travels beside the result.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl CreateMessageResult {
    /// What a model said.
    pub fn new(model: impl Into<String>, content: impl Into<SamplingContent>) -> Self {
        Self {
            role: Role::Assistant,
            content: content.into(),
            model: model.into(),
            stop_reason: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

setters!(CreateMessageResult {
    with_stop_reason(stop_reason: StopReason),
    with_meta(meta: Meta),
});

open_enum! {
    /// Why a model stopped. Providers have reasons of their own.
    ///
    /// Specification: Sampling, `CreateMessageResult` (all revisions).
    StopReason {
        /// It had said all.
        EndTurn = "endTurn",
        /// It wrote a stop sequence.
        StopSequence = "stopSequence",
        /// It had written as many tokens as it may.
        MaxTokens = "maxTokens",
        /// It wants to use a tool. Since 2025-11-25.
        ToolUse = "toolUse",
    }
}
