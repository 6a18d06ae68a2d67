//! A conversation in the words of Chat Completions.

use std::borrow::Cow;

use mcp_protocol::{ContentBlock, ResourceContents, Role};
use serde_json::{Map, Value, json};

use super::schema;
use crate::{
    AssistantMessage, ChatMessage, ChatRequest, ModelError, ModelErrorKind, ToolAnswer, ToolChoice,
    ToolUse,
};

/// The body of a request.
pub(super) fn request(
    model: &str,
    request: &ChatRequest,
    is_openai: bool,
    in_pieces: bool,
) -> Result<Vec<u8>, ModelError> {
    let mut body = Map::new();
    body.insert("model".to_owned(), model.into());
    body.insert("messages".to_owned(), messages(request).into());
    if !request.tools.is_empty() {
        let tools: Vec<Value> = request.tools.iter().map(schema::tool).collect();
        body.insert("tools".to_owned(), tools.into());
        if let Some(choice) = tool_choice(&request.tool_choice) {
            body.insert("tool_choice".to_owned(), choice);
        }
    }
    if let Some(max) = request.max_tokens {
        let name = if is_openai {
            "max_completion_tokens"
        } else {
            "max_tokens"
        };
        body.insert(name.to_owned(), max.into());
    }
    if let Some(temperature) = request.temperature {
        body.insert("temperature".to_owned(), json!(temperature));
    }
    if let Some(answer) = &request.answer_schema {
        let form = json!({"name": answer.name, "schema": answer.schema});
        let format = json!({"type": "json_schema", "json_schema": form});
        body.insert("response_format".to_owned(), format);
    }
    if in_pieces {
        body.insert("stream".to_owned(), true.into());
        let options = json!({"include_usage": true});
        body.insert("stream_options".to_owned(), options);
    }
    serde_json::to_vec(&body).map_err(|e| {
        ModelError::new(ModelErrorKind::BadRequest, "the request cannot be written").with_source(e)
    })
}

fn tool_choice(choice: &ToolChoice) -> Option<Value> {
    match choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some("none".into()),
        ToolChoice::Required => Some("required".into()),
        ToolChoice::Tool(name) => Some(json!({"type": "function", "function": {"name": name}})),
    }
}

fn messages(request: &ChatRequest) -> Vec<Value> {
    let mut out = Vec::new();
    // Tool messages take text alone, and nothing may stand between a call and its answers: the
    // images of a round follow behind its last answer, as a person's message.
    let mut images = Vec::new();
    if let Some(system) = &request.system {
        out.push(json!({"role": "system", "content": &**system}));
    }
    for message in &request.messages {
        if !matches!(**message, ChatMessage::Tool(_)) {
            show(&mut images, &mut out);
        }
        out.push(match &**message {
            ChatMessage::System(text) => json!({"role": "system", "content": text}),
            ChatMessage::User(content) => json!({"role": "user", "content": user(content)}),
            ChatMessage::Assistant(message) => assistant(message),
            ChatMessage::Tool(answer) => tool(answer, &mut images),
        });
    }
    show(&mut images, &mut out);
    out
}

fn show(images: &mut Vec<Value>, out: &mut Vec<Value>) {
    if !images.is_empty() {
        let parts = std::mem::take(images);
        out.push(json!({"role": "user", "content": parts}));
    }
}

fn user(content: &[ContentBlock]) -> Value {
    let parts: Vec<Part> = content.iter().map(part).collect();
    if parts.iter().all(|part| matches!(part, Part::Text(_))) {
        return text_of(&parts).into();
    }
    let parts = parts.into_iter().map(|part| match part {
        Part::Text(text) => json!({"type": "text", "text": text}),
        Part::Image(url) => image(&url),
    });
    parts.collect::<Vec<_>>().into()
}

fn assistant(message: &AssistantMessage) -> Value {
    let parts: Vec<Part> = message.content.iter().map(part).collect();
    let text = text_of(&parts);
    if message.tool_calls.is_empty() {
        return json!({"role": "assistant", "content": text});
    }
    let calls = message.tool_calls.iter().map(|call| {
        let arguments = arguments(call);
        json!({
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": arguments},
        })
    });
    let calls: Vec<Value> = calls.collect();
    let text = (!text.is_empty()).then_some(text);
    json!({"role": "assistant", "content": text, "tool_calls": calls})
}

/// The arguments of a call. What could not be read is repeated in short, as a string within an
/// object: some servers refuse the whole conversation for arguments that are no object.
fn arguments(call: &ToolUse) -> Cow<'_, str> {
    match call.parsed_arguments() {
        Ok(_) if call.arguments.trim_start().starts_with('{') => call.arguments.as_str().into(),
        Ok(args) => Value::Object(args).to_string().into(),
        Err(_) => {
            let shown: String = call.arguments.chars().take(UNREADABLE).collect();
            json!({"unreadable": shown}).to_string().into()
        }
    }
}

