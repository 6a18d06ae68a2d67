//! What has happened so far.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::memory::Memory;

/// The most failures that are told in words.
const TOLD: usize = 20;

/// Counts what the clients do.
#[derive(Debug)]
pub(super) struct Tally {
    /// Requests that are to be made.
    wanted: u64,
    begun: AtomicU64,
    done: AtomicU64,
    finished: AtomicBool,
    kinds: Mutex<BTreeMap<&'static str, u64>>,
    failures: Mutex<Vec<String>>,
}

impl Tally {
    pub(super) fn new(wanted: u64) -> Self {
        Self {
            wanted,
            begun: AtomicU64::new(0),
            done: AtomicU64::new(0),
            finished: AtomicBool::new(false),
            kinds: Mutex::default(),
            failures: Mutex::default(),
        }
    }

    /// The number of the next request, if there is to be one more.
    pub(super) fn begin(&self) -> Option<u64> {
        let number = self.begun.fetch_add(1, Ordering::Relaxed);
        (number < self.wanted).then_some(number)
    }

    pub(super) fn done(&self, kind: &'static str) {
        self.done.fetch_add(1, Ordering::Relaxed);
        *lock(&self.kinds).entry(kind).or_default() += 1;
    }

    /// What happens besides requests.
    pub(super) fn event(&self, kind: &'static str) {
        *lock(&self.kinds).entry(kind).or_default() += 1;
    }

    pub(super) fn failed(&self, what: String) {
        let mut failures = lock(&self.failures);
        if failures.len() < TOLD {
            failures.push(what);
        }
    }

    /// How far it is, from 0 to 1.
    #[expect(
        clippy::cast_precision_loss,
        reason = "nobody looks at the last digits"
    )]
    pub(super) fn progress(&self) -> f64 {
        self.done.load(Ordering::Relaxed) as f64 / self.wanted.max(1) as f64
    }

    pub(super) fn finish(&self) {
        self.finished.store(true, Ordering::Release);
    }

    pub(super) fn is_finished(&self) -> bool {
        self.finished.load(Ordering::Acquire)
    }

    pub(super) fn report(&self, memory: &Memory) -> Report {
        Report {
            requests: self.done.load(Ordering::Relaxed),
            kinds: lock(&self.kinds).clone(),
            failures: lock(&self.failures).clone(),
            memory: (memory.early(), memory.late()),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a soak has come to.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// Requests that have ended as they should, or that are among the failures.
    pub requests: u64,
    /// What was done, and how often.
    pub kinds: BTreeMap<&'static str, u64>,
    /// What went wrong: the first few.
    pub failures: Vec<String>,
    /// Resident bytes of this process after a fifth of the requests, and at the end; 0 where
    /// that cannot be told.
    pub memory: (u64, u64),
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} requests (", self.requests)?;
        for (at, (kind, count)) in self.kinds.iter().enumerate() {
            let comma = if at > 0 { ", " } else { "" };
            write!(f, "{comma}{kind}: {count}")?;
        }
        let (early, late) = (self.memory.0 >> 20, self.memory.1 >> 20);
        write!(f, "), memory {early} MiB early and {late} MiB at the end")?;
        for failure in &self.failures {
            write!(f, "\n  {failure}")?;
        }
        Ok(())
    }
}
