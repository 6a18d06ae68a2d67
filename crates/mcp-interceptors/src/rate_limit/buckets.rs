//! Token buckets by key.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Token buckets by key.
///
/// Of a bucket it is kept when it will be full again, counted from when the first was made: one
/// number says both how many calls are left and when the next one comes. A bucket that is full is
/// as good as none.
#[derive(Debug)]
pub(super) struct Buckets {
    /// One call comes back after so long.
    interval: Duration,
    /// How long an empty bucket takes to fill, but for one call.
    depth: Duration,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    began: Option<Instant>,
    full_at: HashMap<String, Duration>,
}

impl Buckets {
    /// How many keys are counted at once. Further ones are refused until one is full again.
    pub(super) const MAX_KEYS: usize = 10_000;

    pub(super) fn new(calls: u32, per: Duration, burst: u32) -> Self {
        let interval = per / calls.max(1);
        Self {
            interval,
            depth: interval.saturating_mul(burst.max(1) - 1),
            state: Mutex::new(State {
                began: None,
                full_at: HashMap::new(),
            }),
        }
    }

    /// Takes one call out, and says how long to wait before it is made; if that would be longer
    /// than `most`, takes none and says how long as an error.
    pub(super) fn take(&self, key: &str, most: Duration) -> Result<Duration, Duration> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let began = *state.began.get_or_insert(now);
        let now = now.saturating_duration_since(began);
        if !state.full_at.contains_key(key) && state.full_at.len() >= Self::MAX_KEYS {
            state.full_at.retain(|_, full_at| *full_at > now);
            if state.full_at.len() >= Self::MAX_KEYS {
                return Err(self.interval);
            }
        }
        let full_at = state.full_at.get(key).copied().unwrap_or(now).max(now);
        let wait = full_at.saturating_sub(now.saturating_add(self.depth));
        if wait > most {
            return Err(wait);
        }
        let full_at = full_at.saturating_add(self.interval);
        state.full_at.insert(key.to_owned(), full_at);
        Ok(wait)
    }
}
