//! Prompts: messages that a person picks and a server fills in.

use serde::{Deserialize, Serialize};

use crate::{
    CacheScope, Cursor, Extra, Icon, Meta, NotificationParams, PaginatedParams, ResultType, decode,
};

mod get;

pub use get::{GetPrompt, GetPromptParams, GetPromptResult, PromptMessage};

request! {
    /// `prompts/list`: a page of the server's prompts.
    ///
    /// Specification: Prompts, Listing Prompts (all revisions).
    ListPrompts = "prompts/list": PaginatedParams => ListPromptsResult
}

notification! {
    /// `notifications/prompts/list_changed`: the list of prompts is another one now.
    ///
    /// Specification: Prompts, List Changed Notification (all revisions).
    PromptListChanged = "notifications/prompts/list_changed": NotificationParams
}

/// A prompt, as a server describes it.
///
/// Specification: Prompts, Prompt (all revisions).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct Prompt {
    /// The name for programs, unique in its server.
    pub name: String,
    /// The name for people. Since 2025-06-18.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What can be filled in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Vec<PromptArgument>>,
    /// Pictures of it. Since 2025-11-25.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icons: Option<Vec<Icon>>,
    /// Since 2025-06-18.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl Prompt {
    /// A prompt without arguments.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            arguments: None,
            icons: None,
            meta: None,
            extra: Extra::new(),
        }
    }

    /// The title, or else the name.
    #[must_use]
    pub fn display_name(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.name)
    }
}

setters!(Prompt {
    with_title(title: String),
    with_description(description: String),
    with_arguments(arguments: Vec<PromptArgument>),
    with_icons(icons: Vec<Icon>),
    with_meta(meta: Meta),
});

/// Something to fill in. The value is always a string.
///
/// Specification: Prompts, Prompt (all revisions).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct PromptArgument {
    /// The name for programs.
    pub name: String,
    /// The name for people. Since 2025-06-18.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether it must be given. Absent: it need not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl PromptArgument {
    /// An argument that need not be given.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            required: None,
            extra: Extra::new(),
        }
    }
}

setters!(PromptArgument {
    with_title(title: String),
    with_description(description: String),
    with_required(required: bool),
});

list_result! {
    /// Result of [`ListPrompts`].
    ///
    /// Specification: Prompts, Listing Prompts (all revisions).
    ListPromptsResult {
        /// The prompts of this page.
        prompts: Prompt,
        /// Where the next page begins. Absent: this was the last.
        #[serde(skip_serializing_if = "Option::is_none")]
        next_cursor: Option<Cursor>,
        /// The kind of the result. Since 2026-07-28.
        #[serde(skip_serializing_if = "Option::is_none")]
        result_type: Option<ResultType>,
        /// How long the page is fresh, in milliseconds. Since 2026-07-28.
        #[serde(default, deserialize_with = "decode::count", skip_serializing_if = "Option::is_none")]
        ttl_ms: Option<u64>,
        /// Who may be given the kept page. Since 2026-07-28.
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_scope: Option<CacheScope>,
        /// What travels beside the result.
        #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
        meta: Option<Meta>,
    }
}

setters!(ListPromptsResult {
    with_next_cursor(next_cursor: Cursor),
    with_meta(meta: Meta),
});
server_result!(ListPromptsResult, cacheable);
