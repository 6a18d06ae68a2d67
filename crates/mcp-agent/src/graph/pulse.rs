//! Signs of life of a node that must not be silent for long.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

/// When a node last showed a sign of life.
pub(crate) struct Pulse {
    began: Instant,
    /// Nanoseconds from there to the last beat.
    last: AtomicU64,
    /// Of the node around, which lives as long as this one does.
    outer: Option<Arc<Self>>,
}

impl Pulse {
    pub(crate) fn new(outer: Option<Arc<Self>>) -> Self {
        Self {
            began: Instant::now(),
            last: AtomicU64::new(0),
            outer,
        }
    }

    pub(crate) fn beat(&self) {
        let since = self.began.elapsed().as_nanos();
        let since = u64::try_from(since).unwrap_or(u64::MAX);
        self.last.store(since, Ordering::Relaxed);
        if let Some(outer) = &self.outer {
            outer.beat();
        }
    }

    /// Waits until there was no beat for so long.
    pub(super) async fn silence(&self, limit: Duration) {
        loop {
            let last = Duration::from_nanos(self.last.load(Ordering::Relaxed));
            let Some(until) = self.began.checked_add(last.saturating_add(limit)) else {
                return std::future::pending().await;
            };
            if until <= Instant::now() {
                return;
            }
            tokio::time::sleep_until(until).await;
        }
    }
}
