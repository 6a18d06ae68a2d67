//! All tasks of a server.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mcp_protocol::{Task, TaskShape};
use mcp_transport::Session;
use tokio::time::Instant;

use super::{TaskOptions, Work};
use crate::Changes;

/// To whom a task belongs. Nobody else can see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    Principal(String),
    Session(Session),
    /// Whoever knows its id.
    Anyone,
}

/// The tasks of a server.
#[derive(Debug)]
pub(crate) struct Tasks {
    options: TaskOptions,
    changes: Option<Changes>,
    all: Mutex<HashMap<String, Arc<Work>>>,
    created: AtomicU64,
}

impl Tasks {
    pub(crate) fn new(options: TaskOptions, changes: Option<Changes>) -> Self {
        Self {
            options,
            changes,
            all: Mutex::default(),
            created: AtomicU64::new(0),
        }
    }

    /// Creates a task; it can be found from now on. `None` where there are too many.
    pub(crate) fn create(
        &self,
        owner: Owner,
        shape: TaskShape,
        ttl_ms: Option<u64>,
    ) -> Option<Arc<Work>> {
        let id = random_id()?;
        let mut all = self.live();
        if all.len() >= self.options.max_tasks {
            tracing::warn!(max = self.options.max_tasks, "there are too many tasks");
            return None;
        }
        let ttl = ttl_ms.map_or(self.options.ttl, Duration::from_millis);
        let ttl = ttl.min(self.options.max_ttl);
        let task = Task::new(&*id, Work::now())
            .with_shape(shape)
            .with_ttl(millis(ttl))
            .with_poll_interval(millis(self.options.poll_interval));
        let number = self.created.fetch_add(1, Ordering::Relaxed);
        let expires = Instant::now() + ttl;
        let work = Work::new(number, owner, task, expires, self.changes.clone());
        let work = Arc::new(work);
        all.insert(id, Arc::clone(&work));
        Some(work)
    }

    /// A task of this owner.
    pub(crate) fn get(&self, id: &str, owner: &Owner) -> Option<Arc<Work>> {
        let work = self.live().get(id).cloned();
        work.filter(|work| work.owner == *owner)
    }

    /// The next tasks of this owner after the one with a number, in order of creation, and
    /// whether there are more.
    pub(crate) fn page(
        &self,
        owner: &Owner,
        after: Option<u64>,
        size: usize,
    ) -> (Vec<Task>, Option<u64>) {
        let mut own: Vec<Arc<Work>> = self
            .live()
            .values()
            .filter(|work| work.owner == *owner && after.is_none_or(|n| work.number > n))
            .cloned()
            .collect();
        own.sort_unstable_by_key(|work| work.number);
        let more = own.len() > size;
        own.truncate(size);
        let last = own.last().filter(|_| more).map(|work| work.number);
        (own.iter().map(|work| work.task()).collect(), last)
    }

    /// Gives up all tasks.
    pub(crate) fn cancel_all(&self) {
        let all: Vec<_> = self.live().values().cloned().collect();
        for work in all {
            work.cancel();
        }
    }

    /// The tasks, without those whose time is over.
    fn live(&self) -> MutexGuard<'_, HashMap<String, Arc<Work>>> {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        all.retain(|_, work| work.expires > now);
        all
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Who knows the id can reach the task, so nobody must guess it.
fn random_id() -> Option<String> {
    let mut bytes = [0; 16];
    match getrandom::fill(&mut bytes) {
        Ok(()) => Some(format!("{:032x}", u128::from_be_bytes(bytes))),
        Err(error) => {
            tracing::error!(%error, "no random number for the id of a task");
            None
        }
    }
}
