//! Resource templates: whole families of resources at once.

use serde::{Deserialize, Serialize};

use crate::{
    Annotations, CacheScope, Cursor, Extra, Icon, Meta, PaginatedParams, ResultType, decode,
};

request! {
    /// `resources/templates/list`: a page of the server's resource templates.
    ///
    /// Specification: Resources, Resource Templates (all revisions).
    ListResourceTemplates = "resources/templates/list":
        PaginatedParams => ListResourceTemplatesResult
}

/// A family of resources whose URIs follow one template.
///
/// Specification: Resources, Resource Templates (all revisions).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct ResourceTemplate {
    /// A URI template as in RFC 6570.
    pub uri_template: String,
    /// The name for programs.
    pub name: String,
    /// The name for people. Since 2025-06-18.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is for, for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The media type, where all of them have the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Hints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
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

impl ResourceTemplate {
    /// A template with URI and name alone.
    pub fn new(uri_template: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri_template: uri_template.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            annotations: None,
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

setters!(ResourceTemplate {
    with_title(title: String),
    with_description(description: String),
    with_mime_type(mime_type: String),
    with_annotations(annotations: Annotations),
    with_icons(icons: Vec<Icon>),
    with_meta(meta: Meta),
});

list_result! {
    /// Result of [`ListResourceTemplates`].
    ///
    /// Specification: Resources, Resource Templates (all revisions).
    ListResourceTemplatesResult {
        /// The templates of this page.
        resource_templates: ResourceTemplate,
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

setters!(ListResourceTemplatesResult {
    with_next_cursor(next_cursor: Cursor),
    with_meta(meta: Meta),
});
server_result!(ListResourceTemplatesResult, cacheable);
