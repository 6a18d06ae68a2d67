//! The node that ends a run in which nothing works, or in which enough was tried.

use std::fmt::Write as _;
use std::sync::Arc;

use mcp_model::ChatMessage;

use super::settings::Settings;
use super::state::{AgentStop, ReactState, ReactUpdate};

/// Says why the agent ends.
pub(crate) fn stop(settings: &Settings, state: &ReactState) -> ReactUpdate {
    let (text, reason) = match settings.limits.ends_after(state) {
        Some(reached) => (
            format!("I stopped: {}.", reached.what),
            AgentStop::ToolCallLimit,
        ),
        None => (all_failed(state), AgentStop::AllToolsFailed),
    };
    let message = Arc::new(ChatMessage::assistant(text));
    ReactUpdate::default().messages(message).stop_reason(reason)
}

/// Names each call of the last round with its reason, at most 500 characters of it.
fn all_failed(state: &ReactState) -> String {
    let mut text = "I stopped because every tool call failed:".to_owned();
    let calls = state.last_round().map(|(asking, _)| &asking.tool_calls);
    for call in calls.into_iter().flatten() {
        let result = state.tool_results.get(&call.id);
        let reason = result.map(|result| result.text()).unwrap_or_default();
        let line = reason.lines().next().unwrap_or_default();
        let line: String = line.chars().take(500).collect();
        // Writing into a string does not fail.
        let _ = write!(text, "\n- {}: {line}", call.name);
    }
    text
}
