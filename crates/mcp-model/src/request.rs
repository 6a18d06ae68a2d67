//! What a model is asked.

use std::sync::Arc;

use mcp_protocol::{Tool, ToolAnnotations};
use serde_json::Value;

use crate::{ChatMessage, ToolChoice, Transcript};

/// One question to a model: the conversation so far and the tools it may ask for.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ChatRequest {
    /// Instructions that go before the conversation and are no part of it.
    pub system: Option<Arc<str>>,
    /// The conversation, oldest message first.
    pub messages: Transcript,
    /// The tools on offer. Built once and shared.
    pub tools: Arc<[ToolSpec]>,
    /// Whether the model must, may or must not ask for tools.
    pub tool_choice: ToolChoice,
    /// The most tokens that the answer may have; the provider's own limit if `None`.
    pub max_tokens: Option<u32>,
    /// How freely the model chooses its words; the provider's default if `None`.
    pub temperature: Option<f32>,
    /// The form that the words of the answer must have; for models that
    /// [can](crate::ChatModel::takes_answer_schema).
    pub answer_schema: Option<Arc<AnswerSchema>>,
}

impl ChatRequest {
    /// A request with this conversation and nothing else.
    #[must_use]
    pub fn new(messages: Transcript) -> Self {
        Self {
            messages,
            ..Self::default()
        }
    }

    /// A conversation that is one question.
    #[must_use]
    pub fn question(text: impl Into<String>) -> Self {
        Self::new([ChatMessage::user(text)].into_iter().collect())
    }

    /// The same request with instructions before the conversation.
    #[must_use]
    pub fn with_system(mut self, text: impl Into<Arc<str>>) -> Self {
        self.system = Some(text.into());
        self
    }

    /// The same request with these tools on offer.
    #[must_use]
    pub fn with_tools(mut self, tools: impl Into<Arc<[ToolSpec]>>) -> Self {
        self.tools = tools.into();
        self
    }

    /// The same request with another rule about tools.
    #[must_use]
    pub fn with_tool_choice(mut self, choice: ToolChoice) -> Self {
        self.tool_choice = choice;
        self
    }
}

/// The form of an answer: JSON that a schema describes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AnswerSchema {
    /// What it is called: `^[A-Za-z0-9_-]{1,64}$`.
    pub name: String,
    /// The JSON Schema, an object schema.
    pub schema: Value,
}

impl AnswerSchema {
    /// A form of this name.
    #[must_use]
    pub fn new(name: impl Into<String>, schema: Value) -> Self {
        Self {
            name: name.into(),
            schema,
        }
    }
}

/// A tool as a model sees it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ToolSpec {
    /// The name that the model calls it by: `^[A-Za-z0-9_-]{1,64}$` suits every provider.
    pub name: String,
    /// What it does.
    pub description: Option<String>,
    /// The JSON Schema of its arguments, an object schema.
    pub input_schema: Value,
    /// What the server says about its effects. Hints, never a promise.
    pub annotations: Option<ToolAnnotations>,
}

impl ToolSpec {
    /// A tool with this name and schema.
    #[must_use]
    pub fn new(name: impl Into<String>, input_schema: Value) -> Self {
        Self {
            name: name.into(),
            description: None,
            input_schema,
            annotations: None,
        }
    }

    /// A server's tool under the name that the model is to call it by.
    #[must_use]
    pub fn of_tool(name: impl Into<String>, tool: &Tool) -> Self {
        Self {
            name: name.into(),
            description: tool.description.clone().or_else(|| tool.title.clone()),
            input_schema: tool.input_schema.clone(),
            annotations: tool.annotations.clone(),
        }
    }

    /// The same tool with a description.
    #[must_use]
    pub fn with_description(mut self, text: impl Into<String>) -> Self {
        self.description = Some(text.into());
        self
    }
}
