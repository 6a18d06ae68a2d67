//! What a thread holds: its state, its history, and changes from outside.

use std::sync::Arc;

use super::begin::open_questions;
use super::compiled::CompiledGraph;
use super::options::RunOptions;
use super::plan::Finished;
use super::run::{Driver, write_seed};
use super::task::caught;
use crate::checkpoint::{Checkpoint, ListCheckpoints, Place, Source};
use crate::state::{State, Write};
use crate::{Error, ErrorKind, Interrupt};

/// What a thread holds at one of its checkpoints.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ThreadState<S> {
    /// The state.
    pub state: S,
    /// The nodes of the next step; empty if the run has finished.
    pub next: Vec<String>,
    /// The questions that are open.
    pub interrupts: Vec<Interrupt>,
    /// The checkpoint.
    pub checkpoint: Arc<Checkpoint>,
}

impl<S: State> CompiledGraph<S> {
    /// What a thread holds, at its end or at the checkpoint that the options name. `None` if
    /// there is no such thread.
    ///
    /// # Errors
    /// If the graph has no checkpointer, the options name no thread or an unknown checkpoint, or
    /// the checkpoint cannot be read or does not fit the state.
    ///
    /// # Cancel safety
    /// Cancel safe: it only reads.
    pub async fn thread_state(
        &self,
        options: &RunOptions,
    ) -> Result<Option<ThreadState<S>>, Error> {
        let mut driver = self.reader(options)?;
        let Some(loaded) = driver.load(options.checkpoint.clone()).await? else {
            return Ok(None);
        };
        driver.restore(&loaded)?;
        let Some(checkpoint) = loaded.last().cloned() else {
            return Ok(None);
        };
        Ok(Some(ThreadState {
            state: Arc::unwrap_or_clone(driver.state),
            next: checkpoint
                .next
                .iter()
                .map(|task| task.node.as_ref().to_owned())
                .collect(),
            interrupts: open_questions(&loaded.records),
            checkpoint,
        }))
    }

    /// The checkpoints of a thread, newest first, at most `limit`. [`Self::thread_state`] reads
    /// each.
    ///
    /// # Errors
    /// As [`Self::thread_state`].
    ///
    /// # Cancel safety
    /// Cancel safe: it only reads.
    pub async fn history(
        &self,
        options: &RunOptions,
        limit: usize,
    ) -> Result<Vec<Arc<Checkpoint>>, Error> {
        let (Some(checkpointer), Some(thread)) = (&self.0.checkpointer, &options.thread) else {
            return Err(nothing_kept());
        };
        let mut query = ListCheckpoints::of(Place::new(Arc::clone(thread), ""));
        query.before.clone_from(&options.checkpoint);
        query.limit = limit;
        checkpointer.list(query).await.map_err(|error| {
            Error::new(ErrorKind::Checkpoint, "the thread cannot be read").with_source(error)
        })
    }

    /// Changes the state of a thread from outside, as if `as_node` had given the update back;
    /// without a node, as if it had always been so. Gives back the new checkpoint.
    ///
    /// With a checkpoint in the options the thread forks there: later runs go on from the
    /// changed copy, and what came after stays in the history.
    ///
    /// # Errors
    /// If the update does not fit the state, the node is unknown, a run of the thread is at work
    /// ([`ErrorKind::ThreadBusy`]), or as [`Self::thread_state`].
    ///
    /// # Cancel safety
    /// Not cancel safe: a dropped future may or may not have changed the thread.
    pub async fn update_thread(
        &self,
        options: &RunOptions,
        update: S::Update,
        as_node: Option<&str>,
    ) -> Result<Arc<str>, Error> {
        let mut driver = self.reader(options)?;
        let _at_work = self.take_thread(&driver.scope)?;
        let loaded = driver.load(options.checkpoint.clone()).await?;
        match loaded
            .as_ref()
            .and_then(|loaded| Some((loaded, loaded.last()?)))
        {
            Some((loaded, last)) => {
                driver.restore(loaded)?;
                driver.take_up(last, Vec::new())?;
            }
            None => {
                driver.plan_first().await?;
            }
        }
        caught(|| driver.change(update, as_node.unwrap_or("update")))?;
        if let Some(name) = as_node {
            let node = self.0.wiring.find(name, "the update")?;
            let goto = Vec::new();
            driver.plan_next(vec![Finished { node, goto }]).await?;
        }
        driver.keep(Source::Update).await?;
        let ended = driver.finish().await?;
        ended.ok_or_else(nothing_kept)
    }

    fn reader(&self, options: &RunOptions) -> Result<Driver<S>, Error> {
        let scope = self.scope(options);
        if scope.keeper.is_none() {
            return Err(nothing_kept());
        }
        Ok(Driver::new(&self.0, scope, "".into()))
    }
}

impl<S: State> Driver<S> {
    fn change(&mut self, update: S::Update, node: &str) -> Result<(), Error> {
        self.step += 1;
        let seed = write_seed(self.seed, self.step, usize::MAX);
        let state = Arc::make_mut(&mut self.state);
        state.next_step();
        state
            .apply(update, &Write::new(node, self.step, seed))
            .map_err(|error| {
                Error::new(ErrorKind::State, "the update does not fit the state").with_source(error)
            })
    }
}

fn nothing_kept() -> Error {
    let message = "nothing is kept of this run; give the graph a checkpointer and name the thread";
    Error::new(ErrorKind::NothingKeepsTheRun, message)
}
