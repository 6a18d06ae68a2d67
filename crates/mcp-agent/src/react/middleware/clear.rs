//! Old results out of the conversation.

use std::sync::Arc;

use mcp_model::{ChatMessage, ToolAnswer, ToolUse};
use mcp_protocol::ContentBlock;

use super::summarise::Trigger;
use crate::react::{HookOutput, Middleware, ReactBuilder, ReactState, ReactUpdate, When};
use crate::state::{MessageUpdate, MessagesUpdate};

/// Replaces the text of old tool results in the conversation by a short note when it gets long.
/// The results stay whole under `tool_results`, where `read_tool_result` finds them, and every
/// call keeps its answer.
#[derive(Clone, Copy, Debug)]
pub struct ClearToolResults {
    trigger: Trigger,
    keep: usize,
}

impl ClearToolResults {
    /// Clears when the trigger says so, all but the last `keep` results.
    #[must_use]
    pub const fn new(trigger: Trigger, keep: usize) -> Self {
        Self { trigger, keep }
    }

    fn clear(&self, state: &ReactState) -> MessagesUpdate {
        let named = state.messages.ids().iter().zip(state.messages.iter());
        let answers: Vec<_> = named
            .filter_map(|(id, message)| match &**message {
                ChatMessage::Tool(answer) => Some((id, answer)),
                _ => None,
            })
            .collect();
        let old = answers.len().saturating_sub(self.keep);
        let cleared = answers.into_iter().take(old).filter_map(|(id, answer)| {
            let id = id.clone();
            let short = note(answer)?;
            Some(MessageUpdate::Put(Some(id), Arc::new(short)))
        });
        cleared.collect()
    }
}

/// The note in place of a result. `None` where the result is no longer than that.
fn note(answer: &ToolAnswer) -> Option<ChatMessage> {
    let id = &answer.tool_call_id;
    let text = format!("[cleared; read_tool_result(tool_call_id=\"{id}\") has the result]");
    let long = match answer.content.as_slice() {
        [] => false,
        [ContentBlock::Text(only)] => only.text.len() > text.len(),
        _ => true,
    };
    let call = ToolUse::new(id, &answer.name, "");
    long.then(|| {
        let content = vec![ContentBlock::text(text)];
        ChatMessage::Tool(ToolAnswer::new(&call, content, answer.is_error))
    })
}

impl Middleware for ClearToolResults {
    fn install(self, agent: ReactBuilder) -> ReactBuilder {
        let hook = move |state: Arc<ReactState>, _| async move {
            if !self.trigger.is_hit(&state) {
                return Ok(HookOutput::none());
            }
            let cleared = self.clear(&state);
            if cleared.items().is_empty() {
                return Ok(HookOutput::none());
            }
            Ok(ReactUpdate::default().messages(cleared).into())
        };
        agent.hook(When::BeforeModel, "clear_tool_results", hook)
    }
}
