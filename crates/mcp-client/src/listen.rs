//! What a session wants to be told of, and what the server has agreed to.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_protocol::{SubscriptionFilter, SubscriptionsAcknowledgedParams};
use mcp_transport::{CallError, CallId};
use tokio::sync::{oneshot, watch};

/// The resources to be told of. It outlives the sessions that ask for them.
#[derive(Debug, Default)]
pub(crate) struct Wanted {
    uris: Mutex<BTreeSet<String>>,
    /// Counts changes.
    changed: watch::Sender<u64>,
}

impl Wanted {
    /// The most resources to be told of.
    pub(crate) const LIMIT: usize = 1024;

    /// Adds a resource and gives back the count of changes; `None` where there are too many.
    pub(crate) fn add(&self, uri: &str) -> Option<u64> {
        let mut uris = self.lock();
        if uris.len() >= Self::LIMIT && !uris.contains(uri) {
            return None;
        }
        if uris.insert(uri.to_owned()) {
            self.changed.send_modify(|count| *count += 1);
        }
        Some(*self.changed.borrow())
    }

    pub(crate) fn remove(&self, uri: &str) {
        if self.lock().remove(uri) {
            self.changed.send_modify(|count| *count += 1);
        }
    }

    pub(crate) fn all(&self) -> BTreeSet<String> {
        self.lock().clone()
    }

    pub(crate) fn watch(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.uris.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How far the session's own listening is.
#[derive(Clone, Debug, Default)]
pub(crate) enum Listening {
    /// It has not begun.
    #[default]
    No,
    /// Nothing has been agreed on yet.
    Begun,
    /// The server tells of this, which is what was wanted at this count of changes.
    Agreed {
        count: u64,
        filter: Arc<SubscriptionFilter>,
    },
    /// The server does not do it.
    Refused(CallError),
}

impl Listening {
    /// Whether somebody listens or tries to.
    pub(crate) const fn runs(&self) -> bool {
        matches!(self, Self::Begun | Self::Agreed { .. })
    }

    /// Whether it says what has come of the wishes at this count of changes.
    pub(crate) const fn settles(&self, wanted: u64) -> bool {
        match self {
            Self::No | Self::Begun => false,
            Self::Agreed { count, .. } => *count >= wanted,
            Self::Refused(_) => true,
        }
    }
}

/// Waits for what a server agrees to, one request at a time.
#[derive(Debug, Default)]
pub(crate) struct Agreements(Mutex<Option<(CallId, oneshot::Sender<SubscriptionFilter>)>>);

impl Agreements {
    /// The answer to the request that gets this id.
    pub(crate) fn expect(&self, id: &CallId) -> oneshot::Receiver<SubscriptionFilter> {
        let (agreed, agreement) = oneshot::channel();
        *self.lock() = Some((id.clone(), agreed));
        agreement
    }

    pub(crate) fn arrived(&self, params: SubscriptionsAcknowledgedParams) {
        let named = params.meta.as_ref().and_then(|meta| meta.subscription_id());
        // A transport that tells no ids leaves no choice.
        let expected = self
            .lock()
            .take_if(|(id, _)| id.get().is_none() || id.get() == named.as_ref());
        if let Some((_, agreed)) = expected {
            // Whoever does not wait any more does not care.
            let _ = agreed.send(params.notifications);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<(CallId, oneshot::Sender<SubscriptionFilter>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
