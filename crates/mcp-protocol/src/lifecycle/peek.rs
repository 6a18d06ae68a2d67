//! The few members of a request's `_meta` that decide how it is treated, read without decoding
//! the rest.

use mcp_jsonrpc::{Id, RawJson, pick};

/// Undecoded, so that one malformed member does not hide the others.
#[derive(Debug, Default)]
pub(super) struct Meta<'a> {
    progress_token: Option<&'a str>,
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
        params.and_then(Self::read).unwrap_or_default()
    }

    fn read(params: &'a RawJson) -> Option<Self> {
        let [meta] = pick(params.as_bytes(), ["_meta"])?;
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
        let members = pick(meta?.as_bytes(), names)?.map(|v| v.filter(|value| *value != "null"));
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
        serde_json::from_str(self.progress_token?).ok()
    }
}
