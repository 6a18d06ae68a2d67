//! What an agent's run begins with.

use mcp_model::ChatMessage;

use super::state::ReactUpdate;
use crate::graph::Input;
use crate::state::MessagesUpdate;

/// What an agent's run begins with: a text, messages, an update of its state, or an [`Input`]
/// to answer questions and to continue.
#[derive(Debug)]
pub struct AgentInput(pub(crate) Input<ReactUpdate>);

impl From<&str> for AgentInput {
    fn from(text: &str) -> Self {
        ChatMessage::user(text).into()
    }
}

impl From<String> for AgentInput {
    fn from(text: String) -> Self {
        ChatMessage::user(text).into()
    }
}

impl From<ChatMessage> for AgentInput {
    fn from(message: ChatMessage) -> Self {
        MessagesUpdate::from(message).into()
    }
}

impl From<Vec<ChatMessage>> for AgentInput {
    fn from(messages: Vec<ChatMessage>) -> Self {
        MessagesUpdate::from(messages).into()
    }
}

impl From<MessagesUpdate> for AgentInput {
    fn from(messages: MessagesUpdate) -> Self {
        ReactUpdate::default().messages(messages).into()
    }
}

impl From<ReactUpdate> for AgentInput {
    fn from(update: ReactUpdate) -> Self {
        Self(Input::Update(update))
    }
}

impl From<Input<ReactUpdate>> for AgentInput {
    fn from(input: Input<ReactUpdate>) -> Self {
        Self(input)
    }
}
