//! Tasks: requests whose answer comes later.
//!
//! 2025-11-25 has them as an experimental part of the core; beside 2026-07-28 stands the
//! extension `io.modelcontextprotocol/tasks`. The two do not understand each other: see
//! [`TaskShape`].

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::{
    Cursor, EmptyResult, Extra, InputResponses, Meta, PaginatedParams, RequestMeta, decode,
};

mod clock;
mod detailed;
mod task;
mod wire;

pub use clock::iso_8601;
pub use detailed::{CancelTaskResult, CreateTaskResult, DetailedTask};
pub use task::{Task, TaskShape, TaskStatus};

/// The id of the extension, in `extensions` of the capabilities.
pub const EXTENSION: &str = "io.modelcontextprotocol/tasks";

request! {
    /// `tasks/get`: how a task is getting on.
    ///
    /// Specification: Tasks (2025-11-25, in both directions); extension Tasks (to servers).
    GetTask = "tasks/get": TaskParams => DetailedTask
}

request! {
    /// `tasks/result`: waits until a task has ended, and gives the result of its request.
    ///
    /// Specification: Tasks (2025-11-25 only, in both directions).
    GetTaskPayload = "tasks/result": TaskParams => Box<RawValue>
}

request! {
    /// `tasks/cancel`: gives up a task.
    ///
    /// Specification: Tasks (2025-11-25, in both directions); extension Tasks (to servers).
    CancelTask = "tasks/cancel": TaskParams => CancelTaskResult
}

request! {
    /// `tasks/list`: a page of the receiver's tasks.
    ///
    /// Specification: Tasks (2025-11-25 only, in both directions).
    ListTasks = "tasks/list": PaginatedParams => ListTasksResult
}

request! {
    /// `tasks/update`: answers what a task asks.
    ///
    /// Specification: extension Tasks.
    UpdateTask = "tasks/update": UpdateTaskParams => EmptyResult
}

notification! {
    /// `notifications/tasks/status`: a task has another status.
    ///
    /// Specification: Tasks (2025-11-25 only, in both directions).
    TaskStatusNotification = "notifications/tasks/status": DetailedTask
}

notification! {
    /// `notifications/tasks`: a task of a subscription has changed.
    ///
    /// Specification: extension Tasks.
    TaskNotification = "notifications/tasks": DetailedTask
}

/// Asks for a request to be run as a task.
///
/// Specification: Tasks (2025-11-25 only).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct TaskMetadata {
    /// How long the task is wanted to be kept from its creation, in milliseconds.
    #[serde(
        default,
        deserialize_with = "decode::count",
        skip_serializing_if = "Option::is_none"
    )]
    pub ttl: Option<u64>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl TaskMetadata {
    /// A task that is kept as long as the receiver likes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

setters!(TaskMetadata { with_ttl(ttl: u64) });

/// Params of [`GetTask`], [`GetTaskPayload`] and [`CancelTask`].
///
/// Specification: Tasks (2025-11-25); extension Tasks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct TaskParams {
    /// Which task.
    pub task_id: String,
    /// What travels beside the params.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl TaskParams {
    /// Names a task.
    pub fn new(task_id: impl Into<String>) -> Self {
        Self {
            task_id: task_id.into(),
            meta: None,
            extra: Extra::new(),
        }
    }
}

setters!(TaskParams { with_meta(meta: RequestMeta) });

/// Params of [`UpdateTask`].
///
/// Specification: extension Tasks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct UpdateTaskParams {
    /// Which task.
    pub task_id: String,
    /// Answers to what it asked.
    pub input_responses: InputResponses,
    /// What travels beside the params.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl UpdateTaskParams {
    /// Answers what a task asked.
    pub fn new(task_id: impl Into<String>, input_responses: InputResponses) -> Self {
        Self {
            task_id: task_id.into(),
            input_responses,
            meta: None,
            extra: Extra::new(),
        }
    }
}

setters!(UpdateTaskParams { with_meta(meta: RequestMeta) });
has_meta!(TaskParams, UpdateTaskParams);

list_result! {
    /// Result of [`ListTasks`].
    ///
    /// Specification: Tasks (2025-11-25 only).
    ListTasksResult {
        /// The tasks of this page.
        tasks: Task,
        /// Where the next page begins. Absent: this was the last.
        #[serde(skip_serializing_if = "Option::is_none")]
        next_cursor: Option<Cursor>,
        /// What travels beside the result.
        #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
        meta: Option<Meta>,
    }
}

setters!(ListTasksResult {
    with_next_cursor(next_cursor: Cursor),
    with_meta(meta: Meta),
});
