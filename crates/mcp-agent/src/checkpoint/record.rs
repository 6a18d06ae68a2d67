//! What became of a task whose step has not ended.

use std::collections::BTreeMap;
use std::sync::Arc;

use mcp_interceptors::{Command, Goto};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Interrupt;
use crate::state::Json;

/// What became of a task whose step has not ended, so that a resumed run does not repeat it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TaskRecord {
    /// The task.
    pub task: Arc<str>,
    /// Its node.
    pub node: Arc<str>,
    /// What became of it.
    pub state: TaskState,
}

/// What became of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TaskState {
    /// It has finished; this is what it gave back.
    Done(StoredOutput),
    /// It waits for answers.
    Waiting {
        /// The questions that are open.
        interrupts: Vec<Interrupt>,
        /// The answers that are already there, by question.
        #[serde(default)]
        answers: BTreeMap<String, Value>,
    },
    /// It failed; a resumed run tries it again.
    Failed {
        /// Why.
        message: String,
        /// The answers that are already there, by question.
        #[serde(default)]
        answers: BTreeMap<String, Value>,
    },
}

/// What a task gave back, as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StoredOutput {
    /// Its updates.
    pub updates: Vec<Json>,
    /// Where it goes besides the edges.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goto: Vec<Goto>,
    /// What the graph around is to do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parent: Vec<Command>,
    /// Whether the last of several values for a plain field wins.
    #[serde(default)]
    pub last_wins: bool,
}
