//! What lies before the planner: the question, the tools, the results so far.

use mcp_protocol::ContentBlock;
use serde_json::{Map, Value};

use super::question::Question;
use super::whole;
use crate::{ChatMessage, ChatRequest, ToolChoice, ToolSpec};

/// What the planner does next.
#[derive(Debug, PartialEq)]
pub(crate) enum Action {
    /// Ask for these tools, with these arguments.
    Call(Vec<(String, Map<String, Value>)>),
    /// Say this.
    Answer(String),
}

/// A tool call of this turn with its answer.
#[derive(Debug)]
pub(crate) struct Seen {
    /// The call's id.
    pub(crate) id: String,
    /// The tool that was called.
    pub(crate) tool: String,
    /// Its arguments.
    pub(crate) arguments: Map<String, Value>,
    /// The first text of its answer.
    pub(crate) first: String,
    /// What it answered, as far as the conversation holds it.
    pub(crate) text: String,
    /// Whether the call failed.
    pub(crate) is_error: bool,
    /// Whether the text is less than what the tool answered.
    pub(crate) is_cut: bool,
}

impl Seen {
    /// The answer as JSON, if it is JSON.
    pub(crate) fn json(&self) -> Option<Value> {
        serde_json::from_str(&self.text).ok()
    }
}

/// Everything that the planner decides from.
#[derive(Debug)]
pub(crate) struct Desk<'a> {
    /// The person's last question.
    pub(crate) question: Question,
    /// The tools on offer.
    pub(crate) tools: &'a [ToolSpec],
    /// The calls since the question, in order; those that only read results to their end aside.
    pub(crate) seen: Vec<Seen>,
    /// What is missing of results that are cut: the arguments of calls that read it.
    pub(crate) unread: Vec<Map<String, Value>>,
    /// The calls in the whole conversation; the next call's number.
    pub(crate) calls: usize,
    /// The model's messages since the question.
    pub(crate) rounds: usize,
}

impl<'a> Desk<'a> {
    /// Reads a request.
    pub(crate) fn lay_out(request: &'a ChatRequest) -> Self {
        let is_user = |message: &ChatMessage| matches!(message, ChatMessage::User(_));
        let asked = request.messages.iter().rposition(|m| is_user(m));
        let text = request.messages.last_user().map(ChatMessage::text);
        let turn = request
            .messages
            .get(asked.unwrap_or_default()..)
            .unwrap_or_default();
        let tools: &[ToolSpec] = match request.tool_choice {
            ToolChoice::None => &[],
            _ => &request.tools,
        };
        let mut seen = seen(turn.iter().map(|message| &**message));
        let mut unread = whole::complete(&mut seen);
        if !tools.iter().any(|tool| tool.name == whole::READER) {
            unread.clear();
        }
        Self {
            question: Question::read(text.as_deref().unwrap_or_default()),
            tools,
            seen,
            unread,
            calls: request.messages.iter().map(|m| calls_of(m)).sum(),
            rounds: turn.iter().filter(|m| calls_of(m) > 0).count(),
        }
    }

    /// The last call of a tool that did not fail, or else the last that did.
    pub(crate) fn result_of(&self, tool: &str) -> Option<&Seen> {
        self.last(|seen| seen.tool == tool)
    }

    /// The same of the calls with these arguments.
    pub(crate) fn result_with(&self, tool: &str, arguments: &Map<String, Value>) -> Option<&Seen> {
        self.last(|seen| seen.tool == tool && seen.arguments == *arguments)
    }

    fn last(&self, is_meant: impl Fn(&Seen) -> bool) -> Option<&Seen> {
        let mut newest_first = self.seen.iter().rev().filter(|seen| is_meant(seen));
        let newest = newest_first.clone().next();
        newest_first.find(|seen| !seen.is_error).or(newest)
    }
}

fn calls_of(message: &ChatMessage) -> usize {
    match message {
        ChatMessage::Assistant(message) => message.tool_calls.len(),
        _ => 0,
    }
}

/// Joins calls with their answers. A call without an answer is left out.
fn seen<'m>(turn: impl Iterator<Item = &'m ChatMessage>) -> Vec<Seen> {
    let mut open = Vec::new();
    let mut done = Vec::new();
    for message in turn {
        match message {
            ChatMessage::Assistant(message) => open.extend(&message.tool_calls),
            ChatMessage::Tool(answer) => {
                let call = open.iter().position(|call| call.id == answer.tool_call_id);
                let Some(call) = call.map(|at| open.remove(at)) else {
                    continue;
                };
                done.push(Seen {
                    id: call.id.clone(),
                    tool: call.name.clone(),
                    arguments: call.parsed_arguments().unwrap_or_default(),
                    first: first_text(&answer.content),
                    text: answer.text(),
                    is_error: answer.is_error,
                    is_cut: false,
                });
            }
            _ => {}
        }
    }
    done
}

fn first_text(content: &[ContentBlock]) -> String {
    let mut texts = content.iter().filter_map(ContentBlock::as_text);
    texts.next().unwrap_or_default().to_owned()
}
