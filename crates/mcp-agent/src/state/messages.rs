//! A conversation as a field: messages by name, mostly appended.

use std::collections::{HashMap, HashSet};
use std::ops::Deref;
use std::sync::Arc;

use mcp_model::{ChatMessage, Transcript};
use serde_json::Value;

use super::messages_update::shown;
use super::{Change, Field, Json, MessageId, MessageUpdate, MessagesUpdate, StateError, Write};

/// A conversation.
///
/// New messages go to the end, a message with a known name replaces the one of that name in its
/// place, and an answer to a tool call goes right behind its call and the answers that are
/// there, whatever was written between. A clone shares the messages; adding one while no
/// snapshot is held copies nothing, and a checkpoint keeps what is new.
#[derive(Clone, Debug, Default)]
pub struct Messages(Arc<Inner>);

#[derive(Clone, Debug, Default)]
struct Inner {
    transcript: Transcript,
    ids: Vec<MessageId>,
    /// Built when a name is looked up for the first time.
    index: Option<HashMap<MessageId, usize>>,
    /// The last checkpoint has this many messages at the beginning.
    kept: usize,
    /// Whether a message was taken away, so that there may be a change without new messages.
    shrunk: bool,
}

impl Messages {
    /// An empty conversation.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The conversation in the form that models take; shared, not copied.
    #[must_use]
    pub fn transcript(&self) -> Transcript {
        self.0.transcript.clone()
    }

    /// The names of the messages, in their order.
    #[must_use]
    pub fn ids(&self) -> &[MessageId] {
        &self.0.ids
    }

    /// The messages from `index` on with their names, ready to be written into another state.
    #[must_use]
    pub fn since(&self, index: usize) -> MessagesUpdate {
        let named = self.0.ids.iter().zip(self.iter()).skip(index);
        named
            .map(|(id, message)| MessageUpdate::Put(Some(id.clone()), Arc::clone(message)))
            .collect()
    }
}

impl Messages {
    /// The messages that `base` does not have, with their names, ready to be written there.
    #[must_use]
    pub fn beyond(&self, base: &Self) -> MessagesUpdate {
        let ids = self.ids().iter().zip(base.ids());
        let same = ids.take_while(|(own, other)| own == other).count();
        if same == base.ids().len() {
            return self.since(same);
        }
        let known: HashSet<&MessageId> = base.ids().iter().collect();
        let new = self.ids().iter().zip(self.iter());
        new.filter(|(id, _)| !known.contains(id))
            .map(|(id, message)| MessageUpdate::Put(Some(id.clone()), Arc::clone(message)))
            .collect()
    }
}

impl Deref for Messages {
    type Target = [Arc<ChatMessage>];

    fn deref(&self) -> &[Arc<ChatMessage>] {
        &self.0.transcript
    }
}

impl Inner {
    fn find(&mut self, id: &MessageId) -> Option<usize> {
        let ids = &self.ids;
        let index = self
            .index
            .get_or_insert_with(|| ids.iter().cloned().zip(0..).collect());
        index.get(id).copied()
    }

    fn push(&mut self, id: MessageId, message: Arc<ChatMessage>) {
        if let Some(index) = &mut self.index {
            index.insert(id.clone(), self.ids.len());
        }
        self.ids.push(id);
        self.transcript.push(message);
    }

    fn add(&mut self, id: MessageId, message: Arc<ChatMessage>) {
        match place(&self.transcript, &message) {
            None => self.push(id, message),
            Some(at) => {
                let mut messages = self.transcript.to_vec();
                messages.insert(at, message);
                self.ids.insert(at, id);
                self.rebuilt(messages, at);
            }
        }
    }

    fn put(&mut self, id: MessageId, message: Arc<ChatMessage>) {
        match self.find(&id) {
            Some(at) => self.replace(at, message),
            None => self.add(id, message),
        }
    }

    fn known(&mut self, id: &MessageId) -> Result<usize, StateError> {
        self.find(id)
            .ok_or_else(|| StateError::new(format!("there is no message {id} to remove")))
    }

    fn replace(&mut self, at: usize, message: Arc<ChatMessage>) {
        let mut messages = self.transcript.to_vec();
        if let Some(old) = messages.get_mut(at) {
            *old = message;
        }
        self.transcript = Transcript::from(messages);
        self.shrunk |= at < self.kept;
        self.kept = self.kept.min(at);
    }

    /// Takes messages whose order or number changed from `at` on.
    fn rebuilt(&mut self, messages: Vec<Arc<ChatMessage>>, at: usize) {
        self.transcript = Transcript::from(messages);
        self.index = None;
        self.shrunk |= at < self.kept;
        self.kept = self.kept.min(at);
    }

