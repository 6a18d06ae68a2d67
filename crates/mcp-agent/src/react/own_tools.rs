//! The tools that are the agent's own: reading cut results, and giving a structured answer.

use mcp_interceptors::{JsonMap, ToolMessage};
use mcp_model::AssistantMessage;
use serde_json::Value;

use super::reader;
use super::response::ResponseFormat;
use super::settings::Settings;
use super::state::ReactState;

/// What a tool of the agent's own gave.
pub(crate) struct Own {
    pub(crate) message: ToolMessage,
    /// The structured answer.
    pub(crate) response: Option<Value>,
}

impl Settings {
    /// Whether a tool is the agent's own. Its results are neither cut nor kept.
    pub(crate) fn is_own(&self, name: &str) -> bool {
        (self.truncate.is_some() && name == reader::NAME)
            || (self.response.is_some() && name == ResponseFormat::TOOL)
    }

    /// Carries out a call of a tool of the agent's own.
    pub(crate) fn call_own(&self, name: &str, state: &ReactState, args: JsonMap) -> Own {
        let of = |message| Own {
            message,
            response: None,
        };
        let Some(format) = self
            .response
            .as_ref()
            .filter(|_| name == ResponseFormat::TOOL)
        else {
            return of(reader::read(&state.tool_results, args));
        };
        if state
            .last_round()
            .is_some_and(|(round, _)| answers(round) > 1)
        {
            return of(ToolMessage::error(
                "give one answer, in one call; none was taken",
            ));
        }
        match format.read(args) {
            Ok(value) => Own {
                message: ToolMessage::text("The answer was taken."),
                response: Some(value),
            },
            Err(error) => of(ToolMessage::error(format!(
                "the answer does not fit its form: {error}. Please call the tool again."
            ))),
        }
    }
}

fn answers(round: &AssistantMessage) -> usize {
    let calls = round.tool_calls.iter();
    calls
        .filter(|call| call.name == ResponseFormat::TOOL)
        .count()
}
