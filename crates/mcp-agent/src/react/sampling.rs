//! A server uses the agent's model: its question as the model takes it, and the answer as the
//! server does.

use mcp_interceptors::{CallError, CallErrorKind};
use mcp_model::{
    AssistantMessage, ChatMessage, ChatModel, ChatRequest, StopReason as ModelStop, ToolAnswer,
    ToolChoice, ToolSpec, ToolUse, Usage,
};
use mcp_protocol::sampling::{
    CreateMessageParams, CreateMessageResult, SamplingContent, SamplingMessage,
    SamplingMessageContentBlock as Block, StopReason, ToolChoiceMode, ToolUseContent,
};
use mcp_protocol::{ContentBlock, Role};
use serde_json::Value;

/// Has the model answer. The server's wish for another model or for context is not heard.
///
/// # Errors
/// If the model gives no answer, or the question has a kind of content that is not known.
///
/// # Cancel safety
/// Dropping the future gives the answer up.
pub(crate) async fn sample(
    model: &dyn ChatModel,
    params: CreateMessageParams,
) -> Result<(CreateMessageResult, Usage), CallError> {
    let stops = params.stop_sequences.clone().unwrap_or_default();
    let answer = model.generate(request(params)?).await.map_err(|error| {
        CallError::new(CallErrorKind::Layer, "the model gave no answer").with_source(error)
    })?;
    let name = answer.model.unwrap_or_else(|| model.name().to_owned());
    let stop = match answer.stop {
        ModelStop::EndTurn => StopReason::EndTurn,
        ModelStop::ToolUse => StopReason::ToolUse,
        ModelStop::MaxTokens => StopReason::MaxTokens,
        ModelStop::Other(reason) => reason.as_str().into(),
        other => format!("{other:?}").as_str().into(),
    };
    let (content, cut) = content(answer.message, &stops);
    let stop = if cut { StopReason::StopSequence } else { stop };
    let result = CreateMessageResult::new(name, content).with_stop_reason(stop);
    Ok((result, answer.usage))
}

fn request(params: CreateMessageParams) -> Result<ChatRequest, CallError> {
    let mut messages = Vec::new();
    for message in &params.messages {
        read(message, &mut messages)?;
    }
    let mut request = ChatRequest::new(messages.into_iter().collect());
    request.system = params.system_prompt.map(Into::into);
    request.max_tokens = Some(u32::try_from(params.max_tokens).unwrap_or(u32::MAX));
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a temperature needs few digits"
    )]
    let temperature = params.temperature.map(|wanted| wanted as f32);
    request.temperature = temperature;
    let tools = params.tools.unwrap_or_default();
    request.tools = tools
        .iter()
        .map(|tool| ToolSpec::of_tool(&tool.name, tool))
        .collect();
    request.tool_choice = match params.tool_choice.and_then(|choice| choice.mode) {
        Some(ToolChoiceMode::Required) => ToolChoice::Required,
        Some(ToolChoiceMode::None) => ToolChoice::None,
        _ => ToolChoice::Auto,
    };
    Ok(request)
}

/// One message of the server is one of the model, or one for each result of a tool.
fn read(message: &SamplingMessage, messages: &mut Vec<ChatMessage>) -> Result<(), CallError> {
    let (mut said, mut calls) = (Vec::new(), Vec::new());
    for block in message.content.blocks() {
        match block {
            Block::Text(text) => said.push(text.clone().into()),
            Block::Image(image) => said.push(ContentBlock::Image(image.clone())),
            Block::Audio(audio) => said.push(ContentBlock::Audio(audio.clone())),
            Block::ToolUse(tool) => {
                let arguments = Value::Object(tool.input.clone()).to_string();
                calls.push(ToolUse::new(&tool.id, &tool.name, arguments));
            }
            Block::ToolResult(result) => {
                let id = &result.tool_use_id;
                let call = ToolUse::new(id, called(messages, id), "");
                let failed = result.is_error == Some(true);
                let answer = ToolAnswer::new(&call, result.content.clone(), failed);
                messages.push(ChatMessage::Tool(answer));
            }
            _ => {
                let message = "the server's question has content of an unknown kind";
                return Err(CallError::new(CallErrorKind::Protocol, message));
            }
        }
    }
    if said.is_empty() && calls.is_empty() {
        return Ok(());
    }
    messages.push(match message.role {
        Role::Assistant => ChatMessage::Assistant(AssistantMessage::new(said, calls)),
        _ => ChatMessage::User(said),
    });
    Ok(())
}

/// The tool that a result is of.
fn called(messages: &[ChatMessage], id: &str) -> String {
    let calls = messages.iter().flat_map(|message| match message {
        ChatMessage::Assistant(asking) => asking.tool_calls.as_slice(),
        _ => &[],
    });
    let call = calls.into_iter().find(|call| call.id == id);
    call.map_or_else(String::new, |call| call.name.clone())
}

/// What the model said, up to where the server wants it to stop; one block where that will do,
/// as earlier revisions know no lists.
fn content(message: AssistantMessage, stops: &[String]) -> (SamplingContent, bool) {
    let mut text = message.text();
    let found = stops.iter().filter(|stop| !stop.is_empty());
    let end = found.filter_map(|stop| text.find(stop.as_str())).min();
    if let Some(end) = end {
        text.truncate(end);
    }
    let only_text = message
        .content
        .iter()
        .all(|block| block.as_text().is_some());
    if only_text && message.tool_calls.is_empty() {
        return (Block::text(text).into(), end.is_some());
    }
    let mut blocks = Vec::new();
    if !text.is_empty() {
        blocks.push(Block::text(text));
    }
    blocks.extend(message.content.into_iter().filter_map(|block| match block {
        ContentBlock::Image(image) => Some(Block::Image(image)),
        ContentBlock::Audio(audio) => Some(Block::Audio(audio)),
        _ => None,
    }));
    blocks.extend(message.tool_calls.iter().map(|call| {
        let input = call.parsed_arguments().unwrap_or_default();
        Block::ToolUse(ToolUseContent::new(&call.id, &call.name, input))
    }));
    (blocks.into(), end.is_some())
}
