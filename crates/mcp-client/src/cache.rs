//! What a session keeps of a server's lists, and until when.

use std::any::Any;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_jsonrpc::MethodName;
use mcp_protocol::RpcRequest;
use mcp_protocol::prompts::ListPrompts;
use mcp_protocol::resources::{ListResourceTemplates, ListResources};
use mcp_protocol::tools::ListTools;
use tokio::time::{Duration, Instant};

use crate::handlers::Change;

/// The lists of one server, by method.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    lists: Mutex<HashMap<MethodName, Kept>>,
    /// Counts changes, so that a list which was asked for before a change is not kept after it.
    epoch: AtomicU64,
}

#[derive(Debug)]
struct Kept {
    list: Arc<dyn Any + Send + Sync>,
    /// `None` until a change is announced.
    until: Option<Instant>,
}

/// How long a list may be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// For this long. What is no longer fresh still serves for looking up definitions.
    For(Duration),
    /// Until the server announces a change.
    UntilChanged,
}

impl Cache {
    /// The list of a method, if it is still fresh.
    pub(crate) fn get<T: Send + Sync + 'static>(&self, method: &MethodName) -> Option<Arc<T>> {
        let lists = self.lock();
        let kept = lists.get(method)?;
        if kept.until.is_some_and(|until| until <= Instant::now()) {
            return None;
        }
        Arc::clone(&kept.list).downcast().ok()
    }

    /// The list of a method as it was last, fresh or not.
    pub(crate) fn last<T: Send + Sync + 'static>(&self, method: &MethodName) -> Option<Arc<T>> {
        Arc::clone(&self.lock().get(method)?.list).downcast().ok()
    }

    /// Is another number when the list of a method has been forgotten or is no longer fresh.
    pub(crate) fn version(&self, method: &MethodName) -> u64 {
        let lists = self.lock();
        let fresh = |kept: &Kept| kept.until.is_none_or(|until| Instant::now() < until);
        self.epoch() << 1 | u64::from(lists.get(method).is_some_and(fresh))
    }

    /// To be read before a list is asked for, and given to [`put`](Self::put) with it.
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    /// Keeps a list, unless something has changed since it was asked for.
    pub(crate) fn put<T: Send + Sync + 'static>(
        &self,
        method: MethodName,
        list: &Arc<T>,
        keep: Keep,
        epoch: u64,
    ) {
        let until = match keep {
            Keep::For(time) => Instant::now().checked_add(time),
            Keep::UntilChanged => None,
        };
        let mut lists = self.lock();
        if self.epoch() == epoch {
            let list: Arc<dyn Any + Send + Sync> = Arc::clone(list) as _;
            lists.insert(method, Kept { list, until });
        }
    }

    /// Forgets all lists: changes may have been missed.
    pub(crate) fn forget_all(&self) {
        for change in [Change::Tools, Change::Prompts, Change::Resources] {
            self.forget(&change);
        }
    }

    /// Forgets what a change has made stale.
    pub(crate) fn forget(&self, change: &Change) {
        let mut lists = self.lock();
        self.epoch.fetch_add(1, Ordering::AcqRel);
        match change {
            Change::Tools => drop(lists.remove(&ListTools::METHOD)),
            Change::Prompts => drop(lists.remove(&ListPrompts::METHOD)),
            Change::Resources => {
                lists.remove(&ListResources::METHOD);
                lists.remove(&ListResourceTemplates::METHOD);
            }
            Change::Resource { .. } | Change::Task { .. } => {}
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<MethodName, Kept>> {
        self.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
