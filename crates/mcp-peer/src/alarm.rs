//! One timer that may ring early.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

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

    /// When it rings next.
    pub(crate) const fn at(&self) -> Option<Instant> {
        self.set
    }

    /// Ready when it rings; never if it is not set.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.set.is_none() {
            return Poll::Pending;
        }
        ready!(self.sleep.as_mut().poll(cx));
        self.set = None;
        Poll::Ready(())
    }
}
