//! When a call has waited long enough.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mcp_transport::Timeouts;
use tokio::time::Instant;

use crate::alarm::Alarms;

/// The last sign of life of a call: its begin, then each report of progress.
#[derive(Clone, Debug)]
pub(crate) struct LastSign(Arc<Mutex<Instant>>);

impl LastSign {
    pub(crate) fn now() -> Self {
        Self(Arc::new(Mutex::new(Instant::now())))
    }

    pub(crate) fn renew(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    fn get(&self) -> Instant {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// Both limits of a call that has begun.
#[derive(Debug)]
pub(crate) struct Deadline {
    begin: Instant,
    timeouts: Timeouts,
    /// Where progress counts.
    sign: Option<LastSign>,
}

impl Deadline {
    pub(crate) fn new(timeouts: Timeouts, sign: Option<LastSign>) -> Self {
        Self {
            begin: Instant::now(),
            timeouts,
            sign: sign.filter(|_| timeouts.reset_on_progress),
        }
    }

    fn at(&self) -> Option<Instant> {
        let last = self.sign.as_ref().map_or(self.begin, LastSign::get);
        let idle = self.timeouts.idle.and_then(|limit| last.checked_add(limit));
        let total = self
            .timeouts
            .total
            .and_then(|limit| self.begin.checked_add(limit));
        match (idle, total) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// Resolves when a limit is reached, with the time that the call has waited.
    pub(crate) async fn reached(&self, alarms: &Alarms) -> Duration {
        loop {
            let Some(at) = self.at() else {
                return std::future::pending().await;
            };
            alarms.until(at).await;
            // Progress may have moved the limit meanwhile.
            if self.at().is_some_and(|now| now <= at) {
                return self.begin.elapsed();
            }
        }
    }
}
