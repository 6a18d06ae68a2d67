//! Runs a future as far as it goes without waiting.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::{Context, Poll, Waker};

use mcp_transport::BoxFuture;

pub(crate) enum Polled<T> {
    Ready(T),
    /// It waits for something; whoever polls it next will be woken.
    Pending(BoxFuture<'static, T>),
    Panicked,
}

/// Makes a future and polls it once. A panic of either ends here.
pub(crate) fn poll_once<T>(make: impl FnOnce() -> BoxFuture<'static, T>) -> Polled<T> {
    let polled = catch_unwind(AssertUnwindSafe(|| {
        let mut future = make();
        // A future that waits registers the waker of its latest poll, so this one may be deaf.
        match future
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()))
        {
            Poll::Ready(value) => Polled::Ready(value),
            Poll::Pending => Polled::Pending(future),
        }
    }));
    polled.unwrap_or(Polled::Panicked)
}
