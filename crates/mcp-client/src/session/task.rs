//! A task of a server: a call whose result comes later.
//!
//! Specification: Tasks (2025-11-25); extension Tasks (beside 2026-07-28).

use std::collections::HashSet;
use std::time::Duration;

use mcp_jsonrpc::{Id, RawJson};
use mcp_protocol::lifecycle::Wire;
use mcp_protocol::tasks::{CancelTask, GetTask, GetTaskPayload, UpdateTask};
use mcp_protocol::{
    AnswerError, CallToolResult, CreateTaskResult, DetailedTask, InputRequests, RpcRequest, Task,
    TaskParams, TaskShape, TaskStatus, UpdateTaskParams,
};
use mcp_transport::{Call, CallError};
use tokio::time::Instant;

use super::Session;
use super::send::Way;
use crate::active::ActiveCall;
use crate::error::TaskError;
use crate::negotiate::unlimited;
use crate::rounds;
use crate::{CallOptions, Error};

/// How long to wait between two looks at a task, where the server does not say.
const PAUSE: Duration = Duration::from_secs(1);
/// The shortest and the longest such wait, whatever the server says.
const PAUSES: (Duration, Duration) = (Duration::from_millis(10), Duration::from_secs(3600));
/// How often in a row a look at a task may fail on its way.
const MISSES: u32 = 3;
/// How long the end of a task that nobody waits for any more may take to be told.
const GIVING_UP: Duration = Duration::from_secs(5);

/// A call of a tool that goes on as a task of the server.
///
/// The task goes on if this is dropped. Its [id](Self::id) is enough to
/// [find it again](Session::task), as long as the server keeps it; in 2025-11-25 from the same
/// session.
#[derive(Debug)]
pub struct TaskHandle {
    session: Session,
    task: Task,
    options: CallOptions,
    active: ActiveCall,
    /// The token of the call. In 2025-11-25 the task reports under it.
    token: Option<Id>,
    /// What the task has asked and was answered. Keys are never used twice.
    answered: HashSet<String>,
}

impl Session {
    /// Finds a task by its id.
    ///
    /// # Errors
    /// As [`request`](Self::request); the server's error if there is no such task.
    ///
    /// # Cancel safety
    /// Dropping the future cancels the request.
    pub async fn task(
        &self,
        id: impl Into<String> + Send,
        options: &CallOptions,
    ) -> Result<TaskHandle, Error> {
        let options = options.clone().with_tasks();
        let params = TaskParams::new(id);
        let found = self.request_with::<GetTask>(params, &options).await?;
        let active = &self.inner.inward.active;
        let active = active.enter(None, &options.extensions);
        let created = CreateTaskResult::new(found.task);
        Ok(TaskHandle::new(self, created, &options, active))
    }

    async fn cancel_task(&self, id: &str, options: &CallOptions) -> Result<(), Error> {
        let params = TaskParams::new(id);
        let cancelled = self.request_with::<CancelTask>(params, options).await;
        cancelled.map(drop)
    }
}

impl TaskHandle {
    pub(super) fn new(
        session: &Session,
        created: CreateTaskResult,
        options: &CallOptions,
        active: ActiveCall,
    ) -> Self {
        active.call.becomes_task(&created.task.task_id);
        Self {
            session: session.clone(),
            task: created.task,
            options: options.clone().with_tasks(),
            active,
            token: None,
            answered: HashSet::new(),
        }
    }

    pub(super) fn with_progress(mut self, token: Option<Id>) -> Self {
        self.token = token;
        self
    }

