//! Questions of a server that are tasks of ours: it asks, we answer with a task at once, and it
//! comes back for the result.
//!
//! Specification: Tasks (2025-11-25), with the client as the receiver.

mod entry;
mod options;
mod table;

use std::sync::Arc;

use mcp_jsonrpc::{ErrorObject, RawJson, Request};
use mcp_protocol::tasks::{CancelTask, GetTask, GetTaskPayload, ListTasks};
use mcp_protocol::{
    CancelTaskResult, ClientTaskRequests, ClientTasksCapability, CreateTaskResult, DetailedTask,
    ElicitationTaskRequests, ListTasksResult, RpcRequest as _, SamplingTaskRequests, ServerRequest,
};
use mcp_transport::Channel;
use serde::Serialize;
use serde_json::Map;

use crate::handlers::{Handlers, Origin};

pub use options::TaskOptions;
pub(crate) use table::Tasks;

/// A question that may be, or may be about, a task.
pub(crate) struct Asked<'a> {
    pub(crate) request: &'a Request,
    pub(crate) origin: &'a Origin,
    /// By what the server is told how the task is getting on.
    pub(crate) channel: &'a Arc<dyn Channel>,
}

impl Tasks {
    /// Answers what is about tasks; `None` for any other request.
    ///
    /// # Errors
    /// The error for the server: `-32602` for params that do not fit or a task that is not there
    /// or has ended, `-32603` where there are too many.
    ///
    /// # Cancel safety
    /// Dropping the future leaves the tasks as they are.
    pub(crate) async fn answer(
        &self,
        handlers: &Handlers,
        asked: &Asked<'_>,
    ) -> Option<Result<RawJson, ErrorObject>> {
        let (method, params) = (&asked.request.method, asked.request.params.as_ref());
        Some(match &**method {
            m if *m == *GetTask::METHOD => GetTask::decode_params(params)
                .and_then(|params| self.find(&params.task_id))
                .and_then(|entry| write(&DetailedTask::new(entry.task()))),
            m if *m == *CancelTask::METHOD => CancelTask::decode_params(params)
                .and_then(|params| self.find(&params.task_id)?.cancel())
                .and_then(|task| write(&CancelTaskResult::new(Some(task)))),
            m if *m == *ListTasks::METHOD => {
                ListTasks::decode_params(params).and_then(|params| match params.cursor {
                    // There are so few that one page holds them all.
                    None => write(&ListTasksResult::new(self.all())),
                    Some(_) => Err(ErrorObject::invalid_params("there is only one page")),
                })
            }
            m if *m == *GetTaskPayload::METHOD => {
                let params = GetTaskPayload::decode_params(params);
                match params.and_then(|params| self.find(&params.task_id)) {
                    Ok(entry) => entry.outcome().await,
                    Err(error) => Err(error),
                }
            }
            _ if !handlers.runs_as_task(method) => return None,
            _ => match ServerRequest::decode(method, params) {
                Ok(request) if request.asks_for_task() => self.begin(handlers, &request, asked),
                // What is wrong with it is said by who would answer it.
                _ => return None,
            },
        })
    }

    fn begin(
        &self,
        handlers: &Handlers,
        request: &ServerRequest,
        asked: &Asked<'_>,
    ) -> Result<RawJson, ErrorObject> {
        let ttl = match request {
            ServerRequest::CreateMessage(params) => params.task.as_ref(),
            ServerRequest::Elicit(params) => params.task(),
            _ => None,
        };
        let entry = self.create(ttl.and_then(|task| task.ttl))?;
        let created = write(&CreateTaskResult::new(entry.task()))?;
        let (handlers, origin) = (handlers.clone(), asked.origin.clone());
        let (method, params) = (asked.request.method.clone(), asked.request.params.clone());
        let answering = async move { handlers.answer(&method, params.as_ref(), origin).await };
        mcp_peer::background(entry.run(answering, Arc::clone(asked.channel)));
        Ok(created)
    }
}

/// What is declared for handlers whose answers may be tasks.
pub(crate) fn capability(sampling: bool, elicitation: bool) -> Option<Box<ClientTasksCapability>> {
    let mut requests = ClientTaskRequests::new();
    requests.sampling =
        sampling.then(|| SamplingTaskRequests::new().with_create_message(Map::new()));
    requests.elicitation =
        elicitation.then(|| ElicitationTaskRequests::new().with_create(Map::new()));
    let tasks = ClientTasksCapability::new()
        .with_list(Map::new())
        .with_cancel(Map::new())
        .with_requests(requests);
    (sampling || elicitation).then(|| Box::new(tasks))
}

fn write(result: &impl Serialize) -> Result<RawJson, ErrorObject> {
    RawJson::encode(result).map_err(|error| ErrorObject::internal(error.to_string()))
}
