//! The end of a step: the tasks' updates go into the state, and a checkpoint is kept.

use std::sync::Arc;

use super::plan::Finished;
use super::run::{Driver, settle, write_seed};
use super::task::{Settled, caught};
use crate::checkpoint::{Entry, Journal, PlannedTask, Source};
use crate::state::{Changes, Log, State, Write};
use crate::stream::{Interest, RunEvent};
use crate::{Error, ErrorKind};

impl<S: State> Driver<S> {
    /// Puts what the tasks gave back into the state, in task order, and plans the next step.
    pub(super) async fn advance(&mut self, settled: Vec<Settled<S::Update>>) -> Result<(), Error> {
        let finished = caught(|| self.apply(settled))?;
        self.plan_next(finished).await?;
        if !self.parent.is_empty() {
            self.tasks.clear();
        }
        self.records.clear();
        Ok(())
    }

    /// What each task has said about the way on.
    fn apply(&mut self, settled: Vec<Settled<S::Update>>) -> Result<Vec<Finished>, Error> {
        self.step += 1;
        self.taken += 1;
        let state = Arc::make_mut(&mut self.state);
        state.next_step();
        let mut finished = Vec::with_capacity(settled.len());
        for (index, (task, settled)) in self.tasks.iter().zip(settled).enumerate() {
            let Settled::Done(output) = settled else {
                continue;
            };
            let node = self.graph.wiring.name(task.node);
            let mut write = Write::new(node, self.step, write_seed(self.seed, self.step, index));
            write.last_wins = output.last_wins;
            write_all(state, output.updates, write)?;
            self.parent.extend(output.parent);
            finished.push(Finished {
                node: task.node,
                goto: output.goto,
            });
        }
        Ok(finished)
    }

    /// Keeps the checkpoint of the state, now or later, as the durability says.
    pub(crate) async fn keep(&mut self, source: Source) -> Result<(), Error> {
        let Some(journal) = &mut self.journal else {
            return Ok(());
        };
        journal.name_head();
        self.unkept = Some(source);
        if journal.is_stepwise() {
            self.flush().await?;
        }
        Ok(())
    }

    pub(super) async fn flush(&mut self) -> Result<(), Error> {
        let (Some(journal), Some(source)) = (&mut self.journal, self.unkept.take()) else {
            return Ok(());
        };
        let mut changes = Changes::default();
        // The tasks have given their snapshots back, so nothing is copied here.
        let state = Arc::make_mut(&mut self.state);
        caught(|| {
            state.log(Log::Take(&mut changes)).map_err(|error| {
                Error::new(ErrorKind::State, "the state cannot be written").with_source(error)
            })
        })?;
        let wiring = &self.graph.wiring;
        let mut waiting = self.plan.waiting(wiring);
        waiting.parent.clone_from(&self.parent);
        let next = self.tasks.iter().map(|task| PlannedTask {
            node: wiring.shared_name(task.node),
            payload: task.payload.clone(),
            timeout: task.timeout,
            triggers: wiring.origins(&task.triggers),
        });
        let entry = Entry {
            step: self.step,
            source,
            changes,
            next: next.collect(),
            waiting,
        };
        journal.put(entry).await?;
        if let Some(id) = journal.head().cloned() {
            self.emit(Interest::CHECKPOINTS, || RunEvent::Checkpointed { id });
        }
        Ok(())
    }

    /// Keeps what is left and says which checkpoint the state has.
    pub(super) async fn finish(mut self) -> Result<Option<Arc<str>>, Error> {
        self.close().await?;
        Ok(self.journal.as_ref().and_then(Journal::head).cloned())
    }

    pub(super) async fn close(&mut self) -> Result<(), Error> {
        if !self.broken {
            self.flush().await?;
        }
        settle(self.journal.as_mut()).await
    }
}

/// Puts one task's updates into the state.
fn write_all<S: State>(
    state: &mut S,
    updates: Vec<S::Update>,
    write: Write<'_>,
) -> Result<(), Error> {
    for (part, update) in updates.into_iter().enumerate() {
        let mut own = write;
        own.seed = write_seed(write.seed, write.step, part);
        state.apply(update, &own).map_err(|error| {
            let message = format!("what {} gave back does not fit the state", write.node);
            Error::new(ErrorKind::State, message)
                .with_source(error)
                .in_node(write.node)
        })?;
    }
    Ok(())
}
