//! Hands over the peer's notifications, one after another.

use std::collections::VecDeque;
use std::sync::Arc;

use mcp_jsonrpc::Notification;
use mcp_protocol::RequestContext;
use tokio::task::JoinSet;

use crate::inline::{Polled, poll_once};
use crate::inward::Inward;

/// The peer's notifications, in order: each is handled in place where nothing is waited for, and
/// before any message that came after it; else in one task while the others queue up. Dropping
/// it ends that task.
pub(crate) struct Notifications {
    inward: Inward,
    /// How many may wait.
    limit: usize,
    waiting: VecDeque<(Notification, RequestContext)>,
    /// At most one.
    task: JoinSet<()>,
}

impl Notifications {
    pub(crate) fn new(inward: Inward, limit: usize) -> Self {
        Self {
            inward,
            limit,
            waiting: VecDeque::new(),
            task: JoinSet::new(),
        }
    }

    pub(crate) fn take(&mut self, notification: Notification, context: RequestContext) {
        if self.task.is_empty() {
            self.start(notification, context);
        } else if self.waiting.len() < self.limit {
            self.waiting.push_back((notification, context));
        } else {
            // To stop reading instead would stop the handler too, if it waits for an answer.
            tracing::warn!(
                method = %notification.method,
                limit = self.limit,
                "too many notifications wait for their handler, one was dropped"
            );
        }
    }

    /// Waits for the task to end; for ever if there is none.
    ///
    /// # Cancel safety
    /// Dropping the future loses nothing.
    pub(crate) async fn join(&mut self) {
        match self.task.join_next().await {
            Some(Err(e)) if e.is_panic() => panicked(),
            Some(_) => {}
            None => std::future::pending().await,
        }
    }

    /// Goes on after the task has ended.
    pub(crate) fn joined(&mut self) {
        while self.task.is_empty()
            && let Some((notification, context)) = self.waiting.pop_front()
        {
            self.start(notification, context);
        }
    }

    fn start(&mut self, notification: Notification, context: RequestContext) {
        let incoming = self.inward.message(notification, context);
        let handler = Arc::clone(&self.inward.handler);
        match poll_once(|| handler.notification(incoming)) {
            Polled::Ready(()) => {}
            Polled::Panicked => panicked(),
            Polled::Pending(future) => {
                self.task.spawn(future);
            }
        }
    }
}

fn panicked() {
    tracing::error!("the handler of a notification panicked");
}
