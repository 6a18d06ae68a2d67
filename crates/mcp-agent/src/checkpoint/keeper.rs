//! When checkpoints are written, and by whom.

use std::fmt;
use std::sync::Arc;

use mcp_interceptors::{BoxFuture, JsonMap};

use super::{
    Checkpoint, CheckpointError, Checkpointer, ListCheckpoints, Place, PlannedTask, Source,
    TaskRecord, Waiting, next_id,
};
use crate::hash::Hash;
use crate::runtime::RunScope;
use crate::state::Changes;
use crate::{Clock, Error, ErrorKind};

/// When a checkpoint has to be kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Durability {
    /// Before the next step begins.
    Sync,
    /// While the next step runs, in order.
    #[default]
    Async,
    /// One at the end of the run, when it is interrupted, and when it fails. What a process
    /// that dies has done since is lost.
    Exit,
}

/// What keeps the checkpoints of a run.
#[derive(Clone)]
pub(crate) struct Keeper {
    pub(crate) checkpointer: Arc<dyn Checkpointer>,
    pub(crate) thread: Arc<str>,
    pub(crate) durability: Durability,
}

/// Writes the checkpoints of one graph in order.
pub(crate) struct Journal {
    keeper: Keeper,
    place: Place,
    /// The last checkpoint that was given to the checkpointer.
    parent: Option<Arc<str>>,
    /// The name of the checkpoint that belongs to the state as it is.
    head: Option<Arc<str>>,
    /// The greatest name that is known to be taken.
    newest: Option<Arc<str>>,
    run: Arc<str>,
    caller: Option<Arc<str>>,
    clock: Clock,
    /// Tells its names from those of others at the same time.
    salt: u64,
    metadata: Arc<JsonMap>,
    pending: Option<BoxFuture<'static, Result<(), CheckpointError>>>,
}

/// What a checkpoint says besides its name.
pub(crate) struct Entry {
    pub(crate) step: u64,
    pub(crate) source: Source,
    pub(crate) changes: Changes,
    pub(crate) next: Vec<PlannedTask>,
    pub(crate) waiting: Waiting,
}

impl Journal {
    pub(crate) fn new(keeper: Keeper, namespace: Arc<str>, scope: &RunScope) -> Self {
        Self {
            place: Place::new(Arc::clone(&keeper.thread), namespace),
            keeper,
            parent: None,
            head: None,
            newest: None,
            clock: scope.clock.clone(),
            salt: scope.salt,
            run: Arc::clone(&scope.run_id),
            caller: None,
            metadata: Arc::clone(&scope.metadata),
            pending: None,
        }
    }

    pub(crate) fn continue_from(&mut self, checkpoint: &Arc<str>) {
        self.parent = Some(Arc::clone(checkpoint));
        self.head = Some(Arc::clone(checkpoint));
    }

    /// Says which task of the graph around has called this one.
    pub(crate) fn called_by(&mut self, task: Arc<str>) {
        self.salt = Hash::new(self.salt).text(&task).finish();
        self.caller = Some(task);
    }

    /// Learns the greatest name of the place, where the thread goes on from an earlier one.
    pub(crate) async fn learn_newest(&mut self) -> Result<(), Error> {
        let mut query = ListCheckpoints::of(self.place.clone());
        query.limit = 1;
        let newest = self.keeper.checkpointer.list(query).await.map_err(failed)?;
        self.newest = newest.first().map(|checkpoint| Arc::clone(&checkpoint.id));
        Ok(())
    }

    pub(crate) const fn head(&self) -> Option<&Arc<str>> {
        self.head.as_ref()
    }

    pub(crate) const fn place(&self) -> &Place {
        &self.place
    }

    pub(crate) fn checkpointer(&self) -> &Arc<dyn Checkpointer> {
        &self.keeper.checkpointer
    }

    /// Whether steps are written as they end.
    pub(crate) fn is_stepwise(&self) -> bool {
        self.keeper.durability != Durability::Exit
    }

    /// Names the checkpoint of the state as it is now.
    pub(crate) fn name_head(&mut self) {
        let taken = self.newest.take().max(self.head.take());
        let id = next_id(taken.as_deref(), self.clock.now_ms(), self.salt);
        self.newest = Some(Arc::clone(&id));
        self.head = Some(id);
    }

    /// Hands the checkpoint of the state as it is to the checkpointer, after those before it.
    pub(crate) async fn put(&mut self, entry: Entry) -> Result<(), Error> {
        self.settle().await?;
        let Some(id) = self.head.clone() else {
            return Ok(());
        };
        let checkpoint = Arc::new(Checkpoint {
            id: Arc::clone(&id),
            parent: self.parent.replace(id),
            namespace: Arc::clone(&self.place.namespace),
            step: entry.step,
            source: entry.source,
            changes: entry.changes,
            next: entry.next,
            waiting: entry.waiting,
            run: Arc::clone(&self.run),
            caller: self.caller.clone(),
            created_ms: self.clock.now_ms(),
            metadata: Arc::clone(&self.metadata),
        });
        let checkpointer = Arc::clone(&self.keeper.checkpointer);
        let place = self.place.clone();
        if self.keeper.durability == Durability::Async {
            let put = async move { checkpointer.put(place, checkpoint).await };
            self.pending = Some(Box::pin(put));
            return Ok(());
        }
        checkpointer.put(place, checkpoint).await.map_err(failed)
    }

    /// Keeps what became of a task of the step after the head.
    pub(crate) async fn record(&mut self, record: TaskRecord) -> Result<(), Error> {
        self.settle().await?;
        let Some(head) = self.head.clone() else {
            return Ok(());
        };
        let kept = self
            .keeper
            .checkpointer
            .record(self.place.clone(), head, record);
        kept.await.map_err(failed)
    }

    /// Waits until everything is kept.
    pub(crate) async fn settle(&mut self) -> Result<(), Error> {
        match &mut self.pending {
            None => Ok(()),
            Some(pending) => {
                let kept = pending.await;
                self.pending = None;
                kept.map_err(failed)
            }
        }
    }
}

fn failed(error: CheckpointError) -> Error {
    Error::new(ErrorKind::Checkpoint, "the checkpoint could not be kept").with_source(error)
}

impl fmt::Debug for Keeper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keeper")
            .field("thread", &self.thread)
            .field("durability", &self.durability)
            .finish_non_exhaustive()
    }
}
