//! Tasks: requests whose answer comes later.

use serde::{Deserialize, Serialize};

use crate::{Extra, decode};

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
