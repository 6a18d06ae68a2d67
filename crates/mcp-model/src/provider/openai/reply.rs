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
struct Tokens {
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
    let refused = choice.message.refusal.is_some();
    let (text, calls) = parts(choice.message, request);
    let stop = match choice.finish_reason.as_deref() {
        _ if refused => StopReason::Refusal,
        Some("length") => StopReason::MaxTokens,
        Some("content_filter") => StopReason::ContentFilter,
        _ if !calls.is_empty() => StopReason::ToolUse,
        None | Some("stop" | "tool_calls" | "function_call") => StopReason::EndTurn,
        Some(other) => StopReason::Other(other.to_owned()),
    };
    let content = text.into_iter().map(ContentBlock::text).collect();
    let mut response = ChatResponse::new(AssistantMessage::new(content, calls)).with_stop(stop);
    response.model = completion.model;
    if let Some(tokens) = completion.usage {
        response.usage = Usage::new(tokens.prompt_tokens, tokens.completion_tokens);
        let cached = tokens.prompt_tokens_details.and_then(|d| d.cached_tokens);
        response.usage.cached_tokens = cached.unwrap_or_default();
    }
    Ok(response)
}

/// The words and the calls of a message. Calls without an id, or with one that is taken, get one.
fn parts(message: Message, request: &ChatRequest) -> (Option<String>, Vec<ToolUse>) {
    let text = match message.content {
        Some(Value::String(text)) => Some(text),
        Some(Value::Array(parts)) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            Some(texts.collect::<Vec<_>>().join("\n"))
        }
        _ => None,
    };
    let text = text.filter(|text| !text.is_empty()).or(message.refusal);
    let mut calls: Vec<ToolUse> = Vec::new();
    for call in message.tool_calls.unwrap_or_default() {
        let arguments = match call.function.arguments {
            Value::String(text) => text,
            Value::Null => String::new(),
            other => other.to_string(),
        };
        let given = call
            .id
            .filter(|id| !id.is_empty() && !calls.iter().any(|c| c.id == *id));
        let id = given.unwrap_or_else(|| free_id(request, &calls));
        calls.push(ToolUse::new(id, call.function.name, arguments));
    }
    (text, calls)
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
