//! What a model answers.

use serde::{Deserialize, Serialize};

use crate::{AssistantMessage, Usage};

/// A model's answer.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ChatResponse {
    /// What it says and which tools it asks for.
    pub message: AssistantMessage,
    /// Why it stopped.
    pub stop: StopReason,
    /// What it cost, where the provider says so.
    pub usage: Usage,
    /// The model that answered, where the provider says so.
    pub model: Option<String>,
}

impl ChatResponse {
    /// An answer that ends as such a message ends: with tool calls or without.
    #[must_use]
    pub fn new(message: AssistantMessage) -> Self {
        let stop = if message.tool_calls.is_empty() {
            StopReason::EndTurn
        } else {
            StopReason::ToolUse
        };
        Self {
            message,
            stop,
            ..Self::default()
        }
    }

    /// The same answer with another reason for its end.
    #[must_use]
    pub fn with_stop(mut self, stop: StopReason) -> Self {
        self.stop = stop;
        self
    }

    /// The same answer with its cost.
    #[must_use]
    pub const fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }
}

/// Why a model stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StopReason {
    /// It has said what it wanted to say.
    #[default]
    EndTurn,
    /// It waits for the tools that it asked for.
    ToolUse,
    /// The answer reached the limit of its length; it may be cut anywhere.
    MaxTokens,
    /// The provider withheld the answer, or a part of it.
    ContentFilter,
    /// The model declined to answer.
    Refusal,
    /// Another reason, in the provider's words.
    Other(String),
}
