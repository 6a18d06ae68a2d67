//! Handlers that panic.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;
use mcp_jsonrpc::{ErrorObject, RawJson};

/// Runs a handler; a panic becomes an internal error.
pub(crate) async fn caught<F>(handler: F) -> Result<RawJson, ErrorObject>
where
    F: Future<Output = Result<RawJson, ErrorObject>>,
{
    AssertUnwindSafe(handler)
        .catch_unwind()
        .await
        .unwrap_or_else(|_| {
            tracing::error!("a request handler panicked");
            Err(ErrorObject::internal("the handler failed"))
        })
}

/// Runs a handler of a notification; a panic ends only this one.
pub(crate) async fn caught_silently(handler: impl Future<Output = ()>) {
    if AssertUnwindSafe(handler).catch_unwind().await.is_err() {
        tracing::error!("a notification handler panicked");
    }
}
