//! Wakes the driver.

use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use futures_util::task::AtomicWaker;

/// Wakes one task, however often it is told to before the task runs.
#[derive(Default)]
pub(crate) struct Wake {
    told: AtomicBool,
    waker: AtomicWaker,
}

impl Wake {
    pub(crate) fn wake(&self) {
        // Once is enough, and a task that has yielded is not woken early.
        if !self.told.swap(true, Ordering::AcqRel) {
            self.waker.wake();
        }
    }

    /// Ready when it has been told to.
    pub(crate) fn poll(&self, cx: &Context<'_>) -> Poll<()> {
        // Before the look, so that nothing is missed between the two.
        self.waker.register(cx.waker());
        if self.told.load(Ordering::Acquire) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }

    /// The task is about to look after everything that it was woken for; what comes after this
    /// wakes it again.
    pub(crate) fn listen(&self) {
        self.told.store(false, Ordering::Release);
    }
}
