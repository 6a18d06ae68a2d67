//! Wakes the driver.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

/// Wakes one task, however often it is told to before the task runs.
#[derive(Default)]
pub(crate) struct Wake {
    told: AtomicBool,
    waker: WakerCell,
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
        self.waker.register(cx);
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

/// Where a task leaves its waker for others.
#[derive(Default)]
pub(crate) struct WakerCell(Mutex<Option<Waker>>);

impl WakerCell {
    pub(crate) fn register(&self, cx: &Context<'_>) {
        let mut waker = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *waker {
            Some(waker) => waker.clone_from(cx.waker()),
            None => *waker = Some(cx.waker().clone()),
        }
    }

    pub(crate) fn wake(&self) {
        let waker = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        // Not under the lock: nobody knows what a waker does.
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}
