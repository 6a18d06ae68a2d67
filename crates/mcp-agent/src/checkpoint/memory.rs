//! Checkpoints in memory.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use mcp_interceptors::BoxFuture;

use super::{
    Checkpoint, CheckpointError, Checkpointer, ListCheckpoints, Loaded, Manage, Place, TaskRecord,
};
use crate::state::Changes;

/// Keeps checkpoints in memory, for as long as it lives. Clones share what they keep.
///
/// Memory grows with what was said and done; [`Manage::Prune`] and [`Manage::Delete`] free it.
#[derive(Clone, Debug, Default)]
pub struct MemoryCheckpointer(Arc<Mutex<Places>>);

type Places = HashMap<Place, BTreeMap<Arc<str>, Kept>>;

#[derive(Clone, Debug)]
struct Kept {
    checkpoint: Arc<Checkpoint>,
    records: BTreeMap<Arc<str>, TaskRecord>,
}

impl MemoryCheckpointer {
    /// An empty memory.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn with<T: Send + 'static>(
        &self,
        f: impl FnOnce(&mut Places) -> Result<T, CheckpointError>,
    ) -> BoxFuture<'_, Result<T, CheckpointError>> {
        let result = f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
        Box::pin(std::future::ready(result))
    }
}

impl Checkpointer for MemoryCheckpointer {
    fn put(
        &self,
        place: Place,
        checkpoint: Arc<Checkpoint>,
    ) -> BoxFuture<'_, Result<(), CheckpointError>> {
        self.with(|places| {
            let kept = Kept {
                checkpoint: Arc::clone(&checkpoint),
                records: BTreeMap::new(),
            };
            let of_place = places.entry(place).or_default();
            of_place.insert(Arc::clone(&checkpoint.id), kept);
            Ok(())
        })
    }

    fn record(
        &self,
        place: Place,
        checkpoint: Arc<str>,
        record: TaskRecord,
    ) -> BoxFuture<'_, Result<(), CheckpointError>> {
        self.with(|places| {
            let kept = places
                .get_mut(&place)
                .and_then(|of_place| of_place.get_mut(&checkpoint))
                .ok_or_else(|| unknown(&checkpoint))?;
            kept.records.insert(Arc::clone(&record.task), record);
            Ok(())
        })
    }

    fn load(
        &self,
        place: Place,
        id: Option<Arc<str>>,
    ) -> BoxFuture<'_, Result<Option<Loaded>, CheckpointError>> {
        self.with(|places| {
            let Some(of_place) = places.get(&place) else {
                return Ok(None);
            };
            let last = match &id {
                Some(id) => of_place.get(id),
                None => of_place.values().next_back(),
            };
            Ok(last.map(|last| Loaded {
                chain: chain(of_place, last),
                records: last.records.values().cloned().collect(),
            }))
        })
    }

    fn list(
        &self,
        query: ListCheckpoints,
    ) -> BoxFuture<'_, Result<Vec<Arc<Checkpoint>>, CheckpointError>> {
        self.with(|places| {
            let newest_first = places
                .get(&query.place)
                .into_iter()
                .flat_map(|of_place| of_place.values().rev());
            let fitting = newest_first
                .map(|kept| &kept.checkpoint)
                .filter(|checkpoint| query.admits(checkpoint));
            Ok(fitting.take(query.limit).cloned().collect())
        })
    }

    fn manage(&self, order: Manage) -> BoxFuture<'_, Result<(), CheckpointError>> {
        self.with(|places| match order {
            Manage::Delete { thread } => {
                places.retain(|place, _| place.thread != thread);
                Ok(())
            }
            Manage::Copy { from, to } => copy(places, &from, &to),
            Manage::Prune { thread, keep } => {
                let of_thread = places
                    .iter_mut()
                    .filter(|(place, _)| place.thread == thread);
                of_thread.for_each(|(_, of_place)| prune(of_place, keep.max(1)));
                Ok(())
            }
        })
    }
}

fn unknown(checkpoint: &str) -> CheckpointError {
    CheckpointError::new(format!("there is no checkpoint {checkpoint}"))
}

/// From the first one that is there to `last`.
fn chain(of_place: &BTreeMap<Arc<str>, Kept>, last: &Kept) -> Vec<Arc<Checkpoint>> {
    let parent_of = |kept: &&Kept| {
        let parent = kept.checkpoint.parent.as_ref()?;
        // Earlier ones have smaller names; what says otherwise would lead in a circle.
        let parent = of_place.get(parent)?;
        (parent.checkpoint.id < kept.checkpoint.id).then_some(parent)
    };
    let backwards = std::iter::successors(Some(last), parent_of);
    let mut chain: Vec<_> = backwards.map(|kept| Arc::clone(&kept.checkpoint)).collect();
    chain.reverse();
    chain
}

fn copy(places: &mut Places, from: &Arc<str>, to: &Arc<str>) -> Result<(), CheckpointError> {
    if places.keys().any(|place| place.thread == *to) {
        return Err(CheckpointError::new(format!("the thread {to} exists")));
    }
    let copies: Vec<_> = places
        .iter()
        .filter(|(place, _)| place.thread == *from)
        .map(|(place, kept)| {
            let copy = Place::new(Arc::clone(to), Arc::clone(&place.namespace));
            (copy, kept.clone())
        })
        .collect();
    if copies.is_empty() {
        return Err(CheckpointError::new(format!("there is no thread {from}")));
    }
    places.extend(copies);
    Ok(())
}

fn prune(of_place: &mut BTreeMap<Arc<str>, Kept>, keep: usize) {
    let old = of_place.len().saturating_sub(keep);
    let gone: Vec<_> = of_place.keys().take(old).cloned().collect();
    let orphans = of_place.values().skip(old).filter(|kept| {
        let parent = kept.checkpoint.parent.as_ref();
        parent.is_some_and(|parent| gone.contains(parent))
    });
    let whole: Vec<_> = orphans
        .map(|kept| {
            let mut changes = Changes::default();
            for checkpoint in chain(of_place, kept) {
                changes.then(&checkpoint.changes);
            }
            let mut checkpoint = Checkpoint::clone(&kept.checkpoint);
            checkpoint.changes = changes;
            checkpoint.parent = None;
            checkpoint
        })
        .collect();
    for checkpoint in whole {
        if let Some(kept) = of_place.get_mut(&checkpoint.id) {
            kept.checkpoint = Arc::new(checkpoint);
        }
    }
    of_place.retain(|id, _| !gone.contains(id));
}
