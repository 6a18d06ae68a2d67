//! Reading a resource.

use serde::{Deserialize, Serialize};

use super::ResourceContents;
use crate::{CacheScope, Extra, InputResponses, Meta, RequestMeta, ResultType, decode};

request! {
    /// `resources/read`: the contents of a resource.
    ///
    /// Specification: Resources, Reading Resources (all revisions).
    ReadResource = "resources/read": ReadResourceParams => ReadResourceResult
}

/// Params of [`ReadResource`] (`ReadResourceRequestParams`).
///
/// Specification: Resources, Reading Resources (all revisions).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct ReadResourceParams {
    /// Which resource.
    pub uri: String,
    /// Answers to what the server asked before. Since 2026-07-28.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_responses: Option<InputResponses>,
    /// What the server wants back, byte for byte. Since 2026-07-28.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_state: Option<String>,
    /// What travels beside the params.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl ReadResourceParams {
    /// Reads a resource.
    pub fn new(uri: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            input_responses: None,
            request_state: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

setters!(ReadResourceParams {
    with_input_responses(input_responses: InputResponses),
    with_request_state(request_state: String),
    with_meta(meta: RequestMeta),
});
has_meta!(ReadResourceParams);

/// Result of [`ReadResource`].
///
/// Specification: Resources, Reading Resources (all revisions). A resource that does not exist
/// is an error, never an empty list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct ReadResourceResult {
    /// The kind of the result. Since 2026-07-28.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
    /// The contents: several where the resource is a collection.
    pub contents: Vec<ResourceContents>,
    /// How long the contents are fresh, in milliseconds. Since 2026-07-28.
    #[serde(
        default,
        deserialize_with = "decode::count",
        skip_serializing_if = "Option::is_none"
    )]
    pub ttl_ms: Option<u64>,
    /// Who may be given the kept contents. Since 2026-07-28.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_scope: Option<CacheScope>,
    /// What travels beside the result.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl ReadResourceResult {
    /// A result with these contents.
    #[must_use]
    pub fn new(contents: Vec<ResourceContents>) -> Self {
        Self {
            contents,
            ..Self::default()
        }
    }
}

setters!(ReadResourceResult { with_meta(meta: Meta) });
server_result!(ReadResourceResult, cacheable);
