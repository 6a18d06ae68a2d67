//! The node that ends a run in which nothing works.

use std::sync::Arc;

use mcp_model::ChatMessage;

use super::state::{AgentStop, ReactState, ReactUpdate};
use crate::Runtime;
use crate::graph::NodeError;
use crate::stream::{Interest, RunEvent};

/// Says which calls failed and why, and ends the run.
pub(crate) async fn stop(
    state: Arc<ReactState>,
    runtime: Runtime,
) -> Result<ReactUpdate, NodeError> {
    let mut text = "I stopped because every tool call failed:".to_owned();
    let calls = state.last_round().map(|(asking, _)| &asking.tool_calls);
    for call in calls.into_iter().flatten() {
        let result = state.tool_results.get(&call.id);
        let reason = result.map(|result| result.text()).unwrap_or_default();
        let reason: String = reason
            .lines()
            .next()
            .unwrap_or_default()
            .chars()
            .take(500)
            .collect();
        text.push_str(&format!("\n- {}: {reason}", call.name));
    }
    let message = Arc::new(ChatMessage::assistant(text));
    runtime.emit(Interest::MESSAGES, || RunEvent::Message {
        message: Arc::clone(&message),
    });
    Ok(ReactUpdate::default()
        .messages(message)
        .stop_reason(AgentStop::AllToolsFailed))
}