    fn remove(&mut self, gone: &HashSet<MessageId>) {
        let Some(first) = self.ids.iter().position(|id| gone.contains(id)) else {
            return;
        };
        let named = self.ids.iter().zip(self.transcript.iter());
        let (ids, messages) = named
            .filter(|(id, _)| !gone.contains(*id))
            .map(|(id, message)| (id.clone(), Arc::clone(message)))
            .unzip();
        self.ids = ids;
        self.rebuilt(messages, first);
    }

    fn clear(&mut self) {
        self.ids.clear();
        self.rebuilt(Vec::new(), 0);
    }
}

/// Where a new message goes, if that is not the end: an answer goes behind its call.
fn place(transcript: &[Arc<ChatMessage>], message: &ChatMessage) -> Option<usize> {
    let ChatMessage::Tool(answer) = message else {
        return None;
    };
    let asked = transcript.iter().rposition(|earlier| {
        matches!(&**earlier, ChatMessage::Assistant(asking)
            if asking.tool_calls.iter().any(|call| call.id == answer.tool_call_id))
    })?;
    let behind = transcript.iter().skip(asked + 1);
    let answers = behind
        .take_while(|later| matches!(***later, ChatMessage::Tool(_)))
        .count();
    Some(asked + 1 + answers).filter(|at| *at < transcript.len())
}

impl Field for Messages {
    type Update = MessagesUpdate;

    fn apply(&mut self, update: MessagesUpdate, write: &Write<'_>) -> Result<(), StateError> {
        let inner = Arc::make_mut(&mut self.0);
        let (items, afresh) = update.after_last_clear();
        if afresh {
            inner.clear();
        }
        let mut gone = HashSet::new();
        for (index, item) in items.into_iter().enumerate() {
            match item {
                MessageUpdate::Put(None, message) => {
                    let index = u64::try_from(index).unwrap_or(u64::MAX);
                    inner.add(MessageId::made(write.seed, index), message);
                }
                MessageUpdate::Put(Some(id), message) if afresh => inner.push(id, message),
                MessageUpdate::Put(Some(id), message) => {
                    gone.remove(&id);
                    inner.put(id, message);
                }
                MessageUpdate::Remove(id) => {
                    inner.known(&id)?;
                    gone.insert(id);
                }
                MessageUpdate::RemoveAll => {}
            }
        }
        if !gone.is_empty() {
            inner.remove(&gone);
        }
        Ok(())
    }

    /// All that is new. What has a name that is known is another form of what was said.
    fn said(&self, update: &MessagesUpdate) -> Vec<Arc<ChatMessage>> {
        let is_new = |id: &MessageId| !self.ids().contains(id);
        let new = update.items().iter().filter_map(|item| match item {
            MessageUpdate::Put(id, message) => {
                id.as_ref().is_none_or(is_new).then(|| Arc::clone(message))
            }
            MessageUpdate::Remove(_) | MessageUpdate::RemoveAll => None,
        });
        new.collect()
    }

    fn to_json(&self) -> Result<Value, StateError> {
        let named = self.0.ids.iter().zip(self.iter());
        let list = named.map(|(id, message)| shown(Some(id), message));
        list.collect::<Result<_, _>>()
            .map(Value::Array)
            .map_err(Into::into)
    }

    fn take_change(&mut self) -> Result<Option<Change>, StateError> {
        let from = self.0.kept;
        if from == self.len() && !self.0.shrunk {
            return Ok(None);
        }
        let named = self.0.ids.iter().zip(self.iter()).skip(from);
        let items = named
            .map(|(id, message)| Json::of(&(id, &**message)))
            .collect::<Result<_, _>>()?;
        let inner = Arc::make_mut(&mut self.0);
        inner.kept = inner.ids.len();
        inner.shrunk = false;
        Ok(Some(Change::Tail { from, items }))
    }

    fn replay(&mut self, change: &Change) -> Result<(), StateError> {
        let Change::Tail { from, items } = change else {
            return Err(change.unfit());
        };
        Change::check_tail(*from, self.len())?;
        let inner = Arc::make_mut(&mut self.0);
        if *from < inner.ids.len() {
            let kept = inner.transcript.iter().take(*from).cloned().collect();
            inner.ids.truncate(*from);
            inner.rebuilt(kept, *from);
        }
        for item in items {
            let (id, message): (MessageId, ChatMessage) = item.read()?;
            inner.push(id, message.into());
        }
        inner.kept = inner.ids.len();
        inner.shrunk = false;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
