//! The tasks of one session.

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mcp_jsonrpc::ErrorObject;
use mcp_protocol::Task;
use tokio::time::Instant;

use super::TaskOptions;
use super::entry::{Entry, now};

/// The tasks of one session, in the order in which they were made. Only its server can see them.
#[derive(Debug)]
pub(crate) struct Tasks {
    options: TaskOptions,
    all: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    made: u64,
    tasks: BTreeMap<u64, Arc<Entry>>,
}

impl Tasks {
    pub(crate) fn new(options: TaskOptions) -> Self {
        Self {
            options,
            all: Mutex::default(),
        }
    }

    /// Makes a task; it can be found from now on.
    pub(super) fn create(&self, ttl_ms: Option<u64>) -> Result<Arc<Entry>, ErrorObject> {
        let mut known = self.live();
        if known.tasks.len() >= self.options.max_tasks {
            return Err(ErrorObject::internal("there are too many tasks"));
        }
        known.made += 1;
        let ttl = ttl_ms.map_or(self.options.ttl, Duration::from_millis);
        let ttl = ttl.min(self.options.max_ttl);
        let task = Task::new(unguessable(known.made), now())
            .with_ttl(millis(ttl))
            .with_poll_interval(millis(self.options.poll_interval));
        let entry = Arc::new(Entry::new(task, Instant::now() + ttl));
        let number = known.made;
        known.tasks.insert(number, Arc::clone(&entry));
        Ok(entry)
    }

    pub(super) fn find(&self, id: &str) -> Result<Arc<Entry>, ErrorObject> {
        let known = self.live();
        let found = known.tasks.values().find(|entry| entry.id == id).cloned();
        found.ok_or_else(|| ErrorObject::invalid_params("there is no such task"))
    }

    pub(super) fn all(&self) -> Vec<Task> {
        self.live()
            .tasks
            .values()
            .map(|entry| entry.task())
            .collect()
    }

    /// The tasks, without those whose time is over.
    fn live(&self) -> MutexGuard<'_, Known> {
        let mut known = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        known.tasks.retain(|_, entry| entry.expires > now);
        known
    }
}

/// Nobody comes back for the tasks of a session that is over.
impl Drop for Tasks {
    fn drop(&mut self) {
        let known = self.all.get_mut().unwrap_or_else(PoisonError::into_inner);
        for entry in known.tasks.values() {
            entry.give_up();
        }
    }
}

/// An id that cannot be told from those before it: two keyed hashes, each of a key of its own.
fn unguessable(number: u64) -> String {
    let hash = || RandomState::new().hash_one(number);
    format!("{:016x}{:016x}", hash(), hash())
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
