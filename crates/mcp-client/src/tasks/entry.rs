//! One task: a question of the server under way.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use mcp_jsonrpc::{ErrorObject, Notification, RawJson};
use mcp_protocol::tasks::{TaskStatusNotification, iso_8601};
use mcp_protocol::{DetailedTask, Meta, RpcNotification as _, Task, TaskStatus};
use mcp_transport::Channel;
use serde_json::{Map, Value, json};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::several::caught;

type Outcome = Result<RawJson, ErrorObject>;

/// One task.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) id: String,
    pub(super) expires: Instant,
    given_up: CancellationToken,
    state: Mutex<State>,
    ended: Notify,
}

#[derive(Debug)]
struct State {
    task: Task,
    outcome: Option<Outcome>,
}

/// The time now, as tasks say it.
pub(super) fn now() -> String {
    iso_8601(
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default(),
    )
}

impl Entry {
    pub(super) fn new(task: Task, expires: Instant) -> Self {
        Self {
            id: task.task_id.clone(),
            expires,
            given_up: CancellationToken::new(),
            state: Mutex::new(State {
                task,
                outcome: None,
            }),
            ended: Notify::new(),
        }
    }

    pub(super) fn task(&self) -> Task {
        self.lock().task.clone()
    }

    /// Waits for the answer until it is there, its time is over, or it is not wanted any more;
    /// then tells the server.
    pub(super) async fn run(
        self: Arc<Self>,
        answering: impl Future<Output = Outcome> + Send,
        channel: Arc<dyn Channel>,
    ) {
        tokio::select! {
            biased;
            () = self.given_up.cancelled() => {}
            () = sleep_until(self.expires) => {}
            answer = caught(answering) => {
                let panicked = |_| Err(ErrorObject::internal("the handler failed"));
                self.end(answer.unwrap_or_else(panicked));
            }
        }
        self.give_up();
        let told = RawJson::encode(&DetailedTask::new(self.task())).ok();
        let notification = Notification::new(TaskStatusNotification::METHOD, told);
        if let Err(error) = channel.notify(notification).await {
            tracing::debug!(%error, "a server was not told of a task");
        }
    }

    fn end(&self, answer: Outcome) {
        let (status, outcome) = match answer {
            Ok(result) => (TaskStatus::Completed, related(&result, &self.id)),
            Err(error) => (TaskStatus::Failed, Err(error)),
        };
        self.become_status(status, outcome);
    }

    /// Ends the task by the wish of the server.
    pub(super) fn cancel(&self) -> Result<Task, ErrorObject> {
        if self.give_up() {
            return Ok(self.task());
        }
        let status = self.task().status;
        let why = format!("the task has ended already: {status}");
        Err(ErrorObject::invalid_params(why))
    }

    /// Ends the task, if it has not ended. `false` if it had.
    pub(super) fn give_up(&self) -> bool {
        let gone = Err(ErrorObject::internal("the task was cancelled"));
        let ended = self.become_status(TaskStatus::Cancelled, gone);
        self.given_up.cancel();
        ended
    }

    fn become_status(&self, status: TaskStatus, outcome: Outcome) -> bool {
        let mut state = self.lock();
        let becomes = state.task.status.can_become(&status);
        if becomes {
            state.task.status = status;
            state.task.last_updated_at = now();
            state.outcome = Some(outcome);
        }
        drop(state);
        self.ended.notify_waiters();
        becomes
    }

    /// Waits for the end of the task.
    pub(super) async fn outcome(&self) -> Outcome {
        loop {
            let ended = self.ended.notified();
            if let Some(outcome) = self.lock().outcome.clone() {
                return outcome;
            }
            ended.await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The result of a task says which task it is of.
fn related(result: &RawJson, id: &str) -> Outcome {
    let unwritable = |error: serde_json::Error| ErrorObject::internal(error.to_string());
    let mut members: Map<String, Value> = result.decode().map_err(unwritable)?;
    let meta = members.entry("_meta").or_insert_with(|| json!({}));
    if let Some(meta) = meta.as_object_mut() {
        meta.insert(Meta::RELATED_TASK.to_owned(), json!({ "taskId": id }));
    }
    RawJson::encode(&members).map_err(unwritable)
}
