//! A model without a model: rules instead of weights.

mod desk;
mod effects;
mod fill;
mod parts;
mod plans;
mod question;
mod score;
#[cfg(test)]
mod tests;
mod whole;
mod words;

use serde_json::Value;

use self::desk::{Action, Desk};
use crate::{
    AssistantMessage, BoxFuture, ChatModel, ChatRequest, ChatResponse, ModelError, ToolUse,
};
use mcp_protocol::ContentBlock;

/// Rounds of tool calls after which the planner answers with what it has.
const MAX_ROUNDS: usize = 12;

/// A rule-based planner for use without a key and without a network. It is not a language model.
///
/// It chooses tools by the words that the question shares with their names, descriptions and
/// properties, fills arguments from the schema, the question and earlier results, and makes its
/// answer from the results. Four kinds of question it understands better than that: what changed
/// in a working tree, what a wiki says about something, the last commits, and where a name is
/// defined; also several of them in one ("Which files changed, and where is NAME defined?"). Tools that change something, by their hints or their names, it calls only when the
/// question begins with what they do. The same conversation always gets the same answer, and every transcript says that
/// rules wrote it.
///
/// ```
/// use mcp_model::{ChatModel, ChatRequest, PlannerModel, ToolSpec};
/// use serde_json::json;
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let tool = ToolSpec::new("math__add", json!({
///     "type": "object",
///     "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
///     "required": ["a", "b"],
/// }));
/// let request = ChatRequest::question("Add 2 and 3").with_tools(vec![tool]);
/// let answer = PlannerModel::new().generate(request).await.unwrap();
/// assert_eq!(answer.message.tool_calls[0].arguments, r#"{"a":2,"b":3}"#);
/// assert!(answer.message.text().contains("not an LLM"));
/// # });
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct PlannerModel;

impl PlannerModel {
    /// The planner.
    #[must_use]
    pub const fn new() -> Self {
        Self
    }
}

impl ChatModel for PlannerModel {
    fn name(&self) -> &str {
        "planner"
    }

    fn generate(&self, request: ChatRequest) -> BoxFuture<'_, Result<ChatResponse, ModelError>> {
        Box::pin(async move { Ok(ChatResponse::new(decide(&request))) })
    }
}

fn decide(request: &ChatRequest) -> AssistantMessage {
    let mut desk = Desk::lay_out(request);
    if !desk.unread.is_empty() && desk.rounds < MAX_ROUNDS {
        let calls = std::mem::take(&mut desk.unread);
        let name = |arguments| (whole::READER.to_owned(), arguments);
        return ask(&desk, calls.into_iter().map(name).collect());
    }
    match plans::plan(&desk) {
        Action::Call(calls) if desk.rounds < MAX_ROUNDS => ask(&desk, calls),
        Action::Call(_) => say("The tools did not lead to an answer within the limit of rounds."),
        Action::Answer(text) => say(&text),
    }
}

/// A message that asks for tools. The first of a turn says who is asking.
fn ask(desk: &Desk<'_>, calls: Vec<(String, serde_json::Map<String, Value>)>) -> AssistantMessage {
    let names: Vec<&str> = calls.iter().map(|(name, _)| name.as_str()).collect();
    let content = if desk.seen.is_empty() {
        vec![ContentBlock::text(format!(
            "I am `planner`, a rule-based demo model, not an LLM. By the words of the question I \
             call {}.",
            names.join(", ")
        ))]
    } else {
        Vec::new()
    };
    let uses = calls.into_iter().enumerate().map(|(n, (name, arguments))| {
        let id = format!("call_{}", desk.calls + n + 1);
        ToolUse::new(id, name, Value::Object(arguments).to_string())
    });
    AssistantMessage::new(content, uses.collect())
}

/// The answer, signed.
fn say(text: &str) -> AssistantMessage {
    AssistantMessage::text_only(format!(
        "{text}\n\n(Answered by `planner`, a rule-based demo model, not an LLM.)"
    ))
}
