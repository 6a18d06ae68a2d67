//! The members of a server, taken one by one; what is left over nobody knows.

use std::time::Duration;

use indexmap::IndexMap;

use super::error::{ConfigError, ConfigErrorKind, Place};
use super::node::Node;
use super::variables::Variables;

pub(super) struct Fields<'a> {
    pub(super) place: Place<'a>,
    members: IndexMap<String, Node>,
    variables: &'a Variables,
}

impl<'a> Fields<'a> {
    pub(super) fn new(
        place: Place<'a>,
        node: Node,
        variables: &'a Variables,
    ) -> Result<Self, ConfigError> {
        match node {
            Node::Object(members) => Ok(Self {
                place,
                members,
                variables,
            }),
            _ => Err(expected(place, "an object")),
        }
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.members.contains_key(key)
    }

    /// A string, expanded.
    pub(super) fn text(&mut self, key: &str) -> Result<Option<String>, ConfigError> {
        let place = self.place.key(key);
        match self.take(key) {
            None => Ok(None),
            Some(Node::String(text)) => self.variables.expand(place, &text).map(Some),
            Some(_) => Err(expected(place, "a string")),
        }
    }

    /// A string that has to be there and not empty.
    pub(super) fn needed(&mut self, key: &str, why: &str) -> Result<String, ConfigError> {
        let place = self.place.key(key);
        match self.text(key)? {
            None => Err(place.error(ConfigErrorKind::Missing, format!("missing; {why}"))),
            Some(text) if text.trim().is_empty() => {
                Err(place.error(ConfigErrorKind::Invalid, "empty"))
            }
            Some(text) => Ok(text),
        }
    }

    /// A list of strings, expanded.
    pub(super) fn texts(&mut self, key: &str) -> Result<Vec<String>, ConfigError> {
        let items = match self.take(key) {
            None => return Ok(Vec::new()),
            Some(Node::Array(items)) => items,
            Some(_) => return Err(expected(self.place.key(key), "a list of strings")),
        };
        let text = |(n, item)| {
            let key = format!("{key}[{n}]");
            let place = self.place.key(&key);
            match item {
                Node::String(text) => self.variables.expand(place, &text),
                _ => Err(expected(place, "a string")),
            }
        };
        items.into_iter().enumerate().map(text).collect()
    }

    /// An object of strings, expanded. Numbers and booleans count as their text, `null` as not
    /// there.
    pub(super) fn pairs(&mut self, key: &str) -> Result<Vec<(String, String)>, ConfigError> {
        let members = match self.take(key) {
            None => return Ok(Vec::new()),
            Some(Node::Object(members)) => members,
            Some(_) => return Err(expected(self.place.key(key), "an object of strings")),
        };
        let mut pairs = Vec::with_capacity(members.len());
        for (name, node) in members {
            let key = format!("{key}.{name}");
            let place = self.place.key(&key);
            let value = match node {
                Node::String(text) => self.variables.expand(place, &text)?,
                Node::Number(number) => number.to_string(),
                Node::Bool(value) => value.to_string(),
                Node::Null => continue,
                Node::Array(_) | Node::Object(_) => return Err(expected(place, "a string")),
            };
            pairs.push((name, value));
        }
        Ok(pairs)
    }

    pub(super) fn flag(&mut self, key: &str) -> Result<bool, ConfigError> {
        match self.take(key) {
            None => Ok(false),
            Some(Node::Bool(value)) => Ok(value),
            Some(_) => Err(expected(self.place.key(key), "true or false")),
        }
    }

    /// A number of seconds above 0, at most a day.
    pub(super) fn seconds(&mut self, key: &str) -> Result<Option<Duration>, ConfigError> {
        let Some(node) = self.take(key) else {
            return Ok(None);
        };
        let seconds = match node {
            Node::Number(number) => number.as_f64(),
            _ => None,
        };
        match seconds {
            Some(s) if s > 0.0 && s <= 86_400.0 => Ok(Some(Duration::from_secs_f64(s))),
            _ => Err(expected(self.place.key(key), "a number of seconds above 0")),
        }
    }

    /// The keys that nobody has asked for.
    pub(super) fn rest(self) -> impl Iterator<Item = String> {
        self.members.into_keys()
    }

    /// `null` is as good as not there.
    fn take(&mut self, key: &str) -> Option<Node> {
        self.members
            .shift_remove(key)
            .filter(|node| *node != Node::Null)
    }
}

fn expected(place: Place<'_>, what: &str) -> ConfigError {
    place.error(ConfigErrorKind::Type, format!("expected {what}"))
}
