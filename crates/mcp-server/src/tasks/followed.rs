//! Tasks of the client that the server waits for, by the session that they belong to.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// Who waits for news of which task.
#[derive(Debug, Default)]
pub(crate) struct Followed(Mutex<HashMap<String, Arc<Notify>>>);

impl Followed {
    /// The client has said that a task of its is another one now.
    pub(crate) fn changed(&self, task: &str) {
        if let Some(news) = self.lock().get(task) {
            news.notify_one();
        }
    }

    /// Notes that news of a task are wanted.
    pub(crate) fn follow(&self, task: &str) -> Arc<Notify> {
        Arc::clone(self.lock().entry(task.to_owned()).or_default())
    }

    /// Nobody waits for news of the task any more.
    pub(crate) fn leave(&self, task: &str) {
        self.lock().remove(task);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Notify>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
