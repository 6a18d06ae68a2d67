//! The layer and what it can be told.

use std::sync::Arc;

use super::Redact;
use super::rules::Rules;
use crate::closure::Closure;
use crate::layer::tower_layer;

/// Takes secrets out of what comes back: texts, text resources, links, structured content,
/// `_meta`, what a command writes, and the texts of errors. In their place stands `[redacted]`.
///
/// Images, sound and other binary data are not looked into, nor are progress and log messages
/// that a server sends meanwhile. JSON is looked into 128 levels deep; what is deeper is taken
/// out as a whole.
///
/// ```
/// use mcp_interceptors::{RedactLayer, ToolLayers};
/// let layers = ToolLayers::new().layer(
///     RedactLayer::new()
///         .text("hunter2")
///         .member("password")
///         .with(|text: &str| text.contains("BEGIN PRIVATE KEY").then(|| "[a key]".to_owned())),
/// );
/// # assert_eq!(layers.len(), 1);
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct RedactLayer {
    rules: Rules,
    arguments: bool,
}

impl RedactLayer {
    /// Takes nothing out.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes this text out wherever it stands. The empty text is nothing.
    pub fn text(mut self, secret: impl Into<String>) -> Self {
        let secret = secret.into();
        if !secret.is_empty() {
            self.rules.texts.push(secret);
        }
        self
    }

    /// Takes out the values of JSON members of this name, in any case of letters; also in texts
    /// that are JSON.
    pub fn member(mut self, name: impl Into<String>) -> Self {
        self.rules.members.push(name.into());
        self
    }

    /// Asks the function about each text: what it gives stands in place of the text.
    pub fn with(mut self, f: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        self.rules.custom.push(Closure(Arc::new(f)));
        self
    }

    /// Does the same to arguments, before they are sent.
    pub fn arguments(mut self) -> Self {
        self.arguments = true;
        self
    }

    fn interceptor(&self) -> Redact {
        Redact {
            rules: Arc::new(self.rules.clone()),
            arguments: self.arguments,
        }
    }
}

tower_layer!(RedactLayer);
