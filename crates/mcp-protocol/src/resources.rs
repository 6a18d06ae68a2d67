//! Resources: what a server lets clients read.

use serde::{Deserialize, Serialize};

use crate::{
    Annotations, CacheScope, Cursor, EmptyResult, Extra, Icon, Meta, NotificationParams,
    PaginatedParams, RequestMeta, ResultType, decode,
};

mod contents;
mod read;
mod template;

pub use contents::{BlobResourceContents, ResourceContents, TextResourceContents};
pub use read::{ReadResource, ReadResourceParams, ReadResourceResult};
pub use template::{ListResourceTemplates, ListResourceTemplatesResult, ResourceTemplate};

request! {
    /// `resources/list`: a page of the server's resources.
    ///
    /// Specification: Resources, Listing Resources (all revisions).
    ListResources = "resources/list": PaginatedParams => ListResourcesResult
}

request! {
    /// `resources/subscribe`: asks to be told when a resource changes.
    ///
    /// Specification: Resources, Subscriptions (2024-11-05 to 2025-11-25).
    Subscribe = "resources/subscribe": ResourceParams => EmptyResult
}

request! {
    /// `resources/unsubscribe`: asks no longer to be told.
    ///
    /// Specification: Resources, Subscriptions (2024-11-05 to 2025-11-25).
    Unsubscribe = "resources/unsubscribe": ResourceParams => EmptyResult
}

notification! {
    /// `notifications/resources/list_changed`: the list of resources is another one now.
    ///
    /// Specification: Resources, List Changed Notification (all revisions).
    ResourceListChanged = "notifications/resources/list_changed": NotificationParams
}

notification! {
    /// `notifications/resources/updated`: a resource has changed.
    ///
    /// Specification: Resources, Subscriptions (all revisions).
    ResourceUpdated = "notifications/resources/updated": ResourceUpdatedParams
}

/// A resource, as a server describes it.
///
/// Specification: Resources, Resource (all revisions).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct Resource {
    /// Where it is.
    pub uri: String,
    /// The name for programs.
    pub name: String,
    /// The name for people. Since 2025-06-18.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is, for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The media type, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// How long the contents are, in bytes before base64, if known.
    #[serde(
        default,
        deserialize_with = "decode::count",
        skip_serializing_if = "Option::is_none"
    )]
    pub size: Option<u64>,
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

impl Resource {
    /// A resource with URI and name alone.
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            size: None,
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

setters!(Resource {
    with_title(title: String),
    with_description(description: String),
    with_mime_type(mime_type: String),
    with_size(size: u64),
    with_annotations(annotations: Annotations),
    with_icons(icons: Vec<Icon>),
    with_meta(meta: Meta),
});

list_result! {
    /// Result of [`ListResources`].
    ///
    /// Specification: Resources, Listing Resources (all revisions).
    ListResourcesResult {
        /// The resources of this page.
        resources: Resource,
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

setters!(ListResourcesResult {
    with_next_cursor(next_cursor: Cursor),
    with_meta(meta: Meta),
});
server_result!(ListResourcesResult, cacheable);

/// Params of [`Subscribe`] and [`Unsubscribe`] (`ResourceRequestParams`).
///
/// Specification: Resources, Subscriptions (2024-11-05 to 2025-11-25).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct ResourceParams {
    /// Which resource.
    pub uri: String,
    /// What travels beside the params.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl ResourceParams {
    /// Names a resource.
    pub fn new(uri: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            meta: None,
            extra: Extra::new(),
        }
    }
}

setters!(ResourceParams { with_meta(meta: RequestMeta) });
has_meta!(ResourceParams);

/// Params of [`ResourceUpdated`] (`ResourceUpdatedNotificationParams`).
///
/// Specification: Resources, Subscriptions (all revisions).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct ResourceUpdatedParams {
    /// What changed: the resource, or a part of it.
    pub uri: String,
    /// What travels beside the params.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl ResourceUpdatedParams {
    /// Names what changed.
    pub fn new(uri: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            meta: None,
            extra: Extra::new(),
        }
    }
}

setters!(ResourceUpdatedParams { with_meta(meta: Meta) });
