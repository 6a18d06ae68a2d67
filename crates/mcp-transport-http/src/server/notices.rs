//! Notifications of one session, handled one after another.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Waker};

use mcp_jsonrpc::Notification;
use mcp_protocol::RequestContext;
use mcp_transport::{Handler, Incoming};
use tokio_util::task::TaskTracker;

use super::session::Session;
use crate::panic::caught_silently;

/// How many notifications of a session wait for their handler.
const QUEUE: usize = 256;

pub(super) type Notice = Incoming<Notification, RequestContext>;
type Handles = Arc<dyn Handler<RequestContext>>;

/// The queue of a session.
#[derive(Debug, Default)]
pub(super) struct Notices(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    at_work: bool,
    queue: VecDeque<Notice>,
}

impl Notices {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self) -> Option<Notice> {
        let mut state = self.lock();
        let next = state.queue.pop_front();
        state.at_work = next.is_some();
        if next.is_none() {
            // A session that is not used keeps no room for more.
            state.queue = VecDeque::new();
        }
        next
    }
}

impl Session {
    /// Takes a notification; `false` where too many wait. A handler that does not wait costs no
    /// task.
    pub(super) fn notice(
        self: &Arc<Self>,
        notice: Notice,
        to: &Handles,
        tasks: &TaskTracker,
    ) -> bool {
        {
            let mut state = self.notices.lock();
            if state.queue.len() >= QUEUE {
                return false;
            }
            state.queue.push_back(notice);
            if std::mem::replace(&mut state.at_work, true) {
                return true;
            }
        }
        let (session, handler) = (Arc::clone(self), Arc::clone(to));
        run(tasks, async move {
            while let Some(notice) = session.notices.next() {
                handle(&handler, notice).await;
            }
        });
        true
    }
}

/// Hands one notification to its handler.
pub(super) async fn handle(handler: &Handles, notice: Notice) {
    let handler = Arc::clone(handler);
    caught_silently(async move { handler.notification(notice).await }).await;
}

/// Polls in place; what waits goes on in a task.
pub(super) fn run(tasks: &TaskTracker, work: impl Future<Output = ()> + Send + 'static) {
    let mut work = Box::pin(work);
    let mut cx = Context::from_waker(Waker::noop());
    if work.as_mut().poll(&mut cx).is_pending() {
        tasks.spawn(work);
    }
}
