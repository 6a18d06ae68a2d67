//! Hints about what a tool does, and how it runs.

use serde::{Deserialize, Serialize};

use crate::Extra;

/// Hints about what a tool does. From a server that is not trusted they mean nothing.
///
/// Specification: Tools, Tool. Since 2025-03-26.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct ToolAnnotations {
    /// The name for people. Since 2025-06-18 rather in the tool itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// It changes nothing. Absent: it may.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_only_hint: Option<bool>,
    /// It may destroy something. Absent: it may. Without meaning for a read-only tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destructive_hint: Option<bool>,
    /// Calling it twice is like calling it once. Absent: it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotent_hint: Option<bool>,
    /// It deals with the outside world. Absent: it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_world_hint: Option<bool>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl ToolAnnotations {
    /// No hints.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the tool says that it changes nothing.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.read_only_hint.unwrap_or(false)
    }

    /// Whether the tool may destroy something, as far as it says.
    #[must_use]
    pub fn is_destructive(&self) -> bool {
        !self.is_read_only() && self.destructive_hint.unwrap_or(true)
    }

    /// Whether the tool says that calling it twice is like calling it once.
    #[must_use]
    pub fn is_idempotent(&self) -> bool {
        self.is_read_only() || self.idempotent_hint.unwrap_or(false)
    }

    /// Whether the tool may deal with the outside world, as far as it says.
    #[must_use]
    pub fn is_open_world(&self) -> bool {
        self.open_world_hint.unwrap_or(true)
    }
}

setters!(ToolAnnotations {
    with_title(title: String),
    with_read_only_hint(read_only_hint: bool),
    with_destructive_hint(destructive_hint: bool),
    with_idempotent_hint(idempotent_hint: bool),
    with_open_world_hint(open_world_hint: bool),
});

/// How a tool runs.
///
/// Specification: Tasks (2025-11-25 only).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct ToolExecution {
    /// Whether it runs as a task. Absent: it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_support: Option<TaskSupport>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl ToolExecution {
    /// A tool that does not run as a task.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

setters!(ToolExecution { with_task_support(task_support: TaskSupport) });

open_enum! {
    /// Whether a tool runs as a task. 2025-11-25 only.
    TaskSupport {
        /// Never.
        Forbidden = "forbidden",
        /// When the client asks for it.
        Optional = "optional",
        /// Always: the client must ask for it.
        Required = "required",
    }
}
