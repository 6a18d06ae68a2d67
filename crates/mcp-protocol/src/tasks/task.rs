//! A task and its status.

use serde::de::Deserializer;
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use super::wire::Wire;
use crate::{Extra, Feature, ProtocolVersion};

/// A request whose answer comes later.
///
/// Specification: Tasks (2025-11-25); extension Tasks.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Task {
    /// Names the task. Who knows it can reach the task, so it must not be guessable.
    pub task_id: String,
    /// How it is getting on.
    pub status: TaskStatus,
    /// More about the status, for people.
    pub status_message: Option<String>,
    /// When it was created, as in ISO 8601.
    pub created_at: String,
    /// When it last changed, as in ISO 8601.
    pub last_updated_at: String,
    /// How long it is kept from its creation, in milliseconds (`ttl` or `ttlMs`). `None`
    /// (written as `null`): without limit.
    pub ttl: Option<u64>,
    /// How long to wait between two looks at it, in milliseconds (`pollInterval` or
    /// `pollIntervalMs`).
    pub poll_interval: Option<u64>,
    /// Which of the two specifications names its members.
    pub shape: TaskShape,
    /// Members that this crate does not know.
    pub extra: Extra,
}

impl Task {
    /// A task that has just begun, in the shape of 2025-11-25, kept without limit.
    pub fn new(task_id: impl Into<String>, created_at: impl Into<String>) -> Self {
        let created_at = created_at.into();
        Self {
            task_id: task_id.into(),
            status: TaskStatus::Working,
            status_message: None,
            last_updated_at: created_at.clone(),
            created_at,
            ttl: None,
            poll_interval: None,
            shape: TaskShape::Core,
            extra: Extra::new(),
        }
    }

    /// The same with another status.
    #[must_use]
    pub fn with_status(mut self, status: TaskStatus) -> Self {
        self.status = status;
        self
    }

    /// The same in another shape.
    #[must_use]
    pub const fn with_shape(mut self, shape: TaskShape) -> Self {
        self.shape = shape;
        self
    }
}

setters!(Task {
    with_status_message(status_message: String),
    with_ttl(ttl: u64),
    with_poll_interval(poll_interval: u64),
});

/// Which of the two specifications of tasks a message follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TaskShape {
    /// The core of 2025-11-25: the requester asks for a task; `ttl`, `pollInterval`; a new task
    /// stands in `task`.
    #[default]
    Core,
    /// The extension: the server decides; `ttlMs`, `pollIntervalMs`; a new task is the result
    /// itself, marked by `resultType`.
    Extension,
}

impl TaskShape {
    /// The shape that belongs to a revision.
    #[must_use]
    pub const fn of(version: ProtocolVersion) -> Self {
        if version.has(Feature::Tasks) {
            Self::Core
        } else {
            Self::Extension
        }
    }
}

open_enum! {
    /// How a task is getting on.
    ///
    /// Specification: Tasks, Task Status Lifecycle (2025-11-25); extension Tasks.
    TaskStatus {
        /// It is being worked on.
        Working = "working",
        /// It waits for input.
        InputRequired = "input_required",
        /// It has a result.
        Completed = "completed",
        /// It has an error. A tool that failed is one in 2025-11-25, but not in the extension.
        Failed = "failed",
        /// It was given up.
        Cancelled = "cancelled",
    }
}

impl TaskStatus {
    /// Whether the task has ended. A status that this crate does not know is not an end.
    #[must_use]
    pub const fn is_terminal(&self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }

    /// Whether a task may go on to another status: from any but an ended one, to any but itself.
    #[must_use]
    pub fn can_become(&self, next: &Self) -> bool {
        !self.is_terminal() && self != next
    }
}

impl Serialize for Task {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Wire::from(self.clone()).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Task {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Wire::deserialize(deserializer).map(Self::from)
    }
}
