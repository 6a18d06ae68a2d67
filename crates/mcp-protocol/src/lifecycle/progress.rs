//! `notifications/progress`: only for tokens in use, and only rising.

use mcp_jsonrpc::{Id, IdMap, MethodName, RawJson};
use serde::Deserialize;

pub(super) const PROGRESS: MethodName = MethodName::from_static("notifications/progress");

/// The params of a progress notification.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Report {
    progress_token: Id,
    pub(super) progress: f64,
    #[serde(default)]
    pub(super) total: Option<f64>,
    #[serde(default)]
    pub(super) message: Option<String>,
}

impl Report {
    /// Reads the params; `None` where they are not those of a progress notification.
    pub(super) fn read(params: Option<&RawJson>) -> Option<Self> {
        params?.decode_borrowed().ok()
    }
}

/// The tokens in use in one direction, each with the request that it belongs to.
#[derive(Debug, Default)]
pub(super) struct Tokens(IdMap<Live>);

#[derive(Debug)]
struct Live {
    request: Id,
    last: Option<f64>,
}

impl Tokens {
    /// A request with this token has begun.
    pub(super) fn begin(&mut self, token: Id, request: Id) {
        self.0.insert(
            token,
            Live {
                request,
                last: None,
            },
        );
    }

    /// The request has ended; its token counts no more.
    pub(super) fn end(&mut self, token: &Id, request: &Id) {
        if self
            .0
            .get(token)
            .is_some_and(|live| live.request == *request)
        {
            self.0.remove(token);
        }
    }

    /// Lets a report pass if its token is in use and its value rises, and says for which request.
    pub(super) fn pass(&mut self, report: &Report) -> Option<Id> {
        let live = self.0.get_mut(&report.progress_token)?;
        if live.last.is_some_and(|last| report.progress <= last) || !report.progress.is_finite() {
            return None;
        }
        live.last = Some(report.progress);
        Some(live.request.clone())
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
