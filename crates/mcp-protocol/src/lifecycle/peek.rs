//! The few members of a request's `_meta` that decide how it is treated, read without decoding
//! the rest.

use mcp_jsonrpc::{Id, RawJson, pick};

/// Undecoded, so that one malformed member does not hide the others.
#[derive(Debug, Default)]
pub(super) struct Meta<'a> {
    pub(super) progress_token: Option<&'a str>,
    pub(super) version: Option<&'a str>,
    pub(super) capabilities: Option<&'a str>,
    pub(super) info: Option<&'a str>,
    pub(super) log_level: Option<&'a str>,
    pub(super) subscription: Option<&'a str>,
    pub(super) related_task: Option<&'a str>,
}

impl<'a> Meta<'a> {
    /// Reads `_meta`; the empty one where there is none, or it is no object.
    pub(super) fn of(params: Option<&'a RawJson>) -> Self {
        text(params).and_then(Self::read).unwrap_or_default()
    }

    /// Reads the text of a `_meta`.
    pub(super) fn read(meta: &'a str) -> Option<Self> {
        let names = [
            "progressToken",
            "io.modelcontextprotocol/protocolVersion",
            "io.modelcontextprotocol/clientCapabilities",
            "io.modelcontextprotocol/clientInfo",
            "io.modelcontextprotocol/logLevel",
            "io.modelcontextprotocol/subscriptionId",
            "io.modelcontextprotocol/related-task",
        ];
        // `null` is what many peers write for "nothing".
        let members = pick(meta.as_bytes(), names)?.map(|v| v.filter(|value| *value != "null"));
        let [
            progress_token,
            version,
            capabilities,
            info,
            log_level,
            subscription,
            related_task,
        ] = members;
        Some(Self {
            progress_token,
            version,
            capabilities,
            info,
            log_level,
            subscription,
            related_task,
        })
    }

    /// The token for progress; `None` too where it is neither string nor integer.
    pub(super) fn progress_token(&self) -> Option<Id> {
        token(self.progress_token?)
    }
}

/// The `_meta` of a message, where it has one.
pub(super) fn text(params: Option<&RawJson>) -> Option<&str> {
    let [meta] = params?.pick(["_meta"])?;
    meta
}

/// A token for progress, if the value is one.
pub(super) fn token(value: &str) -> Option<Id> {
    serde_json::from_str(value).ok()
}
