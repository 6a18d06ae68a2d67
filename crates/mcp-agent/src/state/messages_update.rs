//! What can be written into a conversation, and how it looks in JSON.

use std::sync::Arc;

use mcp_model::{AssistantMessage, ChatMessage, ToolAnswer, ToolUse};
use mcp_protocol::ContentBlock;
use serde::de::{Deserializer, Error as _};
use serde::ser::{SerializeSeq, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::MessageId;

/// What can be written into a conversation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum MessageUpdate {
    /// A message: new, or in place of the one of that name. Without a name it is new.
    Put(Option<MessageId>, Arc<ChatMessage>),
    /// Takes away the message of that name; there must be one.
    Remove(MessageId),
    /// Takes away all messages, also those before it in the same write.
    RemoveAll,
}

/// A write into a conversation.
///
/// In JSON it is one message or a list of them. A message is a string (a person's words),
/// `[role, text]` within a list, `{"role", "message"}` as [`ChatMessage`] writes itself, or
/// `{"role", "content"}` with a text or a list of content blocks; roles are `system`, `user`
/// (`human`), `assistant` (`ai`, with `tool_calls`) and `tool` (with `tool_call_id`).
/// `{"remove": id}` and `{"remove": "__remove_all__"}` take away. Any message may have an `id`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MessagesUpdate(Vec<MessageUpdate>);

const ALL: &str = "__remove_all__";

impl MessagesUpdate {
    /// Adds one more.
    #[must_use]
    pub fn and(mut self, update: impl Into<MessageUpdate>) -> Self {
        self.0.push(update.into());
        self
    }

    /// What is written.
    #[must_use]
    pub fn items(&self) -> &[MessageUpdate] {
        &self.0
    }

    /// Puts another write behind this one.
    pub fn append(&mut self, mut other: Self) {
        self.0.append(&mut other.0);
    }

    /// What counts, and whether all that was there before goes away.
    pub(super) fn after_last_clear(mut self) -> (Vec<MessageUpdate>, bool) {
        let clear = |item: &MessageUpdate| matches!(item, MessageUpdate::RemoveAll);
        match self.0.iter().rposition(clear) {
            None => (self.0, false),
            Some(at) => (self.0.split_off(at + 1), true),
        }
    }
}

impl FromIterator<MessageUpdate> for MessagesUpdate {
    fn from_iter<I: IntoIterator<Item = MessageUpdate>>(items: I) -> Self {
        Self(items.into_iter().collect())
    }
}

impl From<ChatMessage> for MessageUpdate {
    fn from(message: ChatMessage) -> Self {
        Self::Put(None, message.into())
    }
}

impl From<Arc<ChatMessage>> for MessageUpdate {
    fn from(message: Arc<ChatMessage>) -> Self {
        Self::Put(None, message)
    }
}

impl From<Arc<ChatMessage>> for MessagesUpdate {
    fn from(message: Arc<ChatMessage>) -> Self {
        Self(vec![message.into()])
    }
}

impl From<&str> for MessageUpdate {
    fn from(text: &str) -> Self {
        ChatMessage::user(text).into()
    }
}

impl From<ChatMessage> for MessagesUpdate {
    fn from(message: ChatMessage) -> Self {
        Self(vec![message.into()])
    }
}

impl From<Vec<ChatMessage>> for MessagesUpdate {
    fn from(messages: Vec<ChatMessage>) -> Self {
        Self(messages.into_iter().map(Into::into).collect())
    }
}

impl From<&str> for MessagesUpdate {
    fn from(text: &str) -> Self {
        ChatMessage::user(text).into()
    }
}

impl From<String> for MessagesUpdate {
    fn from(text: String) -> Self {
        ChatMessage::user(text).into()
    }
}

impl Serialize for MessagesUpdate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::Error as _;
        let mut list = serializer.serialize_seq(Some(self.0.len()))?;
        for item in &self.0 {
            match item {
                MessageUpdate::Put(id, message) => {
                    let value = shown(id.as_ref(), message).map_err(S::Error::custom)?;
                    list.serialize_element(&value)?;
                }
                MessageUpdate::Remove(id) => list.serialize_element(&json!({ "remove": id }))?,
                MessageUpdate::RemoveAll => list.serialize_element(&json!({ "remove": ALL }))?,
            }
        }
        list.end()
    }
}

/// A message as JSON, with its name.
pub(super) fn shown(
    id: Option<&MessageId>,
    message: &ChatMessage,
) -> Result<Value, serde_json::Error> {
    let mut value = serde_json::to_value(message)?;
    if let (Some(id), Value::Object(map)) = (id, &mut value) {
        map.insert("id".to_owned(), id.to_string().into());
    }
    Ok(value)
}

impl<'de> Deserialize<'de> for MessagesUpdate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let items = match Value::deserialize(deserializer)? {
            Value::Array(items) => items,
            one => vec![one],
        };
        let items = items.into_iter().map(read).collect::<Result<_, _>>();
        items.map(Self).map_err(D::Error::custom)
    }
}

fn read(item: Value) -> Result<MessageUpdate, String> {
    match item {
        Value::String(text) => Ok(text.as_str().into()),
        Value::Array(pair) => match pair.as_slice() {
            [Value::String(role), content @ Value::String(_)] => {
                let content = content.clone();
                message(
                    role,
                    Rest {
                        content: Some(content),
                        ..Rest::default()
                    },
                )
                .map(Into::into)
            }
            _ => Err("a message in a list is [role, text]".to_owned()),
        },
        Value::Object(mut map) => {
            if let Some(id) = map.get("remove") {
                return match id.as_str() {
                    Some(ALL) => Ok(MessageUpdate::RemoveAll),
                    Some(id) => Ok(MessageUpdate::Remove(id.into())),
                    None => Err("\"remove\" must be a string".to_owned()),
                };
            }
            let id = map
                .remove("id")
                .and_then(|id| id.as_str().map(MessageId::from));
            let read = if map.contains_key("message") {
                serde_json::from_value(Value::Object(map)).map_err(|e| e.to_string())?
            } else {
                let role = map.remove("role").unwrap_or_default();
                let role = role.as_str().ok_or("a message needs a role")?;
                let rest = serde_json::from_value(Value::Object(map));
                message(role, rest.map_err(|e| e.to_string())?)?
            };
            Ok(MessageUpdate::Put(id, Arc::new(read)))
        }
        _ => Err("a message is a string, a list or an object".to_owned()),
    }
}

/// What a message of the loose form has besides its role.
#[derive(Default, Deserialize)]
struct Rest {
    content: Option<Value>,
    #[serde(default)]
    tool_calls: Vec<ToolUse>,
    #[serde(default)]
    tool_call_id: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    is_error: bool,
}

fn message(role: &str, rest: Rest) -> Result<ChatMessage, String> {
    let content: Vec<ContentBlock> = match rest.content {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::String(text)) => vec![ContentBlock::text(text)],
        Some(blocks) => serde_json::from_value(blocks).map_err(|e| e.to_string())?,
    };
    match role {
        "user" | "human" => Ok(ChatMessage::User(content)),
        "assistant" | "ai" => Ok(ChatMessage::Assistant(AssistantMessage::new(
            content,
            rest.tool_calls,
        ))),
        "system" => Ok(ChatMessage::System(ChatMessage::User(content).text())),
        "tool" => {
            let call = ToolUse::new(rest.tool_call_id, rest.name, "");
            Ok(ChatMessage::Tool(ToolAnswer::new(
                &call,
                content,
                rest.is_error,
            )))
        }
        other => Err(format!("there is no role {other}")),
    }
}
