//! A task as results and notifications carry it.

use mcp_jsonrpc::{ErrorObject, RawJson};
use serde::de::Deserializer;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::wire::Wire;
use super::{Task, TaskShape};
use crate::{InputRequests, Meta, ResultType, decode};

/// A task, with what has come of it so far.
///
/// It is `GetTaskResult` and `TaskStatusNotificationParams` of 2025-11-25, which have the task
/// alone, and `DetailedTask` of the extension, which has all of it.
///
/// Specification: Tasks (2025-11-25); extension Tasks.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct DetailedTask {
    /// The kind of the result: `complete`. Extension only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
    /// The task. Members that this crate does not know are in its `extra`.
    #[serde(flatten)]
    pub task: Task,
    /// What it asks, while it waits for input. Extension only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_requests: Option<InputRequests>,
    /// The result of its request, once it is completed. Extension only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<RawJson>,
    /// The error of its request, once it has failed. Extension only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorObject>,
    /// What travels beside it.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl DetailedTask {
    /// A task of which nothing has come yet.
    #[must_use]
    pub fn new(task: Task) -> Self {
        Self {
            result_type: None,
            task,
            input_requests: None,
            result: None,
            error: None,
            meta: None,
        }
    }
}

setters!(DetailedTask {
    with_result_type(result_type: ResultType),
    with_input_requests(input_requests: InputRequests),
    with_result(result: RawJson),
    with_error(error: ErrorObject),
    with_meta(meta: Meta),
});

impl<'de> Deserialize<'de> for DetailedTask {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let outer = Outer::deserialize(deserializer)?;
        Ok(Self {
            result_type: outer.result_type,
            task: outer.task.into(),
            input_requests: outer.input_requests,
            result: outer.result.map(RawJson::from),
            error: outer.error,
            meta: outer.meta,
        })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Outer {
    result_type: Option<ResultType>,
    #[serde(flatten)]
    task: Wire,
    input_requests: Option<InputRequests>,
    #[serde(default, deserialize_with = "decode::present")]
    result: Option<Box<RawValue>>,
    error: Option<ErrorObject>,
    #[serde(rename = "_meta")]
    meta: Option<Meta>,
}

/// Says that a request has become a task.
///
/// Read in either shape; written in the shape of its task.
/// Specification: Tasks (2025-11-25); extension Tasks.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CreateTaskResult {
    /// The task.
    pub task: Task,
    /// What travels beside the result.
    pub meta: Option<Meta>,
}

impl CreateTaskResult {
    /// Says that a request has become this task.
    #[must_use]
    pub fn new(task: Task) -> Self {
        Self { task, meta: None }
    }
}

setters!(CreateTaskResult { with_meta(meta: Meta) });

impl Serialize for CreateTaskResult {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Nested<'a> {
            task: &'a Task,
            #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
            meta: Option<&'a Meta>,
        }
        #[derive(Serialize)]
        struct Flat<'a> {
            #[serde(rename = "resultType")]
            result_type: ResultType,
            #[serde(flatten)]
            task: &'a Task,
            #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
            meta: Option<&'a Meta>,
        }
        let (task, meta) = (&self.task, self.meta.as_ref());
        match task.shape {
            TaskShape::Core => Nested { task, meta }.serialize(serializer),
            TaskShape::Extension => Flat {
                result_type: ResultType::Task,
                task,
                meta,
            }
            .serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for CreateTaskResult {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Either {
            task: Option<Task>,
            #[serde(rename = "resultType")]
            _result_type: Option<ResultType>,
            #[serde(flatten)]
            flat: Option<Wire>,
            #[serde(rename = "_meta")]
            meta: Option<Meta>,
        }
        let either = Either::deserialize(deserializer)?;
        let flat = || {
            either
                .flat
                .map(Task::from)
                .map(|t| t.with_shape(TaskShape::Extension))
        };
        let task = either.task.or_else(flat);
        Ok(Self {
            task: task.ok_or_else(|| serde::de::Error::missing_field("task"))?,
            meta: either.meta,
        })
    }
}

/// Result of [`CancelTask`](super::CancelTask).
///
/// Specification: Tasks (2025-11-25), where it is the cancelled task; extension Tasks, where it
/// says no more than that the request has arrived.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct CancelTaskResult {
    /// The kind of the result. Extension only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
    /// The cancelled task. 2025-11-25 only.
    #[serde(flatten)]
    pub task: Option<Task>,
    /// What travels beside the result.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl CancelTaskResult {
    /// The result of 2025-11-25, with the task, or of the extension, without.
    #[must_use]
    pub fn new(task: Option<Task>) -> Self {
        Self {
            task,
            ..Self::default()
        }
    }
}

setters!(CancelTaskResult { with_meta(meta: Meta) });
