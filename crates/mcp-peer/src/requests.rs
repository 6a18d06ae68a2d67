//! Answers the peer's requests: in place where nothing is waited for, else in a task each.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use mcp_jsonrpc::{ErrorObject, Id, RawJson, Request};
use mcp_protocol::RequestContext;
use tokio::task::{self, AbortHandle, JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

use crate::inline::{Polled, poll_once};
use crate::inward::Inward;

type Outcome = Result<RawJson, ErrorObject>;
/// What a task that has ended leaves behind.
pub(crate) type Joined = Result<(task::Id, (Id, Outcome)), JoinError>;

/// The peer's requests that wait for their answers. Dropping it ends their tasks.
pub(crate) struct Requests {
    inward: Inward,
    /// How many tasks there may be.
    limit: usize,
    tasks: JoinSet<(Id, Outcome)>,
    running: HashMap<Id, Running>,
    /// Bounded by the protocol core, which refuses requests beyond its limit.
    waiting: VecDeque<(Request, RequestContext)>,
    answers: Vec<(Id, Outcome)>,
}

struct Running {
    task: AbortHandle,
    cancelled: CancellationToken,
}

impl Requests {
    pub(crate) fn new(inward: Inward, limit: usize) -> Self {
        Self {
            inward,
            limit: limit.max(1),
            tasks: JoinSet::new(),
            running: HashMap::new(),
            waiting: VecDeque::new(),
            answers: Vec::new(),
        }
    }

    pub(crate) fn take(&mut self, request: Request, context: RequestContext) {
        if self.running.len() < self.limit {
            self.start(request, context);
        } else {
            self.waiting.push_back((request, context));
        }
    }

    /// The peer wants no answer any more.
    pub(crate) fn cancel(&mut self, id: &Id) {
        if let Some(running) = self.running.remove(id) {
            running.cancelled.cancel();
            running.task.abort();
            self.start_waiting();
        } else {
            self.waiting.retain(|(request, _)| request.id != *id);
        }
    }

    /// The answers that are ready, to be sent now.
    pub(crate) fn answers(&mut self) -> &mut Vec<(Id, Outcome)> {
        &mut self.answers
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.running.is_empty() && self.waiting.is_empty() && self.answers.is_empty()
    }

    /// Waits for a task to end; for ever if there is none.
    ///
    /// # Cancel safety
    /// Dropping the future loses nothing.
    pub(crate) async fn join(&mut self) -> Joined {
        match self.tasks.join_next_with_id().await {
            Some(joined) => joined,
            None => std::future::pending().await,
        }
    }

    /// Takes the answer of a task that has ended, and of all others that have.
    pub(crate) fn joined(&mut self, joined: Joined) {
        let mut next = Some(joined);
        while let Some(joined) = next {
            match joined {
                Ok((task, (id, outcome))) => self.finish(task, id, outcome),
                Err(e) if e.is_panic() => self.panicked(e.id()),
                // A task that was aborted has no answer.
                Err(_) => {}
            }
            next = self.tasks.try_join_next_with_id();
        }
        self.start_waiting();
    }

    /// Takes the answers of tasks that have ended.
    pub(crate) fn collect(&mut self) {
        if let Some(joined) = self.tasks.try_join_next_with_id() {
            self.joined(joined);
        }
    }

    fn finish(&mut self, task: task::Id, id: Id, outcome: Outcome) {
        // The peer may have cancelled the request and used the id for another one since.
        if self
            .running
            .get(&id)
            .is_some_and(|running| running.task.id() == task)
        {
            self.running.remove(&id);
            self.answers.push((id, outcome));
        }
    }

    /// Answers in the place of a task that has panicked.
    fn panicked(&mut self, task: task::Id) {
        let mut running = self.running.iter();
        if let Some((id, _)) = running.find(|(_, running)| running.task.id() == task) {
            let id = id.clone();
            self.finish(task, id, Err(panicked()));
        }
    }

    fn start_waiting(&mut self) {
        while self.running.len() < self.limit
            && let Some((request, context)) = self.waiting.pop_front()
        {
            self.start(request, context);
        }
    }

    fn start(&mut self, request: Request, context: RequestContext) {
        let id = request.id.clone();
        let incoming = self.inward.message(request, context);
        let cancelled = incoming.cancelled.clone();
        let handler = Arc::clone(&self.inward.handler);
        match poll_once(|| handler.request(incoming)) {
            Polled::Ready(outcome) => self.answers.push((id, outcome)),
            Polled::Panicked => self.answers.push((id, Err(panicked()))),
            Polled::Pending(future) => {
                let key = id.clone();
                let task = self.tasks.spawn(async move { (id, future.await) });
                self.running.insert(key, Running { task, cancelled });
            }
        }
    }
}

/// What a handler has handed on to others learns that nobody waits for it.
impl Drop for Requests {
    fn drop(&mut self) {
        for running in self.running.values() {
            running.cancelled.cancel();
        }
    }
}

fn panicked() -> ErrorObject {
    tracing::error!("the handler of a request panicked");
    ErrorObject::internal("the handler of the request panicked")
}
