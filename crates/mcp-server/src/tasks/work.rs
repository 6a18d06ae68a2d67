//! One task: its status, its outcome, its questions.

use std::sync::{Mutex, MutexGuard, PoisonError};

use mcp_jsonrpc::{ErrorObject, RawJson};
use mcp_protocol::{DetailedTask, Task, TaskShape, TaskStatus};
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::clock;
use super::questions::{Answered, Asked, Questions};
use super::table::Owner;
use crate::Changes;
use crate::changes::Change;

/// A call that is answered later.
#[derive(Debug)]
pub(crate) struct Work {
    pub(crate) id: String,
    pub(crate) shape: TaskShape,
    pub(crate) owner: Owner,
    /// In which order tasks were created.
    pub(super) number: u64,
    pub(crate) expires: Instant,
    /// Gives up the handler.
    pub(crate) cancelled: CancellationToken,
    state: Mutex<State>,
    changed: Notify,
    /// Who tells listening requests of changes.
    changes: Option<Changes>,
}

#[derive(Debug)]
struct State {
    task: Task,
    outcome: Option<Result<RawJson, ErrorObject>>,
    questions: Questions,
}

impl State {
    /// Goes on to another status, if the task has not ended.
    fn become_status(&mut self, status: TaskStatus) -> bool {
        if !self.task.status.can_become(&status) {
            return false;
        }
        self.task.status = status;
        self.task.last_updated_at = clock::now();
        true
    }

    /// Waits for input exactly while there are questions.
    fn settle(&mut self) {
        self.become_status(if self.questions.is_empty() {
            TaskStatus::Working
        } else {
            TaskStatus::InputRequired
        });
    }
}

impl Work {
    pub(super) fn new(
        number: u64,
        owner: Owner,
        task: Task,
        expires: Instant,
        changes: Option<Changes>,
    ) -> Self {
        Self {
            id: task.task_id.clone(),
            shape: task.shape,
            owner,
            number,
            expires,
            cancelled: CancellationToken::new(),
            state: Mutex::new(State {
                task,
                outcome: None,
                questions: Questions::default(),
            }),
            changed: Notify::new(),
            changes,
        }
    }

    /// The time of a task that begins now.
    pub(super) fn now() -> String {
        clock::now()
    }

    pub(crate) fn task(&self) -> Task {
        self.lock().task.clone()
    }

    /// The task with all that has come of it, as far as its shape shows that.
    pub(crate) fn details(&self) -> DetailedTask {
        let state = self.lock();
        let mut details = DetailedTask::new(state.task.clone());
        if self.shape == TaskShape::Extension {
            if state.task.status == TaskStatus::InputRequired {
                details.input_requests = Some(state.questions.requests());
            }
            match &state.outcome {
                Some(Ok(result)) => details.result = Some(result.clone()),
                Some(Err(error)) => details.error = Some(error.clone()),
                None => {}
            }
        }
        details
    }

    /// The task has ended with this status. `false` if it had ended before.
    pub(crate) fn end(&self, status: TaskStatus, outcome: Result<RawJson, ErrorObject>) -> bool {
        let mut state = self.lock();
        let ended = state.become_status(status);
        if ended {
            state.outcome = Some(outcome);
            state.questions.clear();
        }
        drop(state);
        self.tell();
        ended
    }

    /// Gives the task up. `false` if it had ended before.
    pub(crate) fn cancel(&self) -> bool {
        let outcome = Err(ErrorObject::internal("the task was cancelled"));
        let cancelled = self.end(TaskStatus::Cancelled, outcome);
        self.cancelled.cancel();
        cancelled
    }

    /// Asks the client, and waits until somebody brings the answer.
    pub(crate) async fn ask(&self, key: &str, asked: Asked) -> Option<Answered> {
        let answered = {
            let mut state = self.lock();
            if state.outcome.is_some() {
                return None;
            }
            let answered = state.questions.ask(key, asked);
            state.settle();
            answered
        };
        self.tell();
        let mut given_up = GivenUp(Some(self));
        let answer = answered.await.ok();
        given_up.0 = None;
        answer
    }

    /// Takes answers. Keys that nobody has asked under are none.
    pub(crate) fn answer(&self, answers: impl IntoIterator<Item = (String, Answered)>) {
        let mut state = self.lock();
        for (key, answer) in answers {
            state.questions.answer(&key, answer);
        }
        state.settle();
        drop(state);
        self.tell();
    }

    /// Waits until the task has ended, or asks something that is to be taken to the client.
    pub(crate) async fn next(&self) -> Next<'_> {
        loop {
            let changed = self.changed.notified();
            if let Some(next) = self.try_next() {
                return next;
            }
            changed.await;
        }
    }

    fn try_next(&self) -> Option<Next<'_>> {
        let mut state = self.lock();
        if let Some(outcome) = &state.outcome {
            return Some(Next::Ended(outcome.clone()));
        }
        let (key, asked) = state.questions.take()?;
        Some(Next::Asks(Errand {
            work: self,
            key: Some(key),
            asked,
        }))
    }

    /// Waits until something of the task is another thing than when this was called.
    pub(crate) fn changed(&self) -> impl Future<Output = ()> {
        let mut changed = Box::pin(self.changed.notified());
        changed.as_mut().enable();
        changed
    }

    /// Wakes who waits, and has listening requests told.
    fn tell(&self) {
        self.changed.notify_waiters();
        if let Some(changes) = &self.changes {
            changes.note(Change::Task(&self.id));
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a `tasks/result` request has to do next.
pub(crate) enum Next<'a> {
    Ended(Result<RawJson, ErrorObject>),
    Asks(Errand<'a>),
}

/// A question on its way to the client. Without an answer it can be taken again.
pub(crate) struct Errand<'a> {
    work: &'a Work,
    key: Option<String>,
    pub(crate) asked: Asked,
}

impl Errand<'_> {
    pub(crate) fn done(mut self, answer: Answered) {
        if let Some(key) = self.key.take() {
            self.work.answer([(key, answer)]);
        }
    }
}

impl Drop for Errand<'_> {
    fn drop(&mut self) {
        if let Some(key) = &self.key {
            self.work.lock().questions.put_back(key);
            self.work.changed.notify_waiters();
        }
    }
}

/// A handler that has asked waits no longer.
struct GivenUp<'a>(Option<&'a Work>);

impl Drop for GivenUp<'_> {
    fn drop(&mut self) {
        if let Some(work) = self.0 {
            let mut state = work.lock();
            state.questions.forget_given_up();
            state.settle();
            drop(state);
            work.tell();
        }
    }
}
