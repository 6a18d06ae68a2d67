//! The time of day, and random numbers. Nothing else in the crate reads either.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Tells the time of day, for what is kept and read later: names of checkpoints, and when
/// something was done. The default is the machine's.
#[derive(Clone, Default)]
pub struct Clock(Option<Arc<dyn Fn() -> SystemTime + Send + Sync>>);

impl Clock {
    /// A clock of one's own.
    pub fn new(now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(now)))
    }

    /// Milliseconds since 1970.
    pub(crate) fn now_ms(&self) -> u64 {
        let now = self.0.as_ref().map_or_else(SystemTime::now, |now| now());
        let since = now.duration_since(UNIX_EPOCH);
        since.map_or(0, |since| {
            u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
        })
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Some(_) => "Clock(own)",
            None => "Clock",
        })
    }
}

/// A random number, which has to differ, not to be secret.
pub(crate) fn random() -> u64 {
    RandomState::new().hash_one(0_u8)
}
