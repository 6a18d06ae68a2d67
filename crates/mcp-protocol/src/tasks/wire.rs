//! A task in JSON: the members of both shapes side by side.

use serde::{Deserialize, Serialize};

use super::{Task, TaskShape, TaskStatus};
use crate::{Extra, decode};

/// `Some(None)` is a member that is `null`.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Wire {
    task_id: String,
    status: TaskStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    status_message: Option<String>,
    created_at: String,
    last_updated_at: String,
    #[serde(
        default,
        deserialize_with = "nullable_count",
        skip_serializing_if = "Option::is_none"
    )]
    ttl: Option<Option<u64>>,
    #[serde(
        default,
        deserialize_with = "nullable_count",
        skip_serializing_if = "Option::is_none"
    )]
    ttl_ms: Option<Option<u64>>,
    #[serde(
        default,
        deserialize_with = "decode::count",
        skip_serializing_if = "Option::is_none"
    )]
    poll_interval: Option<u64>,
    #[serde(
        default,
        deserialize_with = "decode::count",
        skip_serializing_if = "Option::is_none"
    )]
    poll_interval_ms: Option<u64>,
    #[serde(flatten)]
    extra: Extra,
}

fn nullable_count<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<u64>>, D::Error> {
    decode::count(deserializer).map(Some)
}

impl From<Wire> for Task {
    fn from(wire: Wire) -> Self {
        let extension = wire.ttl_ms.is_some() || wire.poll_interval_ms.is_some();
        Self {
            task_id: wire.task_id,
            status: wire.status,
            status_message: wire.status_message,
            created_at: wire.created_at,
            last_updated_at: wire.last_updated_at,
            ttl: wire.ttl_ms.or(wire.ttl).flatten(),
            poll_interval: wire.poll_interval_ms.or(wire.poll_interval),
            shape: if extension {
                TaskShape::Extension
            } else {
                TaskShape::Core
            },
            extra: wire.extra,
        }
    }
}

impl From<Task> for Wire {
    fn from(task: Task) -> Self {
        let core = task.shape == TaskShape::Core;
        Self {
            task_id: task.task_id,
            status: task.status,
            status_message: task.status_message,
            created_at: task.created_at,
            last_updated_at: task.last_updated_at,
            ttl: core.then_some(task.ttl),
            ttl_ms: (!core).then_some(task.ttl),
            poll_interval: task.poll_interval.filter(|_| core),
            poll_interval_ms: task.poll_interval.filter(|_| !core),
            extra: task.extra,
        }
    }
}
