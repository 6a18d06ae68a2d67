//! Our calls that wait for an answer, and until when.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::{CallOptions, Refused};
use crate::Id;

#[derive(Debug)]
pub(super) struct Outgoing<T> {
    limit: usize,
    closed: bool,
    next: u64,
    /// Ordered, so that what ends together ends in the order in which it began.
    waiting: BTreeMap<u64, Waiting<T>>,
    /// No deadline is earlier. It may lag behind: a call that is answered in time, as nearly all
    /// are, then costs nothing here, and one scan per time-out period corrects it.
    earliest: Option<Instant>,
}

#[derive(Debug)]
struct Waiting<T> {
    tag: T,
    since: Instant,
    /// The earlier of both limits; `None` waits for ever.
    deadline: Option<Instant>,
    options: CallOptions,
}

impl<T> Outgoing<T> {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            closed: false,
            next: 1,
            waiting: BTreeMap::new(),
            earliest: None,
        }
    }

    pub(super) fn next_id(&self) -> Id {
        self.next.into()
    }

    pub(super) fn insert(
        &mut self,
        now: Instant,
        options: CallOptions,
        tag: T,
    ) -> Result<Id, (Refused, T)> {
        if self.closed {
            return Err((Refused::Closed, tag));
        }
        if self.waiting.len() >= self.limit {
            return Err((Refused::Busy { limit: self.limit }, tag));
        }
        let deadline = deadline(now, now, options);
        self.lower_earliest(deadline);
        let waiting = Waiting {
            tag,
            since: now,
            deadline,
            options,
        };
        let key = self.next;
        self.next += 1;
        self.waiting.insert(key, waiting);
        Ok(key.into())
    }

    pub(super) fn remove(&mut self, id: &Id) -> Option<T> {
        let waiting = self.waiting.remove(&id.as_u64()?)?;
        if self.waiting.is_empty() {
            self.earliest = None;
        }
        Some(waiting.tag)
    }

    pub(super) fn progress(&mut self, now: Instant, id: &Id) -> bool {
        let Some(waiting) = id.as_u64().and_then(|key| self.waiting.get_mut(&key)) else {
            return false;
        };
        if waiting.options.reset_on_progress {
            // Never earlier than before, so `earliest` still holds.
            waiting.deadline = deadline(waiting.since, now, waiting.options);
        }
        true
    }

    /// Takes out the calls whose time is up, with how long each had waited.
    pub(super) fn expire(&mut self, now: Instant) -> Vec<(Id, T, Duration)> {
        if self.earliest.is_none_or(|earliest| now < earliest) {
            return Vec::new();
        }
        let due = |w: &Waiting<T>| w.deadline.is_some_and(|deadline| deadline <= now);
        let keys: Vec<u64> = self
            .waiting
            .iter()
            .filter(|(_, w)| due(w))
            .map(|(k, _)| *k)
            .collect();
        let expired = keys
            .into_iter()
            .filter_map(|key| {
                let waiting = self.waiting.remove(&key)?;
                let after = waiting.deadline?.duration_since(waiting.since);
                Some((key.into(), waiting.tag, after))
            })
            .collect();
        self.earliest = self.waiting.values().filter_map(|w| w.deadline).min();
        expired
    }

    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.earliest
    }

    pub(super) fn close(&mut self) -> Vec<(Id, T)> {
        self.closed = true;
        self.earliest = None;
        std::mem::take(&mut self.waiting)
            .into_iter()
            .map(|(key, waiting)| (key.into(), waiting.tag))
            .collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    fn lower_earliest(&mut self, deadline: Option<Instant>) {
        self.earliest = match (self.earliest, deadline) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }
}

/// The earlier of both limits. A limit too far off for the clock is none.
fn deadline(since: Instant, heard: Instant, options: CallOptions) -> Option<Instant> {
    let idle = options.idle.and_then(|idle| heard.checked_add(idle));
    let total = options.total.and_then(|total| since.checked_add(total));
    match (idle, total) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}
