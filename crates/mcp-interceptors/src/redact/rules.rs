//! Where something that must not be passed on can stand.

use mcp_protocol::{CallToolResult, ContentBlock, Meta, ResourceContents};
use serde_json::Value;

use crate::closure::Closure;
use crate::{Command, ToolMessage, ToolOutcome};

/// What stands in place of what was taken out.
pub(crate) const MARK: &str = "[redacted]";

/// What is looked at in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    /// Names of members and texts.
    All,
    /// Names of members.
    Names,
}

/// JSON nested deeper is not looked into: it is taken out as a whole.
const MAX_DEPTH: usize = 128;

#[derive(Clone, Debug, Default)]
pub(crate) struct Rules {
    pub(crate) texts: Vec<String>,
    pub(crate) members: Vec<String>,
    pub(crate) custom: Vec<Closure<dyn Fn(&str) -> Option<String> + Send + Sync>>,
}

impl Rules {
    /// Whether a text was changed.
    pub(crate) fn text(&self, text: &mut String) -> bool {
        let mut changed = self.json_text(text);
        for secret in &self.texts {
            if text.contains(secret.as_str()) {
                *text = text.replace(secret.as_str(), MARK);
                changed = true;
            }
        }
        for custom in &self.custom {
            if let Some(clean) = custom(text) {
                *text = clean;
                changed = true;
            }
        }
        changed
    }

    /// Members by name also in a text that is a JSON object or array.
    fn json_text(&self, text: &mut String) -> bool {
        if self.members.is_empty() || !text.trim_start().starts_with(['{', '[']) {
            return false;
        }
        let Ok(mut json) = serde_json::from_str::<Value>(text) else {
            return false;
        };
        let changed = self.value(&mut json, Look::Names, 0);
        if changed {
            *text = json.to_string();
        }
        changed
    }

    /// Whether a value was changed.
    fn value(&self, value: &mut Value, look: Look, depth: usize) -> bool {
        match value {
            Value::String(text) => look == Look::All && self.text(text),
            Value::Array(_) | Value::Object(_) if depth >= MAX_DEPTH => {
                *value = MARK.into();
                true
            }
            Value::Array(items) => {
                let each = |changed, item| self.value(item, look, depth + 1) | changed;
                items.iter_mut().fold(false, each)
            }
            Value::Object(map) => {
                let each = |changed, (name, member): (&String, _)| {
                    self.member(name, member, look, depth + 1) | changed
                };
                map.iter_mut().fold(false, each)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }

    fn member(&self, name: &str, value: &mut Value, look: Look, depth: usize) -> bool {
        let mut secret = self.members.iter();
        if secret.any(|secret| secret.eq_ignore_ascii_case(name)) {
            *value = MARK.into();
            return true;
        }
        self.value(value, look, depth)
    }

    pub(crate) fn members<'a>(&self, members: impl Iterator<Item = (&'a String, &'a mut Value)>) {
        for (name, value) in members {
            self.member(name, value, Look::All, 0);
        }
    }

    pub(crate) fn outcome(&self, outcome: &mut ToolOutcome) {
        match outcome {
            ToolOutcome::Result(result) => self.result(result),
            ToolOutcome::Message(message) => self.message(message),
            ToolOutcome::Command(Command {
                update, message, ..
            }) => {
                self.members(update.iter_mut());
                if let Some(message) = message {
                    self.message(message);
                }
            }
        }
    }

    pub(crate) fn result(&self, result: &mut CallToolResult) {
        self.content(&mut result.content);
        if let Some(structured) = &mut result.structured_content {
            self.value(structured, Look::All, 0);
        }
        if let Some(meta) = &mut result.meta {
            self.meta(meta);
        }
    }

    fn meta(&self, meta: &mut Meta) {
        let clean = |(name, value): (&str, &Value)| {
            let mut value = value.clone();
            let changed = self.member(name, &mut value, Look::All, 0);
            changed.then(|| (name.to_owned(), value))
        };
        let changed: Vec<_> = meta.iter().filter_map(clean).collect();
        for (name, value) in changed {
            // A key that is not for us to set is as good as gone.
            if meta.set(&name, value).is_err() {
                meta.remove(&name);
            }
        }
    }

    fn message(&self, message: &mut ToolMessage) {
        self.content(&mut message.content);
        if let Some(artifact) = &mut message.artifact {
            self.value(artifact, Look::All, 0);
        }
    }

    fn content(&self, content: &mut [ContentBlock]) {
        for block in content {
            self.block(block);
        }
    }

    fn block(&self, block: &mut ContentBlock) {
        match block {
            ContentBlock::Text(text) => {
                self.text(&mut text.text);
            }
            ContentBlock::Resource(embedded) => {
                if let ResourceContents::Text(contents) = &mut embedded.resource {
                    self.text(&mut contents.text);
                }
            }
            ContentBlock::ResourceLink(link) => {
                let resource = &mut link.0;
                let texts = [&mut resource.title, &mut resource.description];
                let texts = texts.into_iter().flatten();
                for text in texts.chain([&mut resource.uri, &mut resource.name]) {
                    self.text(text);
                }
            }
            ContentBlock::Other(members) => self.members(members.iter_mut()),
            _ => {}
        }
    }
}
