//! What a Chat Completions server answers.

use mcp_protocol::ContentBlock;
use serde::Deserialize;
use serde_json::Value;

use super::error::from_body;
use crate::http::Reply;
use crate::{
    AssistantMessage, ChatMessage, ChatRequest, ChatResponse, ModelError, ModelErrorKind,
    StopReason, ToolUse, Usage,
};

#[derive(Deserialize)]
struct Completion {
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Option<Tokens>,
    /// Some servers report failures under status 200.
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    content: Option<Value>,
    #[serde(default)]
    refusal: Option<String>,
    #[serde(default)]
    tool_calls: Option<Vec<Call>>,
}

#[derive(Deserialize)]
struct Call {
    #[serde(default)]
    id: Option<String>,
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    /// A string by the book, an object from some servers.
    #[serde(default)]
    arguments: Value,
}

#[derive(Deserialize)]
pub(super) struct Tokens {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
    #[serde(default)]
    prompt_tokens_details: Option<Details>,
}

#[derive(Deserialize)]
struct Details {
    #[serde(default)]
    cached_tokens: Option<u64>,
}

/// How many tools one answer may ask for.
const MAX_CALLS: usize = 1_000;

/// An answer as the server wrote it, whole or in pieces.
#[derive(Default)]
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) refusal: Option<String>,
    pub(super) calls: Vec<WrittenCall>,
    pub(super) finish: Option<String>,
    pub(super) model: Option<String>,
    pub(super) usage: Option<Tokens>,
}

/// A call as the server wrote it.
#[derive(Default)]
pub(super) struct WrittenCall {
    pub(super) id: Option<String>,
    pub(super) name: String,
    pub(super) arguments: String,
}

/// Reads an answer with a status of success.
pub(super) fn read(reply: &Reply, request: &ChatRequest) -> Result<ChatResponse, ModelError> {
    let bad = |message: &str| ModelError::new(ModelErrorKind::Decode, message);
    let completion: Completion = serde_json::from_slice(&reply.body)
        .map_err(|e| bad("the model's answer is not a chat completion").with_source(e))?;
    let Some(choice) = completion.choices.into_iter().next() else {
        return Err(match completion.error {
            Some(_) => from_body(reply),
            None => bad("the model's answer has no choice in it"),
        });
    };
    let calls = choice.message.tool_calls.unwrap_or_default().into_iter();
    let calls = calls.map(|call| WrittenCall {
        id: call.id.filter(|id| !id.is_empty()),
        name: call.function.name,
        arguments: words(call.function.arguments),
    });
    let answer = Answer {
        text: choice.message.content.and_then(text_of).unwrap_or_default(),
        refusal: choice.message.refusal,
        calls: calls.collect(),
        finish: choice.finish_reason,
        model: completion.model,
        usage: completion.usage,
    };
    check_calls(&answer.calls)?;
    answer.response(request)
}

/// The text of a message's content, which is a string or a list of parts.
pub(super) fn text_of(content: Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            Some(texts.collect::<Vec<_>>().join("\n"))
        }
        _ => None,
    }
}

/// Arguments as text.
pub(super) fn words(arguments: Value) -> String {
    match arguments {
        Value::String(text) => text,
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

pub(super) fn check_calls(calls: &[WrittenCall]) -> Result<(), ModelError> {
    if calls.len() <= MAX_CALLS {
        return Ok(());
    }
    let message = format!("the model asks for more than {MAX_CALLS} tools at once");
    Err(ModelError::new(ModelErrorKind::Decode, message))
}

impl Answer {
    pub(super) fn response(self, request: &ChatRequest) -> Result<ChatResponse, ModelError> {
        if self.calls.iter().any(|call| call.name.is_empty()) {
            let message = "the model asks for a tool without saying which";
            return Err(ModelError::new(ModelErrorKind::Decode, message));
        }
        let stop = self.stop();
        let text = Some(self.text).filter(|text| !text.is_empty());
        let content = text.or(self.refusal).into_iter();
        let content = content.map(ContentBlock::text).collect();
        let calls = with_ids(self.calls, request);
        let mut response = ChatResponse::new(AssistantMessage::new(content, calls)).with_stop(stop);
        response.model = self.model;
        if let Some(tokens) = self.usage {
            response.usage = Usage::new(tokens.prompt_tokens, tokens.completion_tokens);
            let cached = tokens.prompt_tokens_details.and_then(|d| d.cached_tokens);
            response.usage.cached_tokens = cached.unwrap_or_default();
        }
        Ok(response)
    }

    fn stop(&self) -> StopReason {
        match self.finish.as_deref() {
            _ if self.refusal.is_some() => StopReason::Refusal,
            Some("length") => StopReason::MaxTokens,
            Some("content_filter") => StopReason::ContentFilter,
            _ if !self.calls.is_empty() => StopReason::ToolUse,
            None | Some("stop" | "tool_calls" | "function_call") => StopReason::EndTurn,
            Some(other) => StopReason::Other(other.to_owned()),
        }
    }
}

/// Calls without an id, or with one that is taken, get one.
fn with_ids(written: Vec<WrittenCall>, request: &ChatRequest) -> Vec<ToolUse> {
    let mut calls: Vec<ToolUse> = Vec::with_capacity(written.len());
    for call in written {
        let given = call.id.filter(|id| !calls.iter().any(|c| c.id == *id));
        let id = given.unwrap_or_else(|| free_id(request, &calls));
        calls.push(ToolUse::new(id, call.name, call.arguments));
    }
    calls
}

/// An id that no call of the conversation has.
fn free_id(request: &ChatRequest, calls: &[ToolUse]) -> String {
    let earlier = request
        .messages
        .iter()
        .flat_map(|message| match &**message {
            ChatMessage::Assistant(message) => message.tool_calls.as_slice(),
            _ => &[],
        });
    let taken: Vec<&str> = earlier.chain(calls).map(|call| call.id.as_str()).collect();
    let mut n = taken.len() + 1;
    loop {
        let id = format!("call_{n}");
        if !taken.contains(&id.as_str()) {
            return id;
        }
        n += 1;
    }
}
