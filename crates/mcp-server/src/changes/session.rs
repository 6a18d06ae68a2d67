//! What a session has subscribed to.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Changes, lock};

/// What a session has subscribed to by `resources/subscribe`.
#[derive(Default)]
pub(crate) struct Subscriptions {
    known: AtomicBool,
    uris: Mutex<HashSet<String>>,
}

impl Subscriptions {
    /// Whether this is the first time that the question is asked.
    pub(super) fn is_new(&self) -> bool {
        !self.known.swap(true, Ordering::AcqRel)
    }

    pub(super) fn has(&self, uri: &str) -> bool {
        lock(&self.uris).contains(uri)
    }

    /// `false` where there are too many already.
    pub(crate) fn add(&self, uri: &str) -> bool {
        let mut uris = lock(&self.uris);
        if uris.len() >= Changes::MAX_SUBSCRIPTIONS && !uris.contains(uri) {
            return false;
        }
        uris.insert(uri.to_owned());
        true
    }

    pub(crate) fn remove(&self, uri: &str) {
        lock(&self.uris).remove(uri);
    }
}