    /// Names the task at its server. Who knows it can reach the task.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.task.task_id
    }

    /// The task as it was when the server last told of it.
    #[must_use]
    pub const fn task(&self) -> &Task {
        &self.task
    }

    /// Asks the server how the task is getting on. What it asks is not answered.
    ///
    /// # Errors
    /// As [`Session::request`]; the server's error if it does not keep the task any more.
    ///
    /// # Cancel safety
    /// Dropping the future cancels the request.
    pub async fn refresh(&mut self) -> Result<&Task, Error> {
        self.look().await?;
        Ok(&self.task)
    }

    /// Follows the task to its end, and answers meanwhile by the session's handlers what it
    /// asks. There is no time limit: put one around it, and [`cancel`](Self::cancel) the task if
    /// that is to end it.
    ///
    /// # Errors
    /// The server's error if the task has ended with one; [`Error::Task`] if it was cancelled, or
    /// could not be followed; then it can be waited for again.
    ///
    /// # Cancel safety
    /// Dropping the future does not give the task up. An answer to a question may be lost; the
    /// task then asks again where the server repeats its questions.
    pub async fn wait(&mut self) -> Result<CallToolResult, Error> {
        let shape = TaskShape::of(self.session.version());
        match shape {
            TaskShape::Core => self.core_result().await,
            _ => self.extension_result().await,
        }
    }

    /// Gives the task up. The server may take a while to end it, and may end it otherwise.
    ///
    /// # Errors
    /// As [`Session::request`]; in 2025-11-25 the server's error if it had ended before.
    ///
    /// # Cancel safety
    /// Dropping the future cancels the request: the task may be given up, or not.
    pub async fn cancel(&self) -> Result<(), Error> {
        self.session.cancel_task(self.id(), &self.options).await
    }

    /// Waits as [`wait`](Self::wait) does for a call that began at `begun`, within its limits.
    /// The task is given up when that ends without a result.
    pub(super) async fn finish(mut self, begun: Instant) -> Result<CallToolResult, Error> {
        let mut give_up = GiveUp {
            session: self.session.inside(),
            id: self.id().to_owned(),
            options: self.options.clone(),
            armed: true,
        };
        let timeouts = self.options.timeouts.unwrap_or(self.session.inner.timeouts);
        let outcome = match timeouts.total {
            None => self.wait().await,
            Some(after) => tokio::time::timeout_at(begun + after, self.wait())
                .await
                .unwrap_or(Err(CallError::TimedOut { after }.into())),
        };
        give_up.armed = outcome.is_err() && !self.task.status.is_terminal();
        outcome
    }

    /// In 2025-11-25 one request waits for the result; questions come to us meanwhile.
    async fn core_result(&mut self) -> Result<CallToolResult, Error> {
        for _ in 0..MISSES {
            match self.payload().await {
                Err(error) if self.may_pass(&error) => self.pause().await,
                answer => return self.core_answer(answer).await,
            }
        }
        let answer = self.payload().await;
        self.core_answer(answer).await
    }

    async fn core_answer(
        &mut self,
        answer: Result<RawJson, Error>,
    ) -> Result<CallToolResult, Error> {
        let error = match answer {
            Ok(raw) => {
                let result = result(&raw)?;
                self.task.status = match result.is_error() {
                    true => TaskStatus::Failed,
                    false => TaskStatus::Completed,
                };
                return Ok(result);
            }
            Err(error) if error.remote().is_none() => return Err(self.lost(error)),
            Err(error) => error,
        };
        // It may have been cancelled, which the error need not say.
        match self.look().await {
            Ok(now) if now.task.status == TaskStatus::Cancelled => {
                Err(self.without(TaskError::Cancelled))
            }
            _ => Err(error),
        }
    }

    async fn payload(&self) -> Result<RawJson, Error> {
        let method = GetTaskPayload::METHOD;
        self.session.inner.negotiated.allows(&method)?;
        let params = TaskParams::new(self.id());
        let params = RawJson::encode(&params).map_err(|source| Error::Params {
            method: method.as_str().to_owned(),
            source,
        })?;
        let mut call = Call::new(method, Some(params));
        call.timeouts = unlimited();
        let way = Way::of(&self.options, &self.active.call);
        let sent = self.session.dispatch(call, self.token.clone(), way).await;
        sent.map_err(|error| self.session.noted(error))
    }

    /// In the extension the task is looked at from time to time, and has everything itself.
    async fn extension_result(&mut self) -> Result<CallToolResult, Error> {
        let mut misses = 0;
        loop {
            let now = match self.look().await {
                Ok(now) => now,
                Err(error) if misses < MISSES && self.may_pass(&error) => {
                    misses += 1;
                    self.pause().await;
                    continue;
                }
                Err(error) => return Err(self.lost(error)),
            };
            misses = 0;
            match &self.task.status {
                TaskStatus::Completed => return Self::completed(now.result.as_ref()),
                TaskStatus::Failed => return Err(self.failed(now)),
                TaskStatus::Cancelled => return Err(self.without(TaskError::Cancelled)),
                _ => {}
            }
            if let Some(questions) = now.input_requests {
                let answered = self.answer(&questions).await;
                answered.map_err(|error| self.lost(error))?;
            }
            self.pause().await;
        }
    }

    fn completed(raw: Option<&RawJson>) -> Result<CallToolResult, Error> {
        match raw {
            Some(raw) => result(raw),
            None => Err(unreadable(
                "the task is completed and has no result".to_owned(),
            )),
        }
    }

    fn failed(&self, now: DetailedTask) -> Error {
        match now.error {
            Some(error) => CallError::Remote(error).into(),
            None => {
                let message = now.task.status_message;
                self.without(TaskError::Failed { message })
            }
        }
    }

    /// Answers what the task asks and was not answered before.
    async fn answer(&mut self, questions: &InputRequests) -> Result<(), Error> {
        let new = questions
            .iter()
            .filter(|(key, _)| !self.answered.contains(*key));
        let new: Vec<_> = new.collect();
        if new.is_empty() {
            return Ok(());
        }
        let keys: Vec<_> = new.iter().map(|(key, _)| (*key).to_owned()).collect();
        let inward = &self.session.inner.inward;
        let answers = rounds::answers(inward, new.into_iter(), Some(&self.active.call)).await?;
        let mut params = UpdateTaskParams::new(self.id(), answers);
        let way = Way::of(&self.options, &self.active.call);
        let updating = self.session.request_by::<UpdateTask>(&mut params, way);
        updating.await?;
        self.answered.extend(keys);
        Ok(())
    }

    async fn look(&mut self) -> Result<DetailedTask, Error> {
        let mut params = TaskParams::new(self.id());
        let way = Way::of(&self.options, &self.active.call);
        let looking = self.session.request_by::<GetTask>(&mut params, way);
        let now = looking.await?;
        // What it does not say again still holds.
        let poll_interval = now.task.poll_interval.or(self.task.poll_interval);
        self.task.clone_from(&now.task);
        self.task.poll_interval = poll_interval;
        Ok(now)
    }

    /// Waits until it is time to look again, or until the server says that there is news.
    async fn pause(&self) {
        let (shortest, longest) = PAUSES;
        let pause = self.task.poll_interval.map_or(PAUSE, Duration::from_millis);
        tokio::select! {
            () = tokio::time::sleep(pause.clamp(shortest, longest)) => {}
            () = self.active.call.changed() => {}
        }
    }

    /// Whether an error says nothing of the task: over HTTP each look is an exchange of its own.
    fn may_pass(&self, error: &Error) -> bool {
        let passing = match error {
            Error::Call(CallError::Closed { .. } | CallError::TimedOut { .. }) => true,
            Error::Call(CallError::Rejected(rejection)) => {
                rejection.error.is_none() && rejection.status.is_server_error()
            }
            _ => false,
        };
        passing && self.session.inner.wire == Wire::Http && !self.session.is_over()
    }

    fn lost(&self, error: Error) -> Error {
        match error {
            error @ (Error::Task { .. } | Error::Input(_)) => error,
            error if error.remote().is_some() => error,
            error => self.without(TaskError::Lost(Box::new(error))),
        }
    }

    fn without(&self, source: TaskError) -> Error {
        Error::Task {
            id: self.id().to_owned(),
            source,
        }
    }
}

fn result(raw: &RawJson) -> Result<CallToolResult, Error> {
    raw.decode().map_err(|e| unreadable(e.to_string()))
}

fn unreadable(detail: String) -> Error {
    Error::Result {
        method: "tools/call".to_owned(),
        source: AnswerError::Malformed { detail },
    }
}

/// Gives a task up that nobody waits for any more.
struct GiveUp {
    /// It does not keep the connection open.
    session: Session,
    id: String,
    options: CallOptions,
    armed: bool,
}

impl Drop for GiveUp {
    fn drop(&mut self) {
        // Outside of a runtime there is nobody to tell it.
        if !self.armed || tokio::runtime::Handle::try_current().is_err() {
            return;
        }
        let (session, id) = (self.session.clone(), std::mem::take(&mut self.id));
        let options = std::mem::take(&mut self.options).with_timeout(GIVING_UP);
        mcp_peer::background(async move {
            if let Err(error) = session.cancel_task(&id, &options).await {
                tracing::debug!(error = error.chain(), "a task could not be given up");
            }
        });
    }
}
