//! Several futures in one task, side by side.

use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use mcp_transport::BoxFuture;

/// Futures of which any may end first. When one is woken all are polled, so they should be few:
/// the servers of a pool, not its calls.
pub(crate) struct Several<'a, T>(Vec<BoxFuture<'a, T>>);

impl<'a, T> Several<'a, T> {
    pub(crate) const fn new() -> Self {
        Self(Vec::new())
    }

    pub(crate) fn push(&mut self, future: BoxFuture<'a, T>) {
        self.0.push(future);
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// What the next one to end gives; `None` where there are none.
    ///
    /// # Cancel safety
    /// Dropping the future loses nothing.
    pub(crate) async fn next(&mut self) -> Option<T> {
        poll_fn(|cx| self.poll_next(cx)).await
    }

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<T>> {
        if self.0.is_empty() {
            return Poll::Ready(None);
        }
        let poll = |(place, future): (usize, &mut BoxFuture<'a, T>)| match future.as_mut().poll(cx)
        {
            Poll::Ready(value) => Some((place, value)),
            Poll::Pending => None,
        };
        let Some((place, value)) = self.0.iter_mut().enumerate().find_map(poll) else {
            return Poll::Pending;
        };
        drop(self.0.swap_remove(place));
        Poll::Ready(Some(value))
    }
}

/// Does this for each item, for at most `limit` of them at once. The results are in the order of
/// the items.
///
/// # Cancel safety
/// Dropping the future drops what has begun.
pub(crate) async fn for_each<I, F>(
    limit: usize,
    items: impl IntoIterator<Item = I, IntoIter: Send>,
    work: impl Fn(I) -> F + Send,
) -> Vec<F::Output>
where
    F: Future<Output: Send> + Send,
{
    let mut items = items.into_iter();
    let (mut running, mut under_way) = (Several::new(), 0);
    let mut results = Vec::new();
    loop {
        while under_way < limit.max(1)
            && let Some(item) = items.next()
        {
            let (place, future) = (results.len(), work(item));
            results.push(None);
            running.push(Box::pin(async move { (place, future.await) }));
            under_way += 1;
        }
        let Some((place, result)) = running.next().await else {
            return results.into_iter().flatten().collect();
        };
        under_way -= 1;
        if let Some(slot) = results.get_mut(place) {
            *slot = Some(result);
        }
    }
}

/// The output of a future, or what it has panicked with.
///
/// # Cancel safety
/// Dropping the future drops the other one.
pub(crate) async fn caught<F: Future>(future: F) -> Result<F::Output, Box<dyn Any + Send>> {
    let mut future = pin!(future);
    poll_fn(|cx| {
        // After a panic it is not polled again.
        match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(cx))) {
            Ok(polled) => polled.map(Ok),
            Err(panic) => Poll::Ready(Err(panic)),
        }
    })
    .await
}

/// Whether a future has its output already.
pub(crate) fn is_ready(future: impl Future) -> bool {
    let mut cx = Context::from_waker(Waker::noop());
    pin!(future).poll(&mut cx).is_ready()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn whichever_ends_first_is_next_and_the_rest_goes_on() {
        let (first, one) = oneshot::channel();
        let (second, two) = oneshot::channel();
        let mut several = Several::new();
        several.push(Box::pin(one));
        several.push(Box::pin(two));
        second.send(2).expect("it is waited for");
        assert_eq!(several.next().await, Some(Ok(2)));
        // Given up while it waits, it loses nothing.
        assert!(!is_ready(several.next()));
        first.send(1).expect("it is waited for");
        assert_eq!(several.next().await, Some(Ok(1)));
        assert_eq!(several.next().await, None);
    }

    /// The later the item, the sooner it ends.
    async fn work(item: usize, now: &AtomicUsize, most: &AtomicUsize) -> usize {
        most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        for _ in item..10 {
            tokio::task::yield_now().await;
        }
        now.fetch_sub(1, Ordering::SeqCst);
        item
    }

    #[tokio::test]
    async fn results_keep_the_order_of_their_items_and_only_so_many_run_at_once() {
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = |item| work(item, &now, &most);
        let results = for_each(3, 0..10, work).await;
        assert_eq!(results, (0..10).collect::<Vec<_>>());
        assert_eq!(most.load(Ordering::SeqCst), 3);
        assert!(for_each(3, 0..0, work).await.is_empty());
    }

    #[tokio::test]
    async fn a_panic_is_caught_where_it_happens() {
        let polls = Cell::new(0);
        let failing = poll_fn(|cx| -> Poll<()> {
            polls.set(polls.get() + 1);
            assert!(polls.get() < 2, "as it should");
            cx.waker().wake_by_ref();
            Poll::Pending
        });
        assert!(caught(failing).await.is_err());
        assert!(matches!(caught(async { 7 }).await, Ok(7)));
    }
}
