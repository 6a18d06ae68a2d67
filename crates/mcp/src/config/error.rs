//! What can be wrong with a configuration, and where.

use std::cell::RefCell;
use std::error::Error as StdError;
use std::fmt;

/// A mistake in a configuration, as one line: file, server, key, reason.
#[derive(Debug)]
pub struct ConfigError {
    kind: ConfigErrorKind,
    file: String,
    server: Option<String>,
    key: Option<String>,
    reason: String,
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
        let place = Place {
            file: &self.file,
            server: self.server.as_deref(),
            key: self.key.as_deref(),
        };
        write!(f, "{place}: {}", self.reason)
    }
}

impl StdError for ConfigError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|e| e as _)
    }
}

/// The mistakes that were found, in the order of the file.
#[derive(Debug, Default)]
pub(super) struct Mistakes(RefCell<Vec<ConfigError>>);

impl Mistakes {
    pub(super) fn add(&self, mistake: ConfigError) {
        self.0.borrow_mut().push(mistake);
    }

    pub(super) fn note(&self, place: Place<'_>, kind: ConfigErrorKind, reason: impl Into<String>) {
        self.add(place.error(kind, reason));
    }

    /// A value of the wrong type.
    pub(super) fn expected(&self, place: Place<'_>, what: &str) {
        self.note(place, ConfigErrorKind::Type, format!("expected {what}"));
    }

    pub(super) fn count(&self) -> usize {
        self.0.borrow().len()
    }

    pub(super) fn into_inner(self) -> Vec<ConfigError> {
        self.0.into_inner()
    }
}

/// Where something stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    file: &'a str,
    server: Option<&'a str>,
    key: Option<&'a str>,
}

impl<'a> Place<'a> {
    pub(super) const fn file(file: &'a str) -> Self {
        Self {
            file,
            server: None,
            key: None,
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
            file: self.file.to_owned(),
            server: self.server.map(str::to_owned),
            key: self.key.map(str::to_owned),
            reason: reason.into(),
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

    /// The line for a key that means nothing here.
    pub(super) fn ignored(self) -> String {
        format!("{self} is ignored")
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.file)?;
        if let Some(server) = self.server {
            write!(f, ": server {server:?}")?;
        }
        if let Some(key) = self.key {
            write!(f, ": key {key:?}")?;
        }
        Ok(())
    }
}
