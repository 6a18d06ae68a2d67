//! Futures that are polled often and end with a token that is hardly ever cancelled.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Poll, Waker};

use tokio_util::sync::CancellationToken;

/// As [`CancellationToken::run_until_cancelled`], save that the token learns only once who is to
/// be woken, as long as that stays the same.
pub(super) async fn until_cancelled<F: Future>(
    token: &CancellationToken,
    mut future: Pin<&mut F>,
) -> Option<F::Output> {
    let mut cancelled = pin!(token.cancelled());
    let mut known: Option<Waker> = None;
    poll_fn(|cx| {
        if let Poll::Ready(output) = future.as_mut().poll(cx) {
            return Poll::Ready(Some(output));
        }
        let is_known = |waker: &Waker| waker.will_wake(cx.waker());
        if known.as_ref().is_some_and(is_known) {
            return match token.is_cancelled() {
                true => Poll::Ready(None),
                false => Poll::Pending,
            };
        }
        known = Some(cx.waker().clone());
        cancelled.as_mut().poll(cx).map(|()| None)
    })
    .await
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::{Context, Wake};

    use super::*;

    #[derive(Default)]
    struct Woken(AtomicUsize);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn whoever_polled_last_is_woken_when_the_token_is_cancelled() {
        let token = CancellationToken::new();
        let never = pin!(pending::<()>());
        let mut running = pin!(until_cancelled(&token, never));
        let tasks = [Arc::new(Woken::default()), Arc::new(Woken::default())];
        for task in [&tasks[0], &tasks[0], &tasks[1], &tasks[1]] {
            let waker = Waker::from(Arc::clone(task));
            let mut cx = Context::from_waker(&waker);
            assert!(running.as_mut().poll(&mut cx).is_pending());
        }
        token.cancel();
        assert_eq!(tasks[0].0.load(Ordering::Relaxed), 0);
        assert_eq!(tasks[1].0.load(Ordering::Relaxed), 1);
        let mut cx = Context::from_waker(Waker::noop());
        assert_eq!(running.as_mut().poll(&mut cx), Poll::Ready(None));
    }

    #[test]
    fn a_future_that_is_done_counts_more_than_a_token_that_is_cancelled() {
        let token = CancellationToken::new();
        token.cancel();
        let done = pin!(std::future::ready(1));
        let mut cx = Context::from_waker(Waker::noop());
        let running = pin!(until_cancelled(&token, done));
        assert_eq!(running.poll(&mut cx), Poll::Ready(Some(1)));
    }
}
