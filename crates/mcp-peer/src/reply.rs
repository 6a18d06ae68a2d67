//! Where the outcome of a call waits for its caller.

use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use mcp_jsonrpc::RawJson;
use mcp_transport::CallError;

type Outcome = Result<RawJson, CallError>;

/// The end that knows the outcome. Dropping it says that there will be none.
pub(crate) struct Reply(Arc<Mutex<Place>>);

/// The end that waits: `None` where there will be no outcome.
pub(crate) struct Answer(Arc<Mutex<Place>>);

enum Place {
    Empty(Option<Waker>),
    Filled(Outcome),
    /// It was taken, or there will be none.
    Closed,
}

pub(crate) fn reply() -> (Reply, Answer) {
    let place = Arc::new(Mutex::new(Place::Empty(None)));
    (Reply(Arc::clone(&place)), Answer(place))
}

fn lock(place: &Mutex<Place>) -> MutexGuard<'_, Place> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Reply {
    /// Leaves the outcome. Who waits for it is to be [woken](wake).
    pub(crate) fn fill(self, outcome: Outcome) -> Option<Waker> {
        self.put(Place::Filled(outcome))
    }

    fn put(&self, next: Place) -> Option<Waker> {
        let mut place = lock(&self.0);
        match &mut *place {
            Place::Empty(waker) => {
                let waker = waker.take();
                *place = next;
                waker
            }
            Place::Filled(_) | Place::Closed => None,
        }
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        if let Some(waker) = self.put(Place::Closed) {
            waker.wake();
        }
    }
}

impl Future for Answer {
    type Output = Option<Outcome>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Outcome>> {
        let mut place = lock(&self.0);
        if let Place::Empty(waker) = &mut *place {
            match waker {
                Some(waker) => waker.clone_from(cx.waker()),
                None => *waker = Some(cx.waker().clone()),
            }
            return Poll::Pending;
        }
        Poll::Ready(match std::mem::replace(&mut *place, Place::Closed) {
            Place::Filled(outcome) => Some(outcome),
            Place::Empty(_) | Place::Closed => None,
        })
    }
}

/// Wakes all that wait.
///
/// A task that wakes others wakes a worker of the runtime with each, which takes longer than most
/// of them run. Several are therefore put off until this task has yielded: then the runtime wakes
/// them together.
pub(crate) fn wake(wakers: &mut Vec<Waker>) {
    let several = wakers.len() > 1;
    for waker in wakers.drain(..) {
        if several {
            // It is not this task that yields: the waker of the context is the one put off.
            let yielding = pin!(tokio::task::yield_now());
            let _put_off = yielding.poll(&mut Context::from_waker(&waker));
        } else {
            waker.wake();
        }
    }
}