/// How many characters of arguments that could not be read are repeated.
const UNREADABLE: usize = 200;

fn tool(answer: &ToolAnswer, images: &mut Vec<Value>) -> Value {
    let for_model = answer
        .content
        .iter()
        .filter(|block| !is_for_the_user_only(block));
    let parts: Vec<Part> = for_model.map(part).collect();
    let mut text = text_of(&parts);
    let shown = parts.iter().filter_map(|part| match part {
        Part::Image(url) => Some(image(url)),
        Part::Text(_) => None,
    });
    let shown: Vec<Value> = shown.collect();
    if !shown.is_empty() {
        let note = format!(
            "Images from the tool {} ({}):",
            answer.name, answer.tool_call_id
        );
        images.push(json!({"type": "text", "text": note}));
        images.extend(shown);
        let note = "[images follow in the next message]";
        text = if text.is_empty() {
            note.to_owned()
        } else {
            format!("{text}\n{note}")
        };
    }
    if text.is_empty() {
        "[no content]".clone_into(&mut text);
    }
    let says_so = text
        .get(..5)
        .is_some_and(|start| start.eq_ignore_ascii_case("error"));
    if answer.is_error && !says_so {
        text.insert_str(0, "Error: ");
    }
    json!({"role": "tool", "tool_call_id": answer.tool_call_id, "content": text})
}

fn is_for_the_user_only(block: &ContentBlock) -> bool {
    let audience = block
        .annotations()
        .and_then(|hints| hints.audience.as_ref());
    audience.is_some_and(|list| !list.is_empty() && list.iter().all(|role| *role == Role::User))
}

/// What Chat Completions can take.
enum Part {
    Text(String),
    /// A `data:` URL.
    Image(String),
}

fn text_of(parts: &[Part]) -> String {
    let texts: Vec<&str> = parts
        .iter()
        .filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Image(_) => None,
        })
        .collect();
    texts.join("\n")
}

fn image(url: &str) -> Value {
    json!({"type": "image_url", "image_url": {"url": url}})
}

/// A block as text or image; what is neither becomes a note that names it.
fn part(block: &ContentBlock) -> Part {
    match block {
        ContentBlock::Text(content) => Part::Text(content.text.clone()),
        ContentBlock::Image(content) => data_url(&content.mime_type, &content.data),
        ContentBlock::Audio(content) => Part::Text(format!(
            "[audio, {}, {} bytes]",
            content.mime_type,
            decoded_len(&content.data)
        )),
        ContentBlock::ResourceLink(link) => {
            let description = link.description.as_deref().unwrap_or_default();
            let text = format!("[resource {} at {}] {description}", link.name, link.uri);
            Part::Text(text.trim_end().to_owned())
        }
        ContentBlock::Resource(content) => resource(&content.resource),
        other => Part::Text(format!("[content of the kind {:?}]", other.kind())),
    }
}

fn resource(contents: &ResourceContents) -> Part {
    match contents {
        ResourceContents::Text(text) => {
            Part::Text(format!("[resource {}]\n{}", text.uri, text.text))
        }
        ResourceContents::Blob(blob) => {
            let mime = blob
                .mime_type
                .as_deref()
                .unwrap_or("application/octet-stream");
            if mime.starts_with("image/") {
                return data_url(mime, &blob.blob);
            }
            let len = decoded_len(&blob.blob);
            Part::Text(format!("[resource {}, {mime}, {len} bytes]", blob.uri))
        }
        _ => Part::Text("[resource]".to_owned()),
    }
}

fn data_url(mime: &str, data: &str) -> Part {
    Part::Image(format!("data:{mime};base64,{data}"))
}

/// The bytes that a base64 text stands for.
fn decoded_len(data: &str) -> usize {
    data.trim_end_matches('=').len() * 3 / 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p_a04_arguments_that_cannot_be_read_are_sent_as_an_object_and_in_short() {
        let sent = |written: &str| {
            let sent = arguments(&ToolUse::new("1", "t", written)).into_owned();
            (serde_json::from_str::<Value>(&sent).unwrap(), sent.len())
        };
        let long = format!("{{\"a\": {}", "1".repeat(1_000_000));
        let (read, length) = sent(&long);
        assert!(read["unreadable"].is_string() && length < 300, "{length}");
        assert_eq!(sent("[1]").0, json!({"unreadable": "[1]"}));
        assert_eq!(sent(" {\"a\": 1}").0, json!({"a": 1}));
        for empty in ["", "null", "\"{}\""] {
            assert_eq!(sent(empty).0, json!({}), "{empty:?}");
        }
    }
}
