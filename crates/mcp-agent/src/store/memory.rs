//! A store in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mcp_interceptors::BoxFuture;
use tokio::time::Instant;

use super::{Item, ListNamespaces, Namespace, Put, Search, Store, StoreError, StoreOp, StoreReply};
use crate::Clock;

/// Keeps values in memory, for as long as it lives. Clones share what they keep.
///
/// Values whose time is up are gone for every reader at once; their memory is freed by later
/// writes. Memory grows with what is put there.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore(Arc<Mutex<Values>>);

#[derive(Debug, Default)]
struct Values {
    /// By namespace, then key.
    values: BTreeMap<(Namespace, String), Held>,
    clock: Clock,
    /// Counts writes, so that values can be listed in their order.
    writes: u64,
}

#[derive(Debug)]
struct Held {
    item: Item,
    written: u64,
    ttl: Option<Duration>,
    until: Option<Instant>,
}

/// How many writes there are between two clean-ups.
const SWEEP_EVERY: u64 = 256;

impl MemoryStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty store that takes the time of day, at which values are written, from here.
    #[must_use]
    pub fn with_clock(clock: Clock) -> Self {
        let values = Values {
            clock,
            ..Values::default()
        };
        Self(Arc::new(Mutex::new(values)))
    }
}

impl Store for MemoryStore {
    fn batch(&self, ops: Vec<StoreOp>) -> BoxFuture<'_, Result<Vec<StoreReply>, StoreError>> {
        let now = Instant::now();
        let mut values = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let replies = ops
            .into_iter()
            .map(|op| values.carry_out(op, now))
            .collect();
        drop(values);
        Box::pin(std::future::ready(Ok(replies)))
    }
}

impl Values {
    fn carry_out(&mut self, op: StoreOp, now: Instant) -> StoreReply {
        match op {
            StoreOp::Get {
                namespace,
                key,
                refresh,
            } => {
                let held = self.values.get_mut(&(namespace, key));
                let held = held.filter(|held| held.is_alive(now));
                StoreReply::Item(held.map(|held| held.read(refresh, now)))
            }
            StoreOp::Put(put) => {
                self.put(put, now);
                StoreReply::Done
            }
            StoreOp::Search(search) => StoreReply::Items(self.search(&search, now)),
            StoreOp::ListNamespaces(list) => StoreReply::Namespaces(self.namespaces(&list, now)),
        }
    }

    fn put(&mut self, put: Put, now: Instant) {
        self.writes += 1;
        if self.writes.is_multiple_of(SWEEP_EVERY) {
            self.values.retain(|_, held| held.is_alive(now));
        }
        let place = (put.namespace, put.key);
        let Some(value) = put.value else {
            self.values.remove(&place);
            return;
        };
        let (at, earlier) = (self.clock.now_ms(), self.values.get(&place));
        let earlier = earlier.filter(|held| held.is_alive(now));
        let created = earlier.map_or(at, |held| held.item.created_ms);
        let (namespace, key) = place.clone();
        let held = Held {
            item: Item::new(namespace, key, value, (created, at)),
            written: self.writes,
            ttl: put.ttl,
            until: put.ttl.and_then(|ttl| now.checked_add(ttl)),
        };
        self.values.insert(place, held);
    }

    fn search(&mut self, search: &Search, now: Instant) -> Vec<Item> {
        let mut found: Vec<&mut Held> = self
            .values
            .iter_mut()
            .filter(|((namespace, _), held)| {
                namespace.starts_with(&search.prefix)
                    && held.is_alive(now)
                    && search.filter.holds(&held.item.value)
            })
            .map(|(_, held)| held)
            .collect();
        found.sort_by_key(|held| std::cmp::Reverse(held.written));
        let page = found.into_iter().skip(search.offset).take(search.limit);
        page.map(|held| held.read(search.refresh, now)).collect()
    }

    fn namespaces(&self, list: &ListNamespaces, now: Instant) -> Vec<Namespace> {
        let alive = self.values.iter().filter(|(_, held)| held.is_alive(now));
        let fitting = alive
            .map(|((namespace, _), _)| namespace)
            .filter(|namespace| {
                list.prefix.is_prefix_of(namespace) && list.suffix.is_suffix_of(namespace)
            });
        let cut: BTreeSet<Namespace> = fitting
            .map(|namespace| namespace.cut(list.max_depth.unwrap_or(usize::MAX)))
            .collect();
        cut.into_iter().skip(list.offset).take(list.limit).collect()
    }
}

impl Held {
    fn is_alive(&self, now: Instant) -> bool {
        self.until.is_none_or(|until| now < until)
    }

    fn read(&mut self, refresh: bool, now: Instant) -> Item {
        if refresh {
            self.until = self.ttl.and_then(|ttl| now.checked_add(ttl));
        }
        self.item.clone()
    }
}
