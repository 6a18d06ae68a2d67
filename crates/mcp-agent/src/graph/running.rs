//! Which threads are at work. Of two runs that write one thread the later would win in silence.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{Error, ErrorKind};

/// The threads that a graph, clones included, is at work on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Running(Arc<Mutex<HashSet<Arc<str>>>>);

/// A thread at work; it is free again when this is dropped.
#[derive(Debug)]
pub(crate) struct AtWork {
    running: Running,
    thread: Arc<str>,
}

impl Running {
    /// Takes a thread, unless somebody else has it.
    pub(crate) fn take(&self, thread: &Arc<str>) -> Result<AtWork, Error> {
        if !self.lock().insert(Arc::clone(thread)) {
            let message = format!("a run of thread {thread} is still at work here");
            return Err(Error::new(ErrorKind::ThreadBusy, message));
        }
        Ok(AtWork {
            running: self.clone(),
            thread: Arc::clone(thread),
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<Arc<str>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        self.running.lock().remove(&self.thread);
    }
}
