//! The layer and what it can be told.

use std::sync::Arc;
use std::time::Duration;

use super::buckets::Buckets;
use super::{Key, RateLimit};
use crate::ToolCall;
use crate::closure::Closure;
use crate::layer::tower_layer;

/// Limits how many calls are made in a time, by a token bucket for each server, tool, or key of
/// one's own.
///
/// A call that comes too early is refused ([`CallErrorKind::Refused`], with [`RateLimited`] as
/// its source), or waits where that is asked for. At most 10,000 keys are counted at once; a key
/// that has not been used for `per` costs nothing. Chains that are made of the same layer, or of
/// clones, share the count.
///
/// [`CallErrorKind::Refused`]: crate::CallErrorKind::Refused
/// [`RateLimited`]: crate::RateLimited
///
/// ```
/// use std::time::Duration;
/// use mcp_interceptors::{RateLimitLayer, ToolCall, ToolLayers};
///
/// struct User(String);
///
/// let per_user = RateLimitLayer::new(60, Duration::from_secs(60))
///     .burst(5)
///     .per_key(|call: &ToolCall| call.extensions().get::<User>().map(|user| user.0.clone()));
/// let layers = ToolLayers::new().layer(per_user);
/// # assert_eq!(layers.len(), 1);
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct RateLimitLayer {
    calls: u32,
    per: Duration,
    key: Key,
    buckets: Arc<Buckets>,
    most: Duration,
}

impl RateLimitLayer {
    /// At most `calls` calls (at least one) in `per`, all of them at once if need be, for each
    /// server.
    pub fn new(calls: u32, per: Duration) -> Self {
        Self {
            calls,
            per,
            key: Key::Server,
            buckets: Arc::new(Buckets::new(calls, per, calls)),
            most: Duration::ZERO,
        }
    }

    /// Lets at most so many calls through at once; the others are spread evenly.
    pub fn burst(mut self, burst: u32) -> Self {
        self.buckets = Arc::new(Buckets::new(self.calls, self.per, burst));
        self
    }

    /// Counts the calls of each tool of each server.
    pub fn per_tool(mut self) -> Self {
        self.key = Key::Tool;
        self
    }

    /// Counts by a key that is made of the call, such as its user. A call without a key is not
    /// limited.
    pub fn per_key<F>(mut self, f: F) -> Self
    where
        F: Fn(&ToolCall) -> Option<String> + Send + Sync + 'static,
    {
        self.key = Key::Custom(Closure(Arc::new(f)));
        self
    }

    /// Lets a call wait for so long before it is refused. The turn of a call that is dropped
    /// while it waits is lost.
    pub fn wait_at_most(mut self, most: Duration) -> Self {
        self.most = most;
        self
    }

    fn interceptor(&self) -> RateLimit {
        RateLimit {
            key: self.key.clone(),
            buckets: Arc::clone(&self.buckets),
            most: self.most,
        }
    }
}

tower_layer!(RateLimitLayer);
