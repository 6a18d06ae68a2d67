//! The task of a connection, which may also run where it is woken.
//!
//! A message to an end in the same process wakes the task of that end, most often on another
//! thread, and its answer wakes another one: that takes several times as long as what the tasks
//! do. So who calls such an end alone runs [`at_once`] what the message wakes.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use mcp_transport::BoxFuture;
use tokio::runtime::{Handle, Id};

use crate::wake::WakerCell;

/// It is to run.
const WOKEN: u8 = 1;
/// Somebody runs it.
const RUNS: u8 = 2;
/// How often [`at_once`] runs something before it leaves the rest to the tasks.
const TURNS: usize = 8;

/// A future that has a task, and runs in it unless somebody else is there to run it.
struct Pump {
    /// `None` once it has ended.
    future: Mutex<Option<BoxFuture<'static, ()>>>,
    state: AtomicU8,
    task: WakerCell,
    runtime: Id,
}

thread_local! {
    /// What is to be run on this thread.
    static HERE: RefCell<Here> = const { RefCell::new(Here::new()) };
}

struct Here {
    /// Of what runtime; `None` where nobody is there to run it.
    runtime: Option<Id>,
    woken: VecDeque<Arc<Pump>>,
}

/// Spawns a task.
pub(crate) fn spawn(future: BoxFuture<'static, ()>) {
    tokio::spawn(Task(Arc::new(Pump {
        future: Mutex::new(Some(future)),
        state: AtomicU8::new(WOKEN),
        task: WakerCell::default(),
        runtime: Handle::current().id(),
    })));
}

/// Does something, then runs the connections of this runtime that it has woken, and those that
/// they wake. What is run is not nested: where this is called meanwhile, it is done later.
pub(crate) fn at_once(work: impl FnOnce()) {
    // What they spawn goes to the runtime of this thread, so that has to be theirs.
    let runtime = Handle::try_current().ok().map(|handle| handle.id());
    if runtime.is_none() || HERE.with_borrow_mut(|here| here.open(runtime)).is_none() {
        return work();
    }
    let _close = Close;
    work();
    for _ in 0..TURNS {
        let Some(pump) = HERE.with_borrow_mut(|here| here.woken.pop_front()) else {
            break;
        };
        pump.run();
    }
}

impl Here {
    const fn new() -> Self {
        Self {
            runtime: None,
            woken: VecDeque::new(),
        }
    }

    /// `None` where somebody is there already.
    fn open(&mut self, runtime: Option<Id>) -> Option<()> {
        let free = self.runtime.is_none();
        free.then(|| self.runtime = runtime)
    }

    /// Whether it will be run here.
    fn take(&mut self, pump: &Arc<Pump>) -> bool {
        let here = self.runtime == Some(pump.runtime);
        if here {
            self.woken.push_back(Arc::clone(pump));
        }
        here
    }
}

/// Leaves what is left to the tasks.
struct Close;

impl Drop for Close {
    fn drop(&mut self) {
        let next = || {
            HERE.with_borrow_mut(|here| {
                here.runtime = None;
                here.woken.pop_front()
            })
        };
        std::iter::from_fn(next).for_each(|pump| pump.task.wake());
    }
}

impl Pump {
    /// Runs it if it is woken, and nobody else does.
    fn run(self: &Arc<Self>) {
        let (from, to) = (WOKEN, RUNS);
        let mine = self
            .state
            .compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire);
        if mine.is_err() {
            return;
        }
        let ended = self.poll(&Waker::from(Arc::clone(self))).is_ready();
        let state = self.state.fetch_and(!RUNS, Ordering::AcqRel);
        if ended {
            self.task.wake();
        } else if state & WOKEN != 0 {
            self.schedule();
        }
    }

    fn poll(&self, waker: &Waker) -> Poll<()> {
        let mut future = self.future();
        let Some(running) = &mut *future else {
            return Poll::Ready(());
        };
        // Whoever runs it has nothing to do with its panics.
        let poll = || running.as_mut().poll(&mut Context::from_waker(waker));
        let polled = catch_unwind(AssertUnwindSafe(poll)).unwrap_or_else(|_| {
            tracing::error!("the task of a connection panicked");
            Poll::Ready(())
        });
        if polled.is_ready() {
            *future = None;
        }
        polled
    }

    fn schedule(self: &Arc<Self>) {
        let here = HERE.try_with(|here| here.borrow_mut().take(self));
        if !here.unwrap_or(false) {
            self.task.wake();
        }
    }

    fn future(&self) -> MutexGuard<'_, Option<BoxFuture<'static, ()>>> {
        self.future.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wake for Pump {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        // Who runs it looks again afterwards; and once woken is enough.
        if self.state.fetch_or(WOKEN, Ordering::AcqRel) == 0 {
            self.schedule();
        }
    }
}

/// Runs a pump where nobody else does.
struct Task(Arc<Pump>);

impl Future for Task {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.0.task.register(cx);
        self.0.run();
        let ended = self.0.state.load(Ordering::Acquire) & RUNS == 0 && self.0.future().is_none();
        if ended {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }
}

/// The runtime may drop it before its end.
impl Drop for Task {
    fn drop(&mut self) {
        let future = self.0.future().take();
        drop(future);
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::sync::atomic::AtomicUsize;

    use super::*;

    fn wake_but_at_first(runs: &AtomicUsize, cx: &Context<'_>) -> Poll<()> {
        if runs.fetch_add(1, Ordering::Relaxed) > 0 {
            cx.waker().wake_by_ref();
        }
        Poll::Pending
    }

    #[tokio::test]
    async fn what_is_woken_again_and_again_runs_at_most_eight_times_in_place() {
        let (runs, place) = (
            Arc::new(AtomicUsize::new(0)),
            Arc::new(WakerCell::default()),
        );
        let (counted, kept) = (Arc::clone(&runs), Arc::clone(&place));
        spawn(Box::pin(poll_fn(move |cx| {
            kept.register(cx);
            wake_but_at_first(&counted, cx)
        })));
        tokio::task::yield_now().await;
        assert_eq!(runs.load(Ordering::Relaxed), 1, "it has run in its task");
        at_once(|| place.wake());
        assert_eq!(runs.load(Ordering::Relaxed), 1 + TURNS);
    }

    #[tokio::test]
    async fn a_panic_of_what_runs_in_place_is_not_that_of_who_runs_it() {
        let place = Arc::new(WakerCell::default());
        let kept = Arc::clone(&place);
        let mut runs = 0;
        spawn(Box::pin(poll_fn(move |cx| {
            kept.register(cx);
            runs += 1;
            assert_eq!(runs, 1, "on purpose");
            Poll::Pending
        })));
        tokio::task::yield_now().await;
        at_once(|| place.wake());
        assert_eq!(Arc::strong_count(&place), 1, "it was dropped");
    }
}
