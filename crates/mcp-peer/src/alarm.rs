//! One timer that may ring early.

use std::pin::Pin;

use tokio::time::{Instant, Sleep, sleep_until};

/// A timer that is only ever set to an earlier time. Who hears it checks the time anyway, and
/// setting it to a later one with each answer would cost more than to hear it once in vain.
pub(crate) struct Alarm {
    sleep: Pin<Box<Sleep>>,
    set: Option<Instant>,
}

impl Alarm {
    pub(crate) fn new() -> Self {
        Self {
            sleep: Box::pin(sleep_until(Instant::now())),
            set: None,
        }
    }

    /// Rings at this time at the latest.
    pub(crate) fn set(&mut self, at: Instant) {
        if self.set.is_none_or(|set| at < set) {
            self.sleep.as_mut().reset(at);
            self.set = Some(at);
        }
    }

    /// Waits for the alarm; for ever if it is not set.
    ///
    /// # Cancel safety
    /// Dropping the future leaves the alarm set.
    pub(crate) async fn ring(&mut self) {
        if self.set.is_none() {
            std::future::pending::<()>().await;
        }
        self.sleep.as_mut().await;
        self.set = None;
    }
}
