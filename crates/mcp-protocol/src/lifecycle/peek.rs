//! The few members of a request's `_meta` that decide how it is treated, read without decoding
//! the rest.

use mcp_jsonrpc::{Id, RawJson};
use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow, rename = "_meta")]
    meta: Option<Meta<'a>>,
}

/// Raw, so that one malformed member does not hide the others.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Meta<'a> {
    #[serde(borrow, rename = "progressToken")]
    progress_token: Option<&'a RawValue>,
    #[serde(borrow, rename = "io.modelcontextprotocol/protocolVersion")]
    pub(super) version: Option<&'a RawValue>,
    #[serde(borrow, rename = "io.modelcontextprotocol/clientCapabilities")]
    pub(super) capabilities: Option<&'a RawValue>,
    #[serde(borrow, rename = "io.modelcontextprotocol/clientInfo")]
    pub(super) info: Option<&'a RawValue>,
    #[serde(borrow, rename = "io.modelcontextprotocol/logLevel")]
    pub(super) log_level: Option<&'a RawValue>,
    #[serde(borrow, rename = "io.modelcontextprotocol/subscriptionId")]
    pub(super) subscription: Option<&'a RawValue>,
}

impl<'a> Meta<'a> {
    /// Reads `_meta`; the empty one where there is none, or it is no object.
    pub(super) fn of(params: Option<&'a RawJson>) -> Self {
        let Some(params) = params.filter(|params| params.as_str().contains("_meta")) else {
            return Self::default();
        };
        let params: Option<Params<'a>> = params.decode_borrowed().ok();
        params.and_then(|params| params.meta).unwrap_or_default()
    }

    /// The token for progress; `None` too where it is neither string nor integer.
    pub(super) fn progress_token(&self) -> Option<Id> {
        serde_json::from_str(self.progress_token?.get()).ok()
    }
}
