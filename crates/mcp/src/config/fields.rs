//! The members of a server, taken one by one; what is left over nobody knows.

use std::time::Duration;

use indexmap::IndexMap;

use super::error::{ConfigErrorKind, Mistakes, Place};
use super::node::Node;
use super::variables::Variables;

/// What is wrong is noted, and is as if it were not there.
pub(super) struct Fields<'a> {
    pub(super) place: Place<'a>,
    members: IndexMap<String, Node>,
    variables: &'a Variables,
    pub(super) mistakes: &'a Mistakes,
}

impl<'a> Fields<'a> {
    pub(super) fn new(
        place: Place<'a>,
        node: Node,
        variables: &'a Variables,
        mistakes: &'a Mistakes,
    ) -> Option<Self> {
        match node {
            Node::Object(members) => Some(Self {
                place,
                members,
                variables,
                mistakes,
            }),
            _ => {
                mistakes.expected(place, "an object");
                None
            }
        }
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.members.contains_key(key)
    }

    /// A string, expanded.
    pub(super) fn text(&mut self, key: &str) -> Option<String> {
        let place = self.place.key(key);
        match self.take(key)? {
            Node::String(text) => self.expand(place, &text),
            _ => {
                self.mistakes.expected(place, "a string");
                None
            }
        }
    }

    /// A string that has to be there and not empty.
    pub(super) fn needed(&mut self, key: &str, why: &str) -> Option<String> {
        let place = self.place.key(key);
        let mistakes = self.mistakes;
        if self.members.get(key).is_none_or(|node| *node == Node::Null) {
            mistakes.note(place, ConfigErrorKind::Missing, format!("missing; {why}"));
        }
        let text = self.text(key)?;
        if text.trim().is_empty() {
            mistakes.note(place, ConfigErrorKind::Invalid, "empty");
            return None;
        }
        Some(text)
    }

    /// A list of strings, expanded.
    pub(super) fn texts(&mut self, key: &str) -> Vec<String> {
        let items = match self.take(key) {
            None => return Vec::new(),
            Some(Node::Array(items)) => items,
            Some(_) => {
                self.mistakes
                    .expected(self.place.key(key), "a list of strings");
                return Vec::new();
            }
        };
        let text = |(n, item)| {
            let key = format!("{key}[{n}]");
            let place = self.place.key(&key);
            match item {
                Node::String(text) => self.expand(place, &text),
                _ => {
                    self.mistakes.expected(place, "a string");
                    None
                }
            }
        };
        items.into_iter().enumerate().filter_map(text).collect()
    }

    /// An object of strings, expanded. Numbers and booleans count as their text, `null` as not
    /// there.
    pub(super) fn pairs(&mut self, key: &str) -> Vec<(String, String)> {
        let members = match self.take(key) {
            None => return Vec::new(),
            Some(Node::Object(members)) => members,
            Some(_) => {
                self.mistakes
                    .expected(self.place.key(key), "an object of strings");
                return Vec::new();
            }
        };
        let pair = |(name, node)| {
            let key = format!("{key}.{name}");
            let place = self.place.key(&key);
            let value = match node {
                Node::String(text) => self.expand(place, &text)?,
                Node::Number(number) => number.to_string(),
                Node::Bool(value) => value.to_string(),
                Node::Null => return None,
                Node::Array(_) | Node::Object(_) => {
                    self.mistakes.expected(place, "a string");
                    return None;
                }
            };
            Some((name, value))
        };
        members.into_iter().filter_map(pair).collect()
    }

    pub(super) fn flag(&mut self, key: &str) -> bool {
        match self.take(key) {
            None => false,
            Some(Node::Bool(value)) => value,
            Some(_) => {
                self.mistakes.expected(self.place.key(key), "true or false");
                false
            }
        }
    }

    /// A number of seconds above 0, at most a day.
    pub(super) fn seconds(&mut self, key: &str) -> Option<Duration> {
        let seconds = match self.take(key)? {
            Node::Number(number) => number.as_f64(),
            _ => None,
        };
        match seconds {
            Some(s) if s > 0.0 && s <= 86_400.0 => Some(Duration::from_secs_f64(s)),
            _ => {
                let what = "a number of seconds above 0";
                self.mistakes.expected(self.place.key(key), what);
                None
            }
        }
    }

    /// A whole number above 0.
    pub(super) fn count(&mut self, key: &str) -> Option<usize> {
        let count = match self.take(key)? {
            Node::Number(number) => number.as_u64(),
            _ => None,
        };
        match count.and_then(|count| usize::try_from(count).ok()) {
            Some(count) if count > 0 => Some(count),
            _ => {
                let what = "a whole number above 0";
                self.mistakes.expected(self.place.key(key), what);
                None
            }
        }
    }

    /// The keys that nobody has asked for.
    pub(super) fn rest(self) -> impl Iterator<Item = String> {
        self.members.into_keys()
    }

    fn expand(&self, place: Place<'_>, text: &str) -> Option<String> {
        self.variables.expand(place, text, self.mistakes)
    }

    /// `null` is as good as not there.
    fn take(&mut self, key: &str) -> Option<Node> {
        self.members
            .shift_remove(key)
            .filter(|node| *node != Node::Null)
    }
}
