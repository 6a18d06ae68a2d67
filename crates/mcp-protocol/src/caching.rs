//! What 2026-07-28 adds to results: their kind, who made them, how long they may be kept.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Extra, Feature, Meta, ProtocolVersion};

open_enum! {
    /// What kind of result it is. Absent means complete.
    ///
    /// A client treats a kind that it does not know as an invalid response.
    /// Specification: basic protocol, Responses. Since 2026-07-28.
    ResultType {
        /// The answer.
        Complete = "complete",
        /// The server needs input first: an [`InputRequiredResult`](crate::InputRequiredResult).
        InputRequired = "input_required",
        /// The answer comes later: extension `io.modelcontextprotocol/tasks`.
        Task = "task",
    }
}

open_enum! {
    /// Who may be given a kept result.
    ///
    /// Specification: Caching, `CacheableResult`. Since 2026-07-28.
    CacheScope {
        /// Anyone.
        Public = "public",
        /// Only who asked, under the same authorization.
        Private = "private",
    }
}

/// How long, and for whom, a result may be kept. By default not at all.
///
/// Specification: Caching. Since 2026-07-28. Results of earlier revisions may not be kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CacheHint {
    /// How long it is fresh, from when it was received.
    pub ttl: Duration,
    /// Whether anyone may be given it. Anything but `public` counts as private.
    pub shared: bool,
}

impl CacheHint {
    pub(crate) fn from_members(ttl_ms: Option<u64>, scope: Option<&CacheScope>) -> Self {
        Self {
            ttl: Duration::from_millis(ttl_ms.unwrap_or(0)),
            shared: scope == Some(&CacheScope::Public),
        }
    }
}

/// A result that a server sends.
///
/// Handlers leave `resultType`, `ttlMs`, `cacheScope` and the server's identity alone; before a
/// result is written, [`stamp`](Self::stamp) adds what the revision of the request wants, and
/// takes away what it does not know.
///
/// Specification: basic protocol, Responses (2026-07-28).
///
/// ```
/// use mcp_protocol::{CallToolResult, ProtocolVersion, Stamp};
/// let mut result = CallToolResult::text("done");
/// result.stamp(ProtocolVersion::V2026_07_28, None);
/// assert!(serde_json::to_string(&result).unwrap().contains(r#""resultType":"complete""#));
/// result.stamp(ProtocolVersion::V2025_11_25, None);
/// assert!(!serde_json::to_string(&result).unwrap().contains("resultType"));
/// ```
pub trait Stamp {
    /// The kind of the result.
    fn result_type_mut(&mut self) -> &mut Option<ResultType>;

    /// The `_meta` of the result.
    fn meta_mut(&mut self) -> &mut Option<Meta>;

    /// `ttlMs` and `cacheScope`, where the result has them.
    fn cache_mut(&mut self) -> Option<(&mut Option<u64>, &mut Option<CacheScope>)> {
        None
    }

    /// Fits the payload to a revision that does not know all of it. Part of
    /// [`stamp`](Self::stamp).
    fn fit(&mut self, _version: ProtocolVersion) {}

    /// Fits what depends on the revision to `version`.
    ///
    /// `server_info` is an [`Implementation`](crate::Implementation) as JSON. A result that says
    /// nothing about being kept must not be: 0 ms, private.
    fn stamp(&mut self, version: ProtocolVersion, server_info: Option<&Value>) {
        self.fit(version);
        if version.has(Feature::ResultType) {
            self.result_type_mut().get_or_insert(ResultType::Complete);
        } else {
            *self.result_type_mut() = None;
        }
        let hints = version.has(Feature::CacheHints);
        if let Some((ttl_ms, scope)) = self.cache_mut() {
            if hints {
                ttl_ms.get_or_insert(0);
                scope.get_or_insert(CacheScope::Private);
            } else {
                *ttl_ms = None;
                *scope = None;
            }
        }
        if let Some(info) = server_info.filter(|_| version.has(Feature::ServerInfoInMeta)) {
            self.meta_mut()
                .get_or_insert_default()
                .set_server_info(info.clone());
        }
    }
}

/// A result that says no more than that it was done.
///
/// Specification: basic protocol, Responses (all revisions).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct EmptyResult {
    /// Since 2026-07-28.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
    /// What travels beside the result.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl EmptyResult {
    /// An empty result.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

server_result!(EmptyResult);
