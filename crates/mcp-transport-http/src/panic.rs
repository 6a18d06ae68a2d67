//! Handlers that panic.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

use mcp_jsonrpc::{ErrorObject, RawJson};

/// Runs a handler; a panic becomes an internal error.
pub(crate) async fn caught<F>(handler: F) -> Result<RawJson, ErrorObject>
where
    F: Future<Output = Result<RawJson, ErrorObject>>,
{
    contained(handler).await.unwrap_or_else(|| {
        tracing::error!("a request handler panicked");
        Err(ErrorObject::internal("the handler failed"))
    })
}

/// Runs a handler of a notification; a panic ends only this one.
pub(crate) async fn caught_silently(handler: impl Future<Output = ()>) {
    if contained(handler).await.is_none() {
        tracing::error!("a notification handler panicked");
    }
}

/// What comes of a future; `None` where it panics, after which it is not polled again.
async fn contained<F: Future>(future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    poll_fn(|cx| {
        let polled = catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(cx)));
        polled.map_or(Poll::Ready(None), |polled| polled.map(Some))
    })
    .await
}
