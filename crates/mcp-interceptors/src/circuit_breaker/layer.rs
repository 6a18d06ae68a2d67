//! The layer and what it can be told.

use std::sync::Arc;
use std::time::Duration;

use super::circuits::Circuits;
use super::{CircuitBreaker, is_servers};
use crate::closure::Closure;
use crate::layer::tower_layer;
use crate::{CallError, ToolOutcome};

/// Stops asking a server that keeps failing, for a while; then one call finds out whether it is
/// back.
///
/// What is not asked fails at once ([`CallErrorKind::Refused`], with [`CircuitOpen`] as its
/// source). Failures are those of the server and of the way to it: it could not be reached, the
/// connection broke, no answer came in time. A tool that reports an error is none. Chains that
/// are made of the same layer, or of clones, share what they know; that is at most one entry for
/// each server.
///
/// [`CallErrorKind::Refused`]: crate::CallErrorKind::Refused
/// [`CircuitOpen`]: crate::CircuitOpen
///
/// ```
/// use std::time::Duration;
/// use mcp_interceptors::{CircuitBreakerLayer, ToolLayers};
/// let layers = ToolLayers::new().layer(CircuitBreakerLayer::new(5, Duration::from_secs(30)));
/// # assert_eq!(layers.len(), 1);
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct CircuitBreakerLayer {
    circuits: Arc<Circuits>,
    fails: Closure<dyn Fn(&Result<ToolOutcome, CallError>) -> bool + Send + Sync>,
}

impl CircuitBreakerLayer {
    /// Leaves a server alone for `pause` after `failures` failures (at least one) in a row.
    pub fn new(failures: u32, pause: Duration) -> Self {
        Self {
            circuits: Arc::new(Circuits::new(failures, pause)),
            fails: Closure(Arc::new(is_servers)),
        }
    }

    /// Decides itself what is a failure.
    pub fn fails_if<F>(mut self, f: F) -> Self
    where
        F: Fn(&Result<ToolOutcome, CallError>) -> bool + Send + Sync + 'static,
    {
        self.fails = Closure(Arc::new(f));
        self
    }

    fn interceptor(&self) -> CircuitBreaker {
        CircuitBreaker {
            circuits: Arc::clone(&self.circuits),
            fails: self.fails.clone(),
        }
    }
}

tower_layer!(CircuitBreakerLayer);
