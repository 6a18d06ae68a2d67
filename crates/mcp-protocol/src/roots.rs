//! Roots: the directories that a client lets a server work in.

use serde::{Deserialize, Serialize};

use crate::{Extra, Meta, NotificationParams, RequestParams};

request! {
    /// `roots/list`: asks a client for its roots. Since 2026-07-28 only inside of an
    /// input-required result, and deprecated.
    ///
    /// Specification: Roots (all revisions).
    ListRoots = "roots/list": RequestParams => ListRootsResult
}

notification! {
    /// `notifications/roots/list_changed`: the list of roots is another one now.
    ///
    /// Specification: Roots, Root List Changes (2024-11-05 to 2025-11-25).
    RootsListChanged = "notifications/roots/list_changed": NotificationParams
}

/// A directory or file that a server may work in.
///
/// Specification: Roots, Root (all revisions).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct Root {
    /// A `file:` URI.
    pub uri: String,
    /// The name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Since 2025-06-18.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl Root {
    /// A root without a name.
    pub fn new(uri: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            name: None,
            meta: None,
            extra: Extra::new(),
        }
    }

    /// Whether the URI is one of a file, as every revision demands.
    #[must_use]
    pub fn is_file(&self) -> bool {
        self.uri.starts_with("file://")
    }
}

setters!(Root {
    with_name(name: String),
    with_meta(meta: Meta),
});

list_result! {
    /// Result of [`ListRoots`].
    ///
    /// Specification: Roots (all revisions).
    ListRootsResult {
        /// The roots.
        roots: Root,
        /// What travels beside the result. Until 2025-11-25.
        #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
        meta: Option<Meta>,
    }
}

setters!(ListRootsResult { with_meta(meta: Meta) });
