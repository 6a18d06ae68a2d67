//! A question as a request of the server's own, with the progress of its answer, and the task
//! that it may become at the client. Until 2025-11-25.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use mcp_jsonrpc::{Id, MethodName, RawJson};
use mcp_protocol::tasks::{CancelTask, GetTask, GetTaskPayload};
use mcp_protocol::{
    ClientNotification, CreateTaskResult, DetailedTask, HasMeta as _, ProgressParams, RpcRequest,
    Task, TaskParams,
};
use mcp_transport::{Call, CallError, Channel, Progress, ProgressSink, Session, Timeouts};
use serde::Serialize;
use tokio::sync::{Notify, mpsc};
use tokio::time::{Instant, timeout, timeout_at};

use super::AskError;
use crate::Context;
use crate::tasks::{Asked, Followed};

/// How many reports of an answer's progress wait for their handler.
const REPORTS: usize = 64;
/// How long to wait between two looks at a task, where the client does not say, and the bounds
/// of what it may say.
const PAUSE: Duration = Duration::from_secs(1);
const PAUSES: (Duration, Duration) = (Duration::from_millis(10), Duration::from_secs(60));
/// How long the end of a task that nobody waits for any more may take to be told.
const GIVING_UP: Duration = Duration::from_secs(5);

/// Whether params ask for a task of the client.
pub(super) fn asks_for_task(params: &impl Serialize) -> bool {
    let Ok(params) = RawJson::encode(params) else {
        return false;
    };
    has_task(&params)
}

fn has_task(json: &RawJson) -> bool {
    matches!(json.pick(["task"]), Some([Some(_)]))
}

impl Context {
    /// Asks by a request, and waits for what comes of it.
    pub(super) async fn call_client<M: RpcRequest>(
        &self,
        mut params: M::Params,
    ) -> Result<RawJson, AskError> {
        let token = self.server().hook.is_some().then(next_token);
        if let Some(token) = &token {
            let meta = params.meta_mut().get_or_insert_default();
            meta.progress_token = Some(token.clone());
        }
        let params = RawJson::encode(&params).map_err(AskError::Question)?;
        let as_task = has_task(&params);
        let asked = Asked {
            method: M::METHOD,
            params,
        };
        let mut call = asked.into_call(self.server().ask_timeout);
        // What is to be a task is given up as one.
        call.cancellable = !as_task;
        let answer = match token {
            Some(token) => self.call_reporting(call, token).await?,
            None => self.channel().call(call).await?,
        };
        self.outcome_of(answer, as_task).await
    }

    /// Makes a call whose progress goes to whoever wants to know of notifications.
    async fn call_reporting(&self, mut call: Call, token: Id) -> Result<RawJson, AskError> {
        let (sender, mut reports) = mpsc::channel(REPORTS);
        // Called from the reader: what finds no room is dropped.
        let sink = ProgressSink::new(move |report| drop(sender.try_send(report)));
        call.progress = Some((token.clone(), sink));
        let calling = self.channel().call(call);
        tokio::pin!(calling);
        let answer = loop {
            tokio::select! {
                biased;
                Some(report) = reports.recv() => self.hand_over(&token, report).await,
                answer = &mut calling => break answer,
            }
        };
        // What came before the answer is handed over before it.
        while let Ok(report) = reports.try_recv() {
            self.hand_over(&token, report).await;
        }
        Ok(answer?)
    }

    async fn hand_over(&self, token: &Id, report: Progress) {
        let Some(hook) = &self.server().hook else {
            return;
        };
        let mut params = ProgressParams::new(token.clone(), report.progress);
        params.total = report.total;
        params.message = report.message;
        hook(ClientNotification::Progress(Box::new(params)), self.clone()).await;
    }

    /// The answer itself, or what comes of the task that it is.
    pub(super) async fn outcome_of(
        &self,
        answer: RawJson,
        as_task: bool,
    ) -> Result<RawJson, AskError> {
        if !(as_task && has_task(&answer)) {
            return Ok(answer);
        }
        let created: CreateTaskResult = answer.decode().map_err(AskError::Answer)?;
        let limit = Instant::now() + self.server().ask_timeout;
        let following = Following::new(self, created.task);
        let after = self.server().ask_timeout;
        timeout_at(limit, following.until_it_has_ended())
            .await
            .unwrap_or_else(|_| Err(CallError::TimedOut { after }.into()))
    }
}

/// Names the progress of one question among those of all servers of the process.
fn next_token() -> Id {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    Id::from(NEXT.fetch_add(1, Ordering::Relaxed))
}

/// A task of the client that is waited for. It is given up when nobody waits any more.
struct Following {
    channel: Arc<dyn Channel>,
    followed: Option<Arc<Followed>>,
    news: Arc<Notify>,
    task: Task,
    over: bool,
}

impl Following {
    fn new(cx: &Context, task: Task) -> Self {
        let session = cx.session();
        // The request that has asked may end; what is asked of its task goes by the session.
        let channel = session.map_or_else(|| cx.shared_channel(), |s| Arc::clone(s.channel()));
        let followed: Option<Arc<Followed>> = session.map(Session::state);
        let news = followed
            .as_ref()
            .map(|followed| followed.follow(&task.task_id));
        Self {
            channel,
            followed,
            news: news.unwrap_or_default(),
            task,
            over: false,
        }
    }

    /// Looks at the task until it has ended, and gets its result.
    async fn until_it_has_ended(mut self) -> Result<RawJson, AskError> {
        while !self.task.status.is_terminal() {
            self.pause().await;
            let now: DetailedTask = self
                .call(GetTask::METHOD)
                .await?
                .decode()
                .map_err(AskError::Answer)?;
            // It stays the task that it was, whatever the client calls it now.
            self.task.status = now.task.status;
            self.task.poll_interval = now.task.poll_interval.or(self.task.poll_interval);
        }
        self.over = true;
        self.call(GetTaskPayload::METHOD).await
    }

    /// Waits until it is time to look again, or until the client says that there is news.
    async fn pause(&self) {
        let (shortest, longest) = PAUSES;
        let pause = self.task.poll_interval.map_or(PAUSE, Duration::from_millis);
        let news = self.news.notified();
        drop(timeout(pause.clamp(shortest, longest), news).await);
    }

    async fn call(&self, method: MethodName) -> Result<RawJson, AskError> {
        let params = RawJson::encode(&TaskParams::new(&*self.task.task_id));
        let mut call = Call::new(method, Some(params.map_err(AskError::Question)?));
        call.timeouts = Timeouts::default();
        Ok(self.channel.call(call).await?)
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        if let Some(followed) = &self.followed {
            followed.leave(&self.task.task_id);
        }
        if self.over || tokio::runtime::Handle::try_current().is_err() {
            return;
        }
        let Ok(params) = RawJson::encode(&TaskParams::new(&*self.task.task_id)) else {
            return;
        };
        let channel = Arc::clone(&self.channel);
        let mut call = Call::new(CancelTask::METHOD, Some(params));
        call.timeouts = Timeouts::within(GIVING_UP);
        mcp_peer::background(async move {
            if let Err(error) = channel.call(call).await {
                tracing::debug!(%error, "a task of the client could not be given up");
            }
        });
    }
}
