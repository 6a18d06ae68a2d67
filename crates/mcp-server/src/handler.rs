//! Closures of any type behind one, and what drives the futures that they return.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::task::Poll;

use futures_util::FutureExt as _;
use mcp_transport::BoxFuture;
use serde::de::DeserializeOwned;

use crate::Context;
use crate::arguments::{self, ArgumentError};
use crate::ask::Rounds;

/// A handler under way.
pub(crate) type Running<T, E> = BoxFuture<'static, Result<T, E>>;

/// A handler that is given something by the server itself.
pub(crate) type Plain<I, T, E> = Box<dyn Fn(I, Context) -> Running<T, E> + Send + Sync>;

/// A handler whose arguments come from JSON text: decodes them and begins, without running any of
/// the handler's code yet.
pub(crate) type Function<T, E> =
    Box<dyn Fn(&str, Context) -> Result<Running<T, E>, ArgumentError> + Send + Sync>;

/// Hides the type of a closure that takes what the server gives it.
pub(crate) fn plain<I, F, Fut, T, E>(handler: F) -> Plain<I, T, E>
where
    I: Send + 'static,
    F: Fn(I, Context) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<T, E>> + Send + 'static,
{
    let handler = Arc::new(handler);
    Box::new(move |input, cx| {
        let handler = Arc::clone(&handler);
        // The closure runs inside the future, so that its panics are caught there.
        Box::pin(async move { handler(input, cx).await })
    })
}

/// Hides the type of a closure that takes arguments.
pub(crate) fn function<A, F, Fut, T, E>(handler: F) -> Function<T, E>
where
    A: DeserializeOwned + Send + 'static,
    F: Fn(A, Context) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<T, E>> + Send + 'static,
{
    let handler = Arc::new(handler);
    Box::new(move |arguments, cx| {
        let arguments: A = arguments::decode(arguments)?;
        let handler = Arc::clone(&handler);
        Ok(Box::pin(async move { handler(arguments, cx).await }))
    })
}

/// How a run of a handler has ended, or why it stopped.
pub(crate) enum Ended<T, E> {
    Done(Result<T, E>),
    Panicked,
    /// It waits for answers that only another request brings. It is dropped, and run again from
    /// its start with those answers.
    Asked,
    /// It wants to go on in a task. Whoever drives it decides that, and drives it on.
    WantsTask,
}

/// Runs a handler until it ends, or cannot go on by itself.
pub(crate) async fn drive<T, E>(cx: &Context, running: &mut Running<T, E>) -> Ended<T, E> {
    let mut running = AssertUnwindSafe(running).catch_unwind();
    std::future::poll_fn(|task| {
        cx.wake_by(task);
        if let Poll::Ready(outcome) = running.poll_unpin(task) {
            return Poll::Ready(outcome.map_or(Ended::Panicked, Ended::Done));
        }
        // Everything that the handler does at once has been polled once by now, so questions
        // that it asks side by side are all there.
        if cx.rounds().is_some_and(Rounds::has_questions) {
            return Poll::Ready(Ended::Asked);
        }
        if cx.wants_task() {
            return Poll::Ready(Ended::WantsTask);
        }
        Poll::Pending
    })
    .await
}
