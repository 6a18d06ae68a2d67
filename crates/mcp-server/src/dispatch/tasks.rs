//! `tasks/..`: of 2025-11-25, and of the extension beside 2026-07-28.

use std::collections::BTreeMap;
use std::sync::Arc;

use http::Extensions;
use mcp_jsonrpc::{ErrorObject, RawJson};
use mcp_protocol::{
    CancelTaskResult, ClientCapabilities, Cursor, EmptyResult, Feature, ListTasksResult, Meta,
    MissingRequiredClientCapabilityError, ProtocolVersion, ResultType, TaskShape, tasks,
};
use mcp_transport::Session;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, json};

use super::{Answer, Answering, Call, decode, now, params_of, reply};
use crate::server::Shared;
use crate::tasks::{Next, Owner, Tasks, Work};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params {
    task_id: String,
}

/// To whom the tasks of a request belong.
pub(super) fn owner(server: &Shared, extensions: &Extensions, session: Option<&Session>) -> Owner {
    let principal = server.principal.as_ref().and_then(|of| of(extensions));
    match (principal, session) {
        (Some(principal), _) => Owner::Principal(principal),
        (None, Some(session)) => Owner::Session(session.clone()),
        (None, None) => Owner::Anyone,
    }
}

fn owner_of(server: &Shared, call: &Call) -> Owner {
    owner(server, &call.extensions, call.session.as_ref())
}

pub(super) fn get(server: &Arc<Shared>, call: Call) -> Answering {
    now(find(server, call).and_then(|(work, call)| {
        let mut details = work.details();
        if work.shape == TaskShape::Extension {
            details.result_type = Some(ResultType::Complete);
        }
        details.meta = info(server, call.context.version);
        write(&details)
    }))
}

pub(super) fn cancel(server: &Arc<Shared>, call: Call) -> Answering {
    now(find(server, call).and_then(|(work, call)| {
        let cancelled = work.cancel();
        match work.shape {
            TaskShape::Core if cancelled => write(&CancelTaskResult::new(Some(work.task()))),
            TaskShape::Core => Err(ErrorObject::invalid_params(format!(
                "the task has ended already: {}",
                work.task().status
            ))),
            _ => reply(EmptyResult::new(), server, &call.context),
        }
    }))
}

pub(super) fn update(server: &Arc<Shared>, call: Call) -> Answering {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Update {
        input_responses: BTreeMap<String, Box<RawValue>>,
    }
    let raw = call.message.params.clone().unwrap_or(RawJson::EMPTY);
    let method = call.message.method.clone();
    now(find(server, call).and_then(|(work, call)| {
        let Update { input_responses } = decode(&raw, &method)?;
        let answers = input_responses.into_iter();
        work.answer(answers.map(|(key, answer)| (key, Ok(answer.into()))));
        reply(EmptyResult::new(), server, &call.context)
    }))
}

/// Waits until the task has ended; meanwhile takes its questions to the client.
pub(super) fn result(server: &Arc<Shared>, call: Call) -> Answering {
    let (work, call) = match find(server, call) {
        Ok(found) => found,
        Err(error) => return now(Err(error)),
    };
    let ask_timeout = server.ask_timeout;
    Box::pin(async move {
        loop {
            match work.next().await {
                Next::Ended(outcome) => return outcome,
                Next::Asks(errand) => {
                    let question = errand.asked.clone().into_call(ask_timeout);
                    let answer = call.channel.call(question).await;
                    errand.done(answer);
                }
            }
        }
    })
}

pub(super) fn list(server: &Shared, call: &Call) -> Answer {
    #[derive(Deserialize)]
    struct Page {
        #[serde(default)]
        cursor: Option<Cursor>,
    }
    let raw = params_of(call);
    let Page { cursor } = decode(&raw, &call.message.method)?;
    let after = cursor.map(|cursor| cursor.as_str().parse::<u64>());
    let after = after
        .transpose()
        .map_err(|_| ErrorObject::invalid_params("the cursor is not one of this list"))?;
    let size = server.catalog().page_size();
    let (tasks, last) = enabled(server)?.page(&owner_of(server, call), after, size);
    let mut result = ListTasksResult::new(tasks);
    result.next_cursor = last.map(|number| number.to_string().into());
    write(&result)
}

fn enabled(server: &Shared) -> Result<&Tasks, ErrorObject> {
    let tasks = server.tasks.as_ref();
    tasks.ok_or_else(|| ErrorObject::internal("the server has no tasks"))
}

/// The task that a request names, if it is one of who asks.
fn find(server: &Shared, call: Call) -> Result<(Arc<Work>, Call), ErrorObject> {
    check_extension(&call)?;
    let raw = params_of(&call);
    let Params { task_id } = decode(&raw, &call.message.method)?;
    let found = enabled(server)?.get(&task_id, &owner_of(server, &call));
    let shape = TaskShape::of(call.context.version);
    match found.filter(|work| work.shape == shape) {
        Some(work) => Ok((work, call)),
        None => Err(ErrorObject::invalid_params("there is no such task")),
    }
}

/// The extension is spoken only with who has declared it in this very request.
fn check_extension(call: &Call) -> Result<(), ErrorObject> {
    let version = call.context.version;
    let client = &call.context.client_capabilities;
    if version.has(Feature::Tasks) || client.has_extension(tasks::EXTENSION) {
        return Ok(());
    }
    let extensions = Map::from_iter([(tasks::EXTENSION.to_owned(), json!({}))]);
    let required = ClientCapabilities::new().with_extensions(extensions);
    Err(MissingRequiredClientCapabilityError::new(required).into())
}

/// Says who answers, where the revision wants that.
pub(super) fn info(server: &Shared, version: ProtocolVersion) -> Option<Meta> {
    version.has(Feature::ServerInfoInMeta).then(|| {
        let mut meta = Meta::new();
        meta.set_server_info(server.info.clone());
        meta
    })
}

fn write(result: &impl Serialize) -> Answer {
    RawJson::encode(result).map_err(|error| ErrorObject::internal(error.to_string()))
}
