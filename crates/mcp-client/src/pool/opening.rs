//! One attempt to connect, for all who wait for it.

use std::sync::Arc;

use mcp_interceptors::Phase;
use tokio::sync::watch;

use crate::{ConnectError, Session};

pub(super) type Opened = Result<Session, Arc<ConnectError>>;

/// An attempt in a task of its own. Dropping this gives it up.
#[derive(Debug)]
pub(super) struct Opening {
    opened: watch::Receiver<Option<Opened>>,
}

impl Opening {
    pub(super) fn start(attempt: impl Future<Output = Opened> + Send + 'static) -> Self {
        let (tell, opened) = watch::channel(None);
        mcp_peer::background(async move {
            tokio::select! {
                // First, since another attempt may be under way by then.
                biased;
                () = tell.closed() => {}
                outcome = attempt => drop(tell.send_replace(Some(outcome))),
            }
        });
        Self { opened }
    }

    /// # Cancel safety
    /// Dropping the future loses nothing.
    pub(super) async fn wait(&self) -> Opened {
        let mut opened = self.opened.clone();
        let told = opened.wait_for(Option::is_some).await;
        let told = told.ok().and_then(|opened| opened.clone());
        // Whoever attempts it tells how it went, unless it panics.
        told.unwrap_or_else(|| {
            let why = "the attempt to connect panicked";
            Err(Arc::new(ConnectError::new(Phase::Connect, why)))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::task::Poll;

    use super::*;

    /// Goes on for ever once it has begun, and notes that.
    fn attempt(begun: &Arc<AtomicBool>) -> impl Future<Output = Opened> + Send + 'static {
        let begun = Arc::clone(begun);
        poll_fn(move |_| {
            begun.store(true, Ordering::Relaxed);
            Poll::Pending
        })
    }

    #[tokio::test]
    async fn an_attempt_that_was_given_up_does_nothing_any_more() {
        let begun = Arc::new(AtomicBool::new(false));
        // As often as chance would have to be wrong.
        for _ in 0..32 {
            drop(Opening::start(attempt(&begun)));
            tokio::task::yield_now().await;
        }
        assert!(!begun.load(Ordering::Relaxed));
    }
}
