//! Trying a node again.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mcp_model::ModelError;

use super::task::Panicked;
use crate::hash::Hash;
use crate::state::StateError;
use crate::{Error, ErrorKind};

/// When and how often a node that failed is tried again.
///
/// What a failed attempt gave back is thrown away. Interruptions and cancellations are no
/// failures and are never retried.
#[derive(Clone)]
pub struct Retry {
    attempts: u32,
    first: Duration,
    factor: u32,
    longest: Duration,
    jitter: Duration,
    when: Arc<dyn Fn(&(dyn std::error::Error + 'static)) -> bool + Send + Sync>,
    others: Vec<Self>,
}

/// 3 attempts in all; 0.5 s before the second, twice that before each further one but at most
/// 128 s, and up to 1 s more so that many do not come at once. Errors that would come again are
/// not tried again: a panic, JSON that cannot be read, an update that does not fit the state, a
/// question that a model refuses.
impl Default for Retry {
    fn default() -> Self {
        Self {
            attempts: 3,
            first: Duration::from_millis(500),
            factor: 2,
            longest: Duration::from_secs(128),
            jitter: Duration::from_secs(1),
            when: Arc::new(may_pass),
            others: Vec::new(),
        }
    }
}

impl Retry {
    /// The defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How often the node runs at most, the first time included.
    #[must_use]
    pub const fn attempts(mut self, attempts: u32) -> Self {
        self.attempts = attempts;
        self
    }

    /// How long to wait before the second attempt, and at most.
    #[must_use]
    pub const fn wait(mut self, first: Duration, longest: Duration) -> Self {
        self.first = first;
        self.longest = longest;
        self
    }

    /// How much longer than that it may be.
    #[must_use]
    pub const fn jitter(mut self, jitter: Duration) -> Self {
        self.jitter = jitter;
        self
    }

    /// Which errors are tried again.
    #[must_use]
    pub fn when(
        mut self,
        when: impl Fn(&(dyn std::error::Error + 'static)) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.when = Arc::new(when);
        self
    }

    /// For errors that this one does not try again: another rule. Of several rules the first that
    /// tries an error again counts.
    #[must_use]
    pub fn or(mut self, other: Self) -> Self {
        self.others.push(other);
        self
    }

    /// How long to wait after the `attempt`-th attempt failed with `error`; `None` gives up.
    pub(crate) fn pause(
        &self,
        attempt: u32,
        error: &(dyn std::error::Error + 'static),
        seed: u64,
    ) -> Option<Duration> {
        let mut rules = std::iter::once(self).chain(&self.others);
        let rule = rules.find(|rule| (rule.when)(error))?;
        if attempt >= rule.attempts {
            return None;
        }
        let factor = rule.factor.saturating_pow(attempt.saturating_sub(1));
        let wait = rule.first.saturating_mul(factor).min(rule.longest);
        let random = Hash::new(seed).number(u64::from(attempt)).finish();
        let jitter = u64::try_from(rule.jitter.as_nanos()).unwrap_or(u64::MAX);
        Some(wait + Duration::from_nanos(random.checked_rem(jitter).unwrap_or(0)))
    }
}

/// Whether trying again may help.
fn may_pass(error: &(dyn std::error::Error + 'static)) -> bool {
    if let Some(model) = error.downcast_ref::<ModelError>() {
        return model.is_transient();
    }
    if let Some(own) = error.downcast_ref::<Error>() {
        let kinds = [
            ErrorKind::Node,
            ErrorKind::Timeout,
            ErrorKind::Model,
            ErrorKind::Checkpoint,
        ];
        return kinds.contains(&own.kind());
    }
    !(error.is::<Panicked>() || error.is::<serde_json::Error>() || error.is::<StateError>())
}

impl fmt::Debug for Retry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Retry")
            .field("attempts", &self.attempts)
            .field("first", &self.first)
            .field("longest", &self.longest)
            .finish_non_exhaustive()
    }
}
