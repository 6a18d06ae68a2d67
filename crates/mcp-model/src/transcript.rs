//! A conversation that is cheap to hand around.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::ChatMessage;

/// The messages of a conversation, oldest first.
///
/// A clone shares the messages, and adding one while nobody else holds the conversation copies
/// nothing, so a round of an agent costs the same however long the conversation is.
#[derive(Clone, Default, PartialEq)]
pub struct Transcript(Arc<Vec<Arc<ChatMessage>>>);

impl Transcript {
    /// An empty conversation.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a message at the end.
    pub fn push(&mut self, message: impl Into<Arc<ChatMessage>>) {
        Arc::make_mut(&mut self.0).push(message.into());
    }

    /// The last message that a person wrote.
    #[must_use]
    pub fn last_user(&self) -> Option<&ChatMessage> {
        let mut newest_first = self.iter().rev();
        newest_first
            .find(|message| matches!(***message, ChatMessage::User(_)))
            .map(|message| &**message)
    }
}

impl Deref for Transcript {
    type Target = [Arc<ChatMessage>];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<M: Into<Arc<ChatMessage>>> FromIterator<M> for Transcript {
    fn from_iter<I: IntoIterator<Item = M>>(messages: I) -> Self {
        Self(Arc::new(messages.into_iter().map(Into::into).collect()))
    }
}

impl<M: Into<Arc<ChatMessage>>> Extend<M> for Transcript {
    fn extend<I: IntoIterator<Item = M>>(&mut self, messages: I) {
        Arc::make_mut(&mut self.0).extend(messages.into_iter().map(Into::into));
    }
}

impl From<Vec<Arc<ChatMessage>>> for Transcript {
    fn from(messages: Vec<Arc<ChatMessage>>) -> Self {
        Self(Arc::new(messages))
    }
}

impl<'a> IntoIterator for &'a Transcript {
    type Item = &'a Arc<ChatMessage>;
    type IntoIter = std::slice::Iter<'a, Arc<ChatMessage>>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl fmt::Debug for Transcript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_messages_and_not_what_is_added_later() {
        let mut first: Transcript = [ChatMessage::user("a")].into_iter().collect();
        let second = first.clone();
        first.push(ChatMessage::assistant("b"));
        assert_eq!((first.len(), second.len()), (2, 1));
        assert!(Arc::ptr_eq(&first[0], &second[0]));
        assert_eq!(first.last_user(), Some(&ChatMessage::user("a")));
        assert_eq!(Transcript::new().last_user(), None);
    }
}
