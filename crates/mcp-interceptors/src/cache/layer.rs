//! The layer and what it can be told.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::outcomes::Outcomes;
use super::{Cache, key};
use crate::ToolCall;
use crate::closure::Closure;
use crate::layer::tower_layer;

/// Answers a call with the outcome of an equal one, if that is not too old; then nothing is sent.
///
/// By default only tools are cached that say that they read and change nothing. Failures and
/// commands are never kept. Calls are equal if server, tool, arguments, headers and `_meta` (but
/// for trace and progress) are.
///
/// What a layer further in adds to a call is not seen here. Where answers differ by user, put
/// this layer inside of the one that says who the user is, or give [`key`](Self::key) a key that
/// does.
///
/// At most 1,000 outcomes are kept, of 16 MiB as JSON; those that were not used for longest go
/// first. Equal calls at the same time are all made. Chains that are made of the same layer, or
/// of clones, share what is kept.
///
/// ```
/// use std::time::Duration;
/// use mcp_interceptors::{CacheLayer, ToolLayers};
/// let cache = CacheLayer::new(Duration::from_secs(60)).bounds(100, 1 << 20);
/// let layers = ToolLayers::new().layer(cache.clone());
/// cache.clear();
/// # assert_eq!(layers.len(), 1);
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct CacheLayer(Cache);

impl CacheLayer {
    /// Keeps outcomes for `ttl`.
    pub fn new(ttl: Duration) -> Self {
        Self(Cache {
            kept: Arc::new(Mutex::new(Outcomes::new(1_000, 16 << 20))),
            ttl,
            key: Closure(Arc::new(|call| Some(key::of(call)))),
            which: Closure(Arc::new(|call| {
                let hints = call.annotations();
                hints.is_some_and(|hints| hints.is_read_only())
            })),
        })
    }

    /// Keeps at most so many outcomes of so many bytes in all, and forgets those that are kept.
    pub fn bounds(mut self, count: usize, bytes: usize) -> Self {
        self.0.kept = Arc::new(Mutex::new(Outcomes::new(count, bytes)));
        self
    }

    /// Decides which calls are equal: those with the same key. A call without one is made.
    pub fn key<F>(mut self, f: F) -> Self
    where
        F: Fn(&ToolCall) -> Option<String> + Send + Sync + 'static,
    {
        self.0.key = Closure(Arc::new(f));
        self
    }

    /// Decides which calls are cached at all.
    pub fn only_if(mut self, f: impl Fn(&ToolCall) -> bool + Send + Sync + 'static) -> Self {
        self.0.which = Closure(Arc::new(f));
        self
    }

    /// Forgets all outcomes.
    pub fn clear(&self) {
        self.0.kept().clear();
    }

    fn interceptor(&self) -> Cache {
        self.0.clone()
    }
}

tower_layer!(CacheLayer);
