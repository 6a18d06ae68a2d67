//! Where an agent goes after its model, and after its tools. Pure: from the state alone.

use std::collections::HashSet;

use mcp_interceptors::Goto;
use mcp_model::{AssistantMessage, ChatMessage};

use super::results::FailureClass;
use super::settings::{Settings, StopAfter};
use super::state::ReactState;
use crate::graph::Targets;

pub(crate) const MODEL: &str = "model";
pub(crate) const TOOLS: &str = "tools";
pub(crate) const STOP: &str = "stop";
pub(crate) const DISPATCH: &str = "dispatch";

/// A task for each call of the model's answer that has none yet. Without calls the agent is at
/// its end; where all are answered already, because they gave the answer in a form that was
/// wanted, it is too if they did well, and else the model tries again.
pub(crate) fn after_model(state: &ReactState, (entry, exit): (&str, &Goto)) -> Targets {
    let Some((asking, behind)) = state
        .last_round()
        .filter(|(round, _)| !round.tool_calls.is_empty())
    else {
        return exit.clone().into();
    };
    let later = state.messages.iter().rev().take(behind);
    let answered: HashSet<&str> = later
        .filter_map(|message| match &**message {
            ChatMessage::Tool(answer) => Some(answer.tool_call_id.as_str()),
            _ => None,
        })
        .collect();
    let calls = asking.tool_calls.iter().enumerate();
    let open = calls.filter(|(_, call)| !answered.contains(call.id.as_str()));
    let sends: Targets = open.map(|(index, _)| Goto::send(TOOLS, index)).collect();
    match (sends.is_empty(), state.structured_response.is_some()) {
        (false, _) => sends,
        (true, true) => exit.clone().into(),
        (true, false) => entry.into(),
    }
}

/// To the next round; to the end if the answer is there; to a stop if it is enough.
pub(crate) fn after_tools(
    state: &ReactState,
    settings: &Settings,
    (entry, exit): (&str, &Goto),
) -> Targets {
    if state.structured_response.is_some() || is_direct(state, settings) {
        return exit.clone().into();
    }
    let limited = settings.limits.has_tools() && settings.limits.ends_after(state).is_some();
    if limited || too_many_failed(state, settings.stop_after) {
        return STOP.into();
    }
    entry.into()
}

/// Whether every result of the last round is an answer by itself.
fn is_direct(state: &ReactState, settings: &Settings) -> bool {
    let Some((asking, _)) = state.last_round().filter(|_| !settings.direct.is_empty()) else {
        return false;
    };
    asking.tool_calls.iter().all(|call| {
        let failed = || state.tool_results.get(&call.id).is_some_and(|r| r.is_error);
        settings.direct.contains(&call.name) && !failed()
    })
}

fn too_many_failed(state: &ReactState, stop: StopAfter) -> bool {
    let outside = |class| class == FailureClass::Outside;
    let limits = [
        (stop.outside, failed_rounds(state, stop.outside, outside)),
        (stop.any, failed_rounds(state, stop.any, |_| true)),
    ];
    let over = |(limit, failed): &(u32, u32)| *limit > 0 && failed >= limit;
    limits.iter().any(over)
}

/// How many of the last rounds failed in every call with such a failure; counts to `limit`.
fn failed_rounds(state: &ReactState, limit: u32, counts: impl Fn(FailureClass) -> bool) -> u32 {
    let mut failed = 0;
    // What a tool's command wrote behind the answers of the last round is no new question.
    let behind = state.last_round().map_or(0, |(_, behind)| behind);
    for message in state.messages.iter().rev().skip(behind) {
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
