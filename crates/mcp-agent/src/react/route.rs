//! Where an agent goes after its model, and after its tools. Pure: from the state alone.

use mcp_interceptors::Goto;
use mcp_model::{AssistantMessage, ChatMessage};

use super::results::FailureClass;
use super::settings::StopAfter;
use super::state::ReactState;
use crate::graph::Targets;

pub(crate) const MODEL: &str = "model";
pub(crate) const TOOLS: &str = "tools";
pub(crate) const STOP: &str = "stop";

/// A task for each call of the model's answer; without calls the run ends.
pub(crate) fn after_model(state: &ReactState) -> Targets {
    let calls = match state.last_round() {
        Some((asking, 0)) => asking.tool_calls.len(),
        _ => 0,
    };
    let send = |index: usize| Goto::Send {
        node: TOOLS.to_owned(),
        input: index.into(),
    };
    (0..calls).map(send).collect::<Vec<_>>().into()
}

/// Back to the model, or to the end if too many rounds failed.
pub(crate) fn after_tools(state: &ReactState, stop: StopAfter) -> Targets {
    let outside = |class| class == FailureClass::Outside;
    let limits = [
        (stop.outside, failed_rounds(state, stop.outside, outside)),
        (stop.any, failed_rounds(state, stop.any, |_| true)),
    ];
    let over = |(limit, failed): &(u32, u32)| *limit > 0 && failed >= limit;
    if limits.iter().any(over) { STOP } else { MODEL }.into()
}

/// How many of the last rounds failed in every call with such a failure; counts to `limit`.
fn failed_rounds(state: &ReactState, limit: u32, counts: impl Fn(FailureClass) -> bool) -> u32 {
    let mut failed = 0;
    for message in state.messages.iter().rev() {
        if failed >= limit {
            break;
        }
        match &**message {
            ChatMessage::Tool(_) | ChatMessage::System(_) => {}
            ChatMessage::Assistant(asking) if !asking.tool_calls.is_empty() => {
                if !all_failed(state, asking, &counts) {
                    break;
                }
                failed += 1;
            }
            _ => break,
        }
    }
    failed
}

fn all_failed(
    state: &ReactState,
    asking: &AssistantMessage,
    counts: impl Fn(FailureClass) -> bool,
) -> bool {
    asking.tool_calls.iter().all(|call| {
        let class = state.tool_results.get(&call.id).and_then(|r| r.failure);
        class.is_some_and(|class| class != FailureClass::Refused && counts(class))
    })
}
