//! How a request becomes a task.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use mcp_protocol::lifecycle::NotNegotiated;
use mcp_protocol::{Feature, TaskShape, tasks};
use tokio::sync::Notify;

use super::Context;
use crate::AskError;
use crate::tasks::Work;

/// What a request has to do with tasks.
#[derive(Debug, Default)]
pub(super) struct TaskSlot {
    is: OnceLock<Arc<Work>>,
    /// Whether its method can become a task at all.
    possible: AtomicBool,
    wanted: AtomicBool,
    refused: AtomicBool,
    decided: Notify,
}

impl Context {
    /// Makes a task of the call from here on, if the client knows tasks: it is told so at once,
    /// looks at the task from time to time, and finds the result there. The handler goes on
    /// meanwhile; it is not run again, and what it asks the client is asked through the task.
    ///
    /// `false` if the call stays what it is: the client does not know tasks, the server has
    /// [none](crate::ServerBuilder::tasks), there are too many, or this is no call of a tool.
    ///
    /// For clients of the extension `io.modelcontextprotocol/tasks`, since 2026-07-28. In
    /// 2025-11-25 the client decides, where the description of the tool allows it, and the call
    /// is a task from its beginning.
    ///
    /// # Cancel safety
    /// Dropping the future may or may not have made a task of the call.
    pub async fn become_task(&self) -> bool {
        let slot = &self.0.task;
        let knows = self.client_capabilities().has_extension(tasks::EXTENSION);
        let decides = TaskShape::of(self.version()) == TaskShape::Extension;
        let may = self.version().is_stateless() && decides && knows;
        if self.task().is_some() || !may || !slot.possible.load(Ordering::Acquire) {
            return self.task().is_some();
        }
        slot.wanted.store(true, Ordering::Release);
        self.0.driver.wake();
        loop {
            let decided = slot.decided.notified();
            if self.task().is_some() || slot.refused.load(Ordering::Acquire) {
                return self.task().is_some();
            }
            decided.await;
        }
    }

    /// Like [`become_task`](Self::become_task), for work that takes too long to be waited for.
    ///
    /// # Errors
    /// [`AskError::NotOffered`] if the client does not know tasks, and [`AskError::NoTask`] if
    /// the server cannot make one.
    ///
    /// # Cancel safety
    /// As [`become_task`](Self::become_task).
    pub async fn require_task(&self) -> Result<(), AskError> {
        if self.become_task().await {
            return Ok(());
        }
        let version = self.version();
        let knows = self.client_capabilities().has_extension(tasks::EXTENSION);
        if !version.has(Feature::Tasks) && !knows {
            let reason = NotNegotiated::Capability {
                method: "tools/call".to_owned(),
                peer: "client",
                capability: "extensions.io.modelcontextprotocol/tasks",
            };
            return Err(AskError::NotOffered { reason, version });
        }
        Err(AskError::NoTask)
    }

    /// The task that the request has become.
    pub(crate) fn task(&self) -> Option<&Arc<Work>> {
        self.0.task.is.get()
    }

    /// Lets the request become a task when its handler wants that.
    pub(crate) fn allow_task(&self) {
        self.0.task.possible.store(true, Ordering::Release);
    }

    /// Whether the handler waits to go on in a task.
    pub(crate) fn wants_task(&self) -> bool {
        let slot = &self.0.task;
        slot.wanted.load(Ordering::Acquire)
            && slot.is.get().is_none()
            && !slot.refused.load(Ordering::Acquire)
    }

    /// The request is this task from now on, or stays without one.
    pub(crate) fn decide_task(&self, work: Option<Arc<Work>>) {
        let slot = &self.0.task;
        match work {
            // Only the driver of the request decides, and it does so once.
            Some(work) => drop(slot.is.set(work)),
            None => slot.refused.store(true, Ordering::Release),
        }
        slot.decided.notify_waiters();
    }
}
