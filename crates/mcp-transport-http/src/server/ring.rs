//! The events of a stream in order: those that were read and are kept for a resumption, then
//! those that wait to be read.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;

/// How many bytes all of a kind may have together: streams of what was read, bodies that are read.
#[derive(Debug)]
pub(super) struct Budget {
    limit: usize,
    used: AtomicUsize,
}

impl Budget {
    pub(super) const fn new(limit: usize) -> Self {
        Self {
            limit,
            used: AtomicUsize::new(0),
        }
    }

    pub(super) fn take(&self, bytes: usize) -> bool {
        let fits = |used: usize| used.checked_add(bytes).filter(|sum| *sum <= self.limit);
        let update = self
            .used
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, fits);
        update.is_ok()
    }

    pub(super) fn give_back(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::AcqRel);
    }

    #[cfg(test)]
    fn used(&self) -> usize {
        self.used.load(Ordering::Acquire)
    }
}

/// What a stream may keep of what was read.
#[derive(Clone, Debug)]
pub(super) struct Keep {
    /// In bytes; the last event is kept even if it is longer.
    pub(super) limit: usize,
    pub(super) budget: Arc<Budget>,
}

/// Events, numbered from 1.
#[derive(Debug, Default)]
pub(super) struct Ring {
    events: VecDeque<Bytes>,
    /// How many events there were before the first that is left.
    gone: u64,
    /// How many of those left were read.
    read: usize,
    kept_bytes: usize,
    unread_bytes: usize,
    keep: Option<Keep>,
}

impl Ring {
    /// From now on keeps what is read.
    pub(super) fn keep(&mut self, keep: Keep) {
        self.keep = Some(keep);
    }

    pub(super) fn push(&mut self, event: Bytes) {
        self.unread_bytes += event.len();
        self.events.push_back(event);
    }

    /// The next event to be read, with its number.
    pub(super) fn read(&mut self) -> Option<(u64, Bytes)> {
        let event = self.events.get(self.read)?.clone();
        self.unread_bytes -= event.len();
        let number = self.gone + self.read as u64 + 1;
        let kept = self
            .keep
            .as_ref()
            .is_some_and(|keep| keep.budget.take(event.len()));
        self.read += 1;
        if kept {
            self.kept_bytes += event.len();
            self.shrink();
        } else {
            // Numbers have no gaps: what came before it goes, too.
            self.forget(self.read - 1);
            self.events.pop_front();
            self.gone += 1;
            self.read = 0;
        }
        Some((number, event))
    }

    fn shrink(&mut self) {
        let limit = self.keep.as_ref().map_or(0, |keep| keep.limit);
        while self.kept_bytes > limit && self.read > 1 {
            self.forget(1);
        }
    }

    /// Drops this many of the kept events, oldest first.
    fn forget(&mut self, count: usize) {
        let bytes: usize = self.events.drain(..count).map(|event| event.len()).sum();
        self.gone += count as u64;
        self.read -= count;
        self.kept_bytes -= bytes;
        if let Some(keep) = &self.keep {
            keep.budget.give_back(bytes);
        }
    }

    /// Makes room where nobody reads: the oldest event goes.
    pub(super) fn drop_oldest(&mut self) {
        if self.read > 0 {
            self.forget(1);
        } else if let Some(event) = self.events.pop_front() {
            self.unread_bytes -= event.len();
            self.gone += 1;
        }
    }

    /// Goes back to behind the event with this number, or to the first that is left after it.
    /// `false` where that was not read yet.
    pub(super) fn rewind(&mut self, number: u64) -> bool {
        if number > self.position() {
            return false;
        }
        let read = usize::try_from(number.saturating_sub(self.gone)).unwrap_or(self.read);
        let again: usize = self.events.range(read..self.read).map(Bytes::len).sum();
        self.kept_bytes -= again;
        self.unread_bytes += again;
        if let Some(keep) = &self.keep {
            keep.budget.give_back(again);
        }
        self.read = read;
        true
    }

    pub(super) fn has_unread(&self) -> bool {
        self.read < self.events.len()
    }

    pub(super) fn unread(&self) -> (usize, usize) {
        (self.events.len() - self.read, self.unread_bytes)
    }

    /// The number of the event that was read last; 0 before the first.
    pub(super) fn position(&self) -> u64 {
        self.gone + self.read as u64
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        if let Some(keep) = &self.keep {
            keep.budget.give_back(self.kept_bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Budget, Keep, Ring};

    fn ring(limit: usize, budget: usize) -> (Ring, Arc<Budget>) {
        let budget = Arc::new(Budget::new(budget));
        let mut ring = Ring::default();
        ring.keep(Keep {
            limit,
            budget: Arc::clone(&budget),
        });
        for event in ["aa", "bb", "cc"] {
            ring.push(event.into());
        }
        (ring, budget)
    }

    fn rest(ring: &mut Ring) -> Vec<u64> {
        std::iter::from_fn(|| ring.read().map(|(number, _)| number)).collect()
    }

    #[test]
    fn what_was_read_can_be_read_again_as_far_as_it_is_kept() {
        let (mut ring, budget) = ring(4, 100);
        assert_eq!(rest(&mut ring), [1, 2, 3]);
        assert_eq!((ring.position(), budget.used()), (3, 4));
        assert!(ring.rewind(2));
        assert_eq!(rest(&mut ring), [3]);
        assert!(ring.rewind(0), "the first is gone, the others are left");
        assert_eq!(ring.unread(), (2, 4));
        assert_eq!(budget.used(), 0);
        assert_eq!(rest(&mut ring), [2, 3]);
        assert!(!ring.rewind(4));
        drop(ring);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn without_budget_nothing_is_kept_and_numbers_go_on() {
        let (mut ring, budget) = ring(100, 1);
        assert_eq!(rest(&mut ring), [1, 2, 3]);
        assert!(ring.rewind(1));
        assert_eq!(rest(&mut ring), [] as [u64; 0]);
        ring.push("dd".into());
        assert_eq!(rest(&mut ring), [4]);
        drop(ring);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn the_oldest_makes_room() {
        let (mut ring, _budget) = ring(100, 100);
        ring.read().unwrap();
        ring.drop_oldest();
        ring.drop_oldest();
        assert_eq!(rest(&mut ring), [3]);
    }
}
