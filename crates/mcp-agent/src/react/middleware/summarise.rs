//! A summary in place of the beginning of a long conversation.

use std::sync::Arc;

use mcp_model::{ChatMessage, ChatModel, ChatRequest, ToolChoice, Transcript};

use crate::graph::NodeError;
use crate::react::{HookOutput, Middleware, ReactBuilder, ReactState, ReactUpdate, When};
use crate::state::{MessageUpdate, MessagesUpdate};

/// When a conversation is too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Trigger {
    /// More messages than this.
    Messages(usize),
    /// More tokens than this, where four bytes of text count as one.
    Tokens(u64),
}

impl Trigger {
    /// More than a share of what the model can take, in percent of its window in tokens.
    #[must_use]
    pub const fn share(window: u64, percent: u8) -> Self {
        Self::Tokens(window / 100 * percent as u64)
    }

    pub(super) fn is_hit(self, state: &ReactState) -> bool {
        match self {
            Self::Messages(limit) => state.messages.len() > limit,
            Self::Tokens(limit) => tokens(state) > limit,
        }
    }
}

/// About how many tokens the conversation has.
fn tokens(state: &ReactState) -> u64 {
    let bytes = state.messages.iter().map(|message| match &**message {
        ChatMessage::Assistant(asking) => {
            let calls = asking.tool_calls.iter().map(|call| call.arguments.len());
            asking.text().len() + calls.sum::<usize>()
        }
        other => other.text().len(),
    });
    u64::try_from(bytes.sum::<usize>() / 4).unwrap_or(u64::MAX)
}

/// Replaces the beginning of a conversation that gets too long by a summary that a model makes
/// of it. A call and its answers are never separated.
#[derive(Clone, Debug)]
pub struct Summarise {
    model: Arc<dyn ChatModel>,
    trigger: Trigger,
    keep: usize,
    prompt: Arc<str>,
}

const PROMPT: &str = "Summarise the conversation so far for the one who continues it: what was \
                      asked, what was found out, what was decided, what is left to do. Keep \
                      names, numbers and quotations exact. Answer with the summary alone.";

impl Summarise {
    /// Summarises with this model when the trigger says so, all but the last 20 messages.
    pub fn new(model: Arc<dyn ChatModel>, trigger: Trigger) -> Self {
        Self {
            model,
            trigger,
            keep: 20,
            prompt: PROMPT.into(),
        }
    }

    /// How many of the last messages stay as they are, at least.
    #[must_use]
    pub const fn keep(mut self, messages: usize) -> Self {
        self.keep = messages;
        self
    }

    /// What the model is told to do.
    #[must_use]
    pub fn prompt(mut self, prompt: impl Into<Arc<str>>) -> Self {
        self.prompt = prompt.into();
        self
    }

    async fn run(&self, state: &ReactState) -> Result<HookOutput, NodeError> {
        let cut = cut(&state.messages, self.keep);
        if cut == 0 || !self.trigger.is_hit(state) {
            return Ok(HookOutput::none());
        }
        let old: Transcript = state.messages.iter().take(cut).cloned().collect();
        let mut messages = old;
        messages.push(ChatMessage::user(self.prompt.as_ref()));
        let mut request = ChatRequest::new(messages);
        request.tool_choice = ToolChoice::None;
        let summary = self.model.generate(request).await?.message.text();
        let text = format!("Summary of the conversation so far:\n{summary}");
        let mut written = MessagesUpdate::default()
            .and(MessageUpdate::RemoveAll)
            .and(ChatMessage::user(text));
        written.append(state.messages.since(cut));
        Ok(ReactUpdate::default().messages(written).into())
    }
}

/// Where the part that stays begins: at least `keep` messages before the end, and never between
/// a call and its answers.
fn cut(messages: &[Arc<ChatMessage>], keep: usize) -> usize {
    let latest = messages.len().saturating_sub(keep);
    let from = messages.iter().take(latest + 1).enumerate().rev();
    let mut fit = from.filter(|(_, message)| !matches!(***message, ChatMessage::Tool(_)));
    fit.next().map_or(0, |(index, _)| index)
}

impl Middleware for Summarise {
    fn install(self, agent: ReactBuilder) -> ReactBuilder {
        let this = Arc::new(self);
        agent.hook(When::BeforeModel, "summarise", move |state, _| {
            let this = Arc::clone(&this);
            async move { this.run(&state).await }
        })
    }
}

#[cfg(test)]
mod tests {
    use mcp_model::{AssistantMessage, ToolAnswer, ToolUse};

    use super::*;

    #[test]
    fn a_cut_never_comes_between_a_call_and_its_answers() {
        let call = ToolUse::new("1", "t", "");
        let asks = AssistantMessage::new(Vec::new(), vec![call.clone(), call.clone()]);
        let answer = || ChatMessage::Tool(ToolAnswer::new(&call, Vec::new(), false));
        let messages: Vec<Arc<ChatMessage>> = [
            ChatMessage::user("a"),
            ChatMessage::Assistant(asks),
            answer(),
            answer(),
            ChatMessage::user("b"),
        ]
        .into_iter()
        .map(Arc::new)
        .collect();
        let cuts: Vec<usize> = (0..7).map(|keep| cut(&messages, keep)).collect();
        assert_eq!(cuts, [4, 4, 1, 1, 1, 0, 0]);
    }
}
