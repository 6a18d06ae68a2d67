//! What can be wrong with a configuration, and where.

use std::cell::RefCell;
use std::error::Error as StdError;
use std::fmt;

use super::lines::Lines;

/// A mistake in a configuration, as one line: file with line, server, key, reason.
#[derive(Debug)]
pub struct ConfigError {
    kind: ConfigErrorKind,
    file: Box<str>,
    line: Option<usize>,
    server: Option<Box<str>>,
    key: Option<Box<str>>,
    reason: Box<str>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// What kind of mistake it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ConfigErrorKind {
    /// The file is not there or cannot be read.
    Unreadable,
    /// The file is not JSON, or a key stands twice in it.
    Syntax,
    /// A value has the wrong type.
    Type,
    /// Something that is needed is missing.
    Missing,
    /// A value is not valid.
    Invalid,
    /// A value is valid and not supported here.
    Unsupported,
    /// A variable or an input has no value.
    Variable,
}

impl ConfigError {
    /// What kind of mistake it is.
    #[must_use]
    pub const fn kind(&self) -> ConfigErrorKind {
        self.kind
    }

    /// The file as it was given.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The line in the file, from 1; `None` where it is about the whole file, or something that
    /// is not there. Of a text that is not JSON, the message says it.
    #[must_use]
    pub const fn line(&self) -> Option<usize> {
        self.line
    }

    /// The server, where it is about one.
    #[must_use]
    pub fn server(&self) -> Option<&str> {
        self.server.as_deref()
    }

    /// The key, where it is about one: `command`, `env.TOKEN`, `args[2]`.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    pub(super) fn with_source(mut self, source: impl StdError + Send + Sync + 'static) -> Self {
        self.source = Some(Box::new(source));
        self
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (server, key) = (self.server.as_deref(), self.key.as_deref());
        write_place(f, (&self.file, self.line), server, key)?;
        write!(f, ": {}", self.reason)
    }
}

impl StdError for ConfigError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|e| e as _)
    }
}

/// The first of many things, and how many there are.
#[derive(Debug)]
pub(super) struct First<T> {
    kept: Vec<T>,
    count: usize,
}

impl<T> Default for First<T> {
    fn default() -> Self {
        Self {
            kept: Vec::new(),
            count: 0,
        }
    }
}

impl<T> First<T> {
    /// How many are kept.
    const LIMIT: usize = 100;

    pub(super) fn add(&mut self, make: impl FnOnce() -> T) {
        if self.count < Self::LIMIT {
            self.kept.push(make());
        }
        self.count += 1;
    }

    /// Those that are kept, and how many more there are.
    pub(super) fn into_parts(self) -> (Vec<T>, usize) {
        let more = self.count - self.kept.len();
        (self.kept, more)
    }
}

/// The mistakes that were found, in the order of the file.
#[derive(Debug, Default)]
pub(super) struct Mistakes(RefCell<First<ConfigError>>);

impl Mistakes {
    pub(super) fn add(&self, mistake: impl FnOnce() -> ConfigError) {
        self.0.borrow_mut().add(mistake);
    }

    pub(super) fn note(&self, place: Place<'_>, kind: ConfigErrorKind, reason: impl Into<String>) {
        self.add(|| place.error(kind, reason));
    }

    /// A value of the wrong type.
    pub(super) fn expected(&self, place: Place<'_>, what: &str) {
        self.add(|| place.error(ConfigErrorKind::Type, format!("expected {what}")));
    }

    pub(super) fn count(&self) -> usize {
        self.0.borrow().count
    }

    pub(super) fn into_parts(self) -> (Vec<ConfigError>, usize) {
        self.0.into_inner().into_parts()
    }
}

/// Where something stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    file: &'a str,
    lines: Option<&'a Lines<'a>>,
    server: Option<&'a str>,
    key: Option<&'a str>,
}

impl<'a> Place<'a> {
    pub(super) const fn file(file: &'a str) -> Self {
        Self {
            file,
            lines: None,
            server: None,
            key: None,
        }
    }

    /// The same in a file whose lines are known.
    pub(super) const fn lines<'b>(self, lines: &'b Lines<'b>) -> Place<'b>
    where
        'a: 'b,
    {
        Place {
            lines: Some(lines),
            ..self
        }
    }

    pub(super) const fn server(self, server: &'a str) -> Self {
        Self {
            server: Some(server),
            ..self
        }
    }

    pub(super) const fn key<'b>(self, key: &'b str) -> Place<'b>
    where
        'a: 'b,
    {
        Place {
            key: Some(key),
            ..self
        }
    }

    pub(super) fn error(self, kind: ConfigErrorKind, reason: impl Into<String>) -> ConfigError {
        ConfigError {
            kind,
            file: self.file.into(),
            line: self.line(),
            server: self.server.map(Into::into),
            key: self.key.map(Into::into),
            reason: reason.into().into(),
            source: None,
        }
    }

    pub(super) fn unreadable(self, e: std::io::Error) -> ConfigError {
        let reason = "the file could not be read";
        self.error(ConfigErrorKind::Unreadable, reason)
            .with_source(e)
    }

    pub(super) fn too_large(self) -> ConfigError {
        self.error(ConfigErrorKind::Unreadable, "the file is larger than 1 MiB")
    }

    fn line(self) -> Option<usize> {
        self.lines?.line(self.server, self.key)
    }

    /// The line for a key that means nothing here.
    pub(super) fn ignored(self) -> String {
        format!("{self} is ignored")
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_place(f, (self.file, self.line()), self.server, self.key)
    }
}

/// `file:line: server "a": key "b"`, as far as it is known.
fn write_place(
    f: &mut fmt::Formatter<'_>,
    (file, line): (&str, Option<usize>),
    server: Option<&str>,
    key: Option<&str>,
) -> fmt::Result {
    f.write_str(file)?;
    if let Some(line) = line {
        write!(f, ":{line}")?;
    }
    if let Some(server) = server {
        write!(f, ": server {server:?}")?;
    }
    if let Some(key) = key {
        write!(f, ": key {key:?}")?;
    }
    Ok(())
}
