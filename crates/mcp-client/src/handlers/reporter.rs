//! How far the answer to a server's request is, for the server.

use std::sync::{Arc, Mutex, PoisonError};

use mcp_jsonrpc::{Notification, RawJson};
use mcp_protocol::progress::Progress as ProgressNotification;
use mcp_protocol::{ProgressParams, ProgressToken, RpcNotification as _};
use mcp_transport::{Channel, Progress};

/// Tells a server how far the answer to its request is, if it wants to know. Clones are the same.
///
/// Until 2025-11-25; later servers ask inside of results, which have no progress.
#[derive(Clone, Debug, Default)]
pub struct Reporter(Option<Arc<Inner>>);

#[derive(Debug)]
struct Inner {
    channel: Arc<dyn Channel>,
    token: ProgressToken,
    /// The last value; `None` before the first, and infinite once the request is answered.
    last: Mutex<Option<f64>>,
}

impl Reporter {
    pub(crate) fn new(channel: &Arc<dyn Channel>, token: Option<ProgressToken>) -> Self {
        let inner = |token| Inner {
            channel: Arc::clone(channel),
            token,
            last: Mutex::default(),
        };
        Self(token.map(inner).map(Arc::new))
    }

    /// Reports how far the answer is; `0.5` will do for a report without total and message.
    ///
    /// Nothing is sent if the server has not asked for progress, if the value has not risen, or
    /// after the answer.
    ///
    /// # Cancel safety
    /// Dropping the future may lose the report.
    pub async fn report(&self, report: impl Into<Progress> + Send) {
        let (Some(inner), report) = (&self.0, report.into()) else {
            return;
        };
        if !inner.rises(report.progress) {
            return;
        }
        let mut params = ProgressParams::new(inner.token.clone(), report.progress);
        params.total = report.total;
        params.message = report.message;
        let notification =
            Notification::new(ProgressNotification::METHOD, RawJson::encode(&params).ok());
        if let Err(error) = inner.channel.notify(notification).await {
            tracing::debug!(%error, "a report of progress was not sent");
        }
    }

    /// The request is answered: nothing is reported any more.
    pub(crate) fn end(&self) {
        if let Some(inner) = &self.0 {
            *inner.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(f64::INFINITY);
        }
    }
}

impl Inner {
    fn rises(&self, value: f64) -> bool {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let rises = value.is_finite() && last.is_none_or(|last| value > last);
        if rises {
            *last = Some(value);
        }
        rises
    }
}
