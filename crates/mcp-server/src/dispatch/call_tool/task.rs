//! Calls of tools that go on as tasks.

use std::convert::Infallible;
use std::sync::Arc;

use mcp_jsonrpc::{ErrorCode, ErrorObject, Notification, RawJson};
use mcp_protocol::tasks::TaskStatusNotification;
use mcp_protocol::{
    CallToolResult, CreateTaskResult, DetailedTask, Feature, RpcNotification as _, Stamp as _,
    Task, TaskMetadata, TaskShape, TaskStatus, TaskSupport, Tool,
};
use tokio::time::{sleep_until, timeout};

use super::{RunningTool, outcome, write};
use crate::context::Answered;
use crate::dispatch::{Answer, Call, tasks};
use crate::handler::{Ended, drive};
use crate::server::Shared;
use crate::tasks::{Owner, Work};
use crate::tool::ToolEntry;
use crate::{Changes, Context};

/// Whether the client wants a task, as it may in 2025-11-25 if the tool allows it.
pub(super) fn asked_for(
    server: &Shared,
    call: &Call,
    tool: &Tool,
    wanted: Option<&str>,
) -> Result<Option<TaskMetadata>, ErrorObject> {
    if server.tasks.is_none() || !call.context.version.has(Feature::Tasks) {
        return Ok(None);
    }
    let support = tool
        .execution
        .as_ref()
        .and_then(|e| e.task_support.as_ref());
    let refuse = |why| {
        let message = format!("the tool {} {why}", tool.name);
        Err(ErrorObject::new(ErrorCode::METHOD_NOT_FOUND, message))
    };
    match (support, wanted) {
        (Some(TaskSupport::Required), None) => refuse("has to be called as a task"),
        (Some(TaskSupport::Required | TaskSupport::Optional), wanted) => {
            let wanted = wanted.map(serde_json::from_str);
            wanted
                .transpose()
                .map_err(|error| ErrorObject::invalid_params(format!("invalid task: {error}")))
        }
        (_, Some(_)) => refuse("cannot be called as a task"),
        (_, None) => Ok(None),
    }
}

/// Answers with a task of the client's wish, and lets the tool run in it.
pub(super) fn begin(
    entry: Arc<ToolEntry>,
    running: RunningTool,
    cx: Context,
    wanted: &TaskMetadata,
) -> Answer {
    let answered = cx.until_answered();
    let work = create(&cx, TaskShape::Core, wanted.ttl)
        .ok_or_else(|| ErrorObject::internal("there are too many tasks"))?;
    cx.decide_task(Some(Arc::clone(&work)));
    detach(entry, running, cx, work, answered)
}

/// Decides about the wish of a handler to go on in a task.
pub(super) fn decide(cx: &Context) -> Option<Arc<Work>> {
    let work = create(cx, TaskShape::Extension, None);
    cx.decide_task(work.clone());
    work
}

fn create(cx: &Context, shape: TaskShape, ttl_ms: Option<u64>) -> Option<Arc<Work>> {
    let server = cx.server();
    let owner = tasks::owner(server, cx.extensions(), cx.session());
    server.tasks.as_ref()?.create(owner, shape, ttl_ms)
}

/// Lets a handler go on apart from its request, which is answered with the task.
pub(super) fn detach(
    entry: Arc<ToolEntry>,
    running: RunningTool,
    cx: Context,
    work: Arc<Work>,
    answered: Answered,
) -> Answer {
    let mut created = CreateTaskResult::new(work.task());
    created.meta = tasks::info(cx.server(), cx.version());
    let answer = RawJson::encode(&created).map_err(|e| ErrorObject::internal(e.to_string()));
    mcp_peer::background(async move {
        run(&entry, running, &cx, &work).await;
        drop(answered);
    });
    answer
}

/// Drives a handler until it ends, its time is over, or nobody wants it any more.
async fn run(entry: &ToolEntry, mut running: RunningTool, cx: &Context, work: &Work) {
    let session = match &work.owner {
        Owner::Session(session) => Some(session),
        _ => None,
    };
    let over = async {
        match session {
            Some(session) => session.ended().cancelled().await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        never = announce(cx, work) => match never {},
        ended = drive(cx, &mut running) => {
            let (status, outcome) = conclude(entry, ended, cx, work);
            work.end(status, outcome);
        }
        () = work.cancelled.cancelled() => {}
        () = sleep_until(work.expires) => drop(work.cancel()),
        () = over => drop(work.cancel()),
    }
    tell(cx, work.task()).await;
}

/// Tells the client of each status that the task takes on; if it goes on to the next at once, of
/// that alone.
async fn announce(cx: &Context, work: &Work) -> Infallible {
    let mut told = TaskStatus::Working;
    loop {
        let changed = work.changed();
        let task = work.task();
        if task.status == told {
            changed.await;
        } else if !task.status.is_terminal() {
            told = task.status.clone();
            tell(cx, task).await;
        } else {
            // Its end is told of by who has ended it.
            std::future::pending::<Infallible>().await;
        }
    }
}

/// Sends `notifications/tasks/status`, where the revision has it and there is a session that can
/// take it: whoever waits for the task must not rely on it, and so it may be lost.
async fn tell(cx: &Context, task: Task) {
    let Some(session) = cx.session().filter(|_| task.shape == TaskShape::Core) else {
        return;
    };
    let Ok(params) = RawJson::encode(&DetailedTask::new(task)) else {
        return;
    };
    let notification = Notification::new(TaskStatusNotification::METHOD, Some(params));
    let sending = session.channel().notify(notification);
    if !matches!(timeout(Changes::PATIENCE, sending).await, Ok(Ok(()))) {
        tracing::debug!("a session did not take the news of a task");
    }
}

/// The status and the outcome of a task whose handler has ended.
fn conclude(
    entry: &ToolEntry,
    ended: Ended<CallToolResult, crate::ToolError>,
    cx: &Context,
    work: &Work,
) -> (TaskStatus, Answer) {
    let mut result = match outcome(entry, ended, cx) {
        Ok(result) => result,
        Err(error) => return (TaskStatus::Failed, Err(error)),
    };
    match work.shape {
        TaskShape::Core => {
            let failed = result.is_error();
            let meta = result.meta.get_or_insert_default();
            meta.set_related_task(&work.id);
            let status = if failed {
                TaskStatus::Failed
            } else {
                TaskStatus::Completed
            };
            (status, write(result, cx))
        }
        _ => {
            // It stands inside of another result, which says what a result has to say.
            result.fit(cx.version());
            let result = RawJson::encode(&result);
            let result = result.map_err(|e| ErrorObject::internal(e.to_string()));
            (TaskStatus::Completed, result)
        }
    }
}
