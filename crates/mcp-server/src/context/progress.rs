//! Progress: only where the client asked for it, only rising, and not more than a client can use.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use mcp_protocol::{Feature, ProgressParams, progress};
use mcp_transport::Progress;
use tokio::time::Instant;

use super::Context;

impl Context {
    /// The most reports that are sent at once; after that one every
    /// [`PROGRESS_INTERVAL`](Self::PROGRESS_INTERVAL).
    pub const PROGRESS_BURST: u32 = 32;
    /// How long it takes until one more report may be sent.
    pub const PROGRESS_INTERVAL: Duration = Duration::from_millis(20);

    /// Reports how far the request has come; `0.5` will do for a report without total and
    /// message.
    ///
    /// Nothing is sent if the client has not asked for progress, if the value has not risen
    /// since the last report, or if too many were sent just before: a handler may report as
    /// often as it likes.
    ///
    /// # Cancel safety
    /// Dropping the future may lose the report.
    pub async fn progress(&self, report: impl Into<Progress>) {
        let Some(token) = &self.request().progress_token else {
            return;
        };
        let report = report.into();
        if self.is_answered() || !self.0.meter.admits(report.progress, Instant::now()) {
            return;
        }
        let mut params = ProgressParams::new(token.clone(), report.progress);
        params.meta = self.related();
        params.total = report.total;
        params.message = report
            .message
            .filter(|_| self.version().has(Feature::ProgressMessage));
        self.notify::<progress::Progress>(&params).await;
    }
}

/// Lets through what rises, at a bounded rate.
#[derive(Default)]
pub(super) struct Meter(Mutex<Option<Sent>>);

struct Sent {
    value: f64,
    /// When the burst is all there again.
    full_at: Instant,
}

impl Meter {
    fn admits(&self, value: f64, now: Instant) -> bool {
        let mut sent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let burst = Context::PROGRESS_INTERVAL * Context::PROGRESS_BURST;
        let last = sent.as_ref();
        let rises = last.is_none_or(|last| value > last.value);
        let full_at = last.map_or(now, |last| last.full_at.max(now)) + Context::PROGRESS_INTERVAL;
        if !(value.is_finite() && rises) || full_at > now + burst {
            return false;
        }
        *sent = Some(Sent { value, full_at });
        true
    }
}
