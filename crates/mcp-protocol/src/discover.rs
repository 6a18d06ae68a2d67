//! `server/discover`: what a server of 2026-07-28 speaks and can do.

use serde::{Deserialize, Serialize};

use crate::{CacheScope, Extra, Meta, RequestParams, ResultType, ServerCapabilities, decode};

request! {
    /// `server/discover`: asks for revisions and capabilities. Every server answers it.
    ///
    /// Specification: Discovery. Since 2026-07-28.
    Discover = "server/discover": RequestParams => DiscoverResult
}

/// Result of [`Discover`]. Who the server is stands in `_meta`.
///
/// Specification: Discovery. Since 2026-07-28.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct DiscoverResult {
    /// The kind of the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
    /// The revisions that the server speaks.
    pub supported_versions: Vec<String>,
    /// What the server can do.
    pub capabilities: ServerCapabilities,
    /// How to use the server, for the model. Text from outside: never to be trusted blindly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// How long the result is fresh, in milliseconds.
    #[serde(
        default,
        deserialize_with = "decode::count",
        skip_serializing_if = "Option::is_none"
    )]
    pub ttl_ms: Option<u64>,
    /// Who may be given the kept result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_scope: Option<CacheScope>,
    /// What travels beside the result.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl DiscoverResult {
    /// A result without instructions.
    #[must_use]
    pub fn new(supported_versions: Vec<String>, capabilities: ServerCapabilities) -> Self {
        Self {
            result_type: None,
            supported_versions,
            capabilities,
            instructions: None,
            ttl_ms: None,
            cache_scope: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

setters!(DiscoverResult {
    with_instructions(instructions: String),
    with_meta(meta: Meta),
});
server_result!(DiscoverResult, cacheable);
