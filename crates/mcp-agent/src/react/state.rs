//! What an agent knows.

use std::collections::BTreeSet;
use std::sync::Arc;

use mcp_interceptors::{JsonMap, ServerFailure};
use mcp_model::{AssistantMessage, ChatMessage};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::private::Private;
use super::results::ToolResults;
use super::tally::Counting;
use crate::RunOutput;
use crate::state::{Field, Folded, JsonSchema, JsonState, LastInOrder, Messages, MessagesUpdate};

/// Why an agent stopped, if not because the model had nothing more to ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AgentStop {
    /// All calls of a round failed, as often as is allowed.
    AllToolsFailed,
    /// The model was asked as often as is allowed.
    ModelCallLimit,
    /// Tools were called as often as is allowed.
    ToolCallLimit,
}

crate::state! {
    /// What an agent knows.
    pub struct ReactState => ReactUpdate {
        /// The conversation. Each tool call in it has exactly one answer, right behind it.
        messages: Messages,
        /// The results of tools, whole, by call id.
        tool_results: ToolResults,
        /// The server of the last call that was made, while calls are running.
        active_server: LastInOrder<Option<Arc<str>>>,
        /// Why the agent stopped, if not because the model had nothing more to ask for.
        stop_reason: LastInOrder<Option<AgentStop>>,
        /// The servers that could not be used when the run began.
        server_failures: LastInOrder<Vec<ServerFailure>>,
        /// The structured answer of this run, if one was asked for and given.
        structured_response: LastInOrder<Option<Value>>,
        /// How often model and tools were asked, and what it cost.
        tally: Folded<Counting>,
        /// Fields of one's own; tools and layers write them with a command.
        values: Values,
    }
}

/// Fields of an agent's state besides its own.
///
/// Those that were declared have their rules; any other name is a plain value, and of several
/// writes in one step the last in call order wins.
pub type Values = JsonState;

/// No field declared, any name allowed.
pub(crate) fn open_values(schema: JsonSchema) -> Values {
    schema.any_other(LastInOrder::<Value>::default()).build()
}

impl ReactState {
    /// The tool calls of the last round that the model asked for, and how many messages stand
    /// behind it.
    pub(crate) fn last_round(&self) -> Option<(&AssistantMessage, usize)> {
        let newest_first = self.messages.iter().rev().enumerate();
        newest_first
            .map_while(|(behind, message)| match &**message {
                ChatMessage::Assistant(asking) => Some(Some((asking, behind))),
                ChatMessage::Tool(_) | ChatMessage::User(_) | ChatMessage::System(_) => Some(None),
                _ => None,
            })
            .flatten()
            .next()
    }

    /// What was said last: the model's words, or, where a tool's result is the answer, that.
    /// Empty if nothing was said.
    #[must_use]
    pub fn answer(&self) -> String {
        if let Some(ChatMessage::Tool(answer)) = self.messages.last().map(|last| &**last) {
            return answer.text();
        }
        let last = self.last_round();
        last.map_or_else(String::new, |(message, _)| message.text())
    }

    /// A field that only the program writes; see [`ReactBuilder::private_field`].
    ///
    /// [`ReactBuilder::private_field`]: crate::ReactBuilder::private_field
    #[must_use]
    pub fn private<F: Field>(&self, name: &str) -> Option<&F> {
        self.values.field::<Private<F>>(name).map(|field| &**field)
    }

    /// A value of one's own.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<Value> {
        self.values.get(name)
    }
}

impl RunOutput<ReactState> {
    /// What was said last; see [`ReactState::answer`].
    #[must_use]
    pub fn answer(&self) -> String {
        self.state.answer()
    }

    /// Why the agent stopped, if not because the model had nothing more to ask for.
    #[must_use]
    pub fn stop_reason(&self) -> Option<AgentStop> {
        *self.state.stop_reason.get()
    }
}

/// Splits a command's update into the agent's own fields and those of one's own.
pub(crate) fn read_command(
    update: JsonMap,
    private: &BTreeSet<String>,
) -> Result<ReactUpdate, String> {
    let mut own = ReactUpdate::default();
    let mut values = JsonMap::new();
    for (name, value) in update {
        match name.as_str() {
            "messages" => {
                let messages = serde_json::from_value(value);
                own.messages = Some(messages.map_err(|error| format!("messages: {error}"))?);
            }
            "tool_results"
            | "active_server"
            | "stop_reason"
            | "server_failures"
            | "values"
            | "structured_response"
            | "tally" => {
                return Err(format!("{name} cannot be written by a tool"));
            }
            _ if private.contains(&name) => {
                return Err(format!("{name} cannot be written by a tool"));
            }
            _ => {
                values.insert(name, value);
            }
        }
    }
    if !values.is_empty() {
        own.values = Some(values);
    }
    Ok(own)
}

impl From<MessagesUpdate> for ReactUpdate {
    fn from(messages: MessagesUpdate) -> Self {
        Self::default().messages(messages)
    }
}
