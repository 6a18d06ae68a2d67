//! A graph that is ready to run.

use std::fmt;
use std::sync::Arc;

use super::options::{Input, RunOptions};
use super::output::{End, RunOutput};
use super::run::Driver;
use super::running::{AtWork, Running};
use super::wiring::Wiring;
use crate::Error;
use crate::checkpoint::{Checkpointer, Keeper};
use crate::clock::random;
use crate::runtime::RunScope;
use crate::state::State;
use crate::store::Store;

/// A graph that is ready to run. A clone is the same graph.
pub struct CompiledGraph<S: State>(pub(crate) Arc<Compiled<S>>);

pub(crate) struct Compiled<S> {
    pub(crate) wiring: Arc<Wiring<S>>,
    pub(crate) initial: S,
    pub(crate) checkpointer: Option<Arc<dyn Checkpointer>>,
    pub(crate) store: Option<Arc<dyn Store>>,
    pub(crate) running: Running,
    pub(crate) pause_before: Pauses,
    pub(crate) pause_after: Pauses,
}

/// At which nodes a run pauses.
#[derive(Clone, Debug, Default)]
pub(crate) enum Pauses {
    #[default]
    Nowhere,
    Everywhere,
    At(Vec<usize>),
}

impl Pauses {
    /// The pause that these nodes ask for.
    pub(super) fn among<S>(
        &self,
        nodes: impl Iterator<Item = usize>,
        wiring: &Wiring<S>,
    ) -> Option<End> {
        let pauses = |node: &usize| match self {
            Self::Nowhere => false,
            Self::Everywhere => true,
            Self::At(at) => at.contains(node),
        };
        let hit = nodes.filter(pauses);
        let names: Vec<_> = hit.map(|node| wiring.name(node).to_owned()).collect();
        (!names.is_empty()).then_some(End::Paused(names))
    }
}

impl<S: State> CompiledGraph<S> {
    /// Runs the graph until nothing is left to do, a question is open, or something failed.
    ///
    /// # Errors
    /// [`Error`], whose kind says what one can do. With a checkpointer and a thread, the thread
    /// stays usable at its last checkpoint; while one run of a thread is at work, another one of
    /// this graph, clones included, is refused with [`ThreadBusy`](crate::ErrorKind::ThreadBusy).
    ///
    /// # Cancel safety
    /// Dropping the future drops all tasks of the step. What was kept stays; with
    /// [`Durability::Async`](crate::Durability::Async) the last checkpoint may be missing.
    pub async fn run(
        &self,
        input: impl Into<Input<S::Update>>,
        options: RunOptions,
    ) -> Result<RunOutput<S>, Error> {
        let scope = self.scope(&options);
        let ended = self.run_in(scope, input.into(), &options).await?;
        match ended.parent.first() {
            None => Ok(ended.output),
            Some(_) => Err(Error::new(
                crate::ErrorKind::UnknownTarget,
                "a command is for the graph around this one, and there is none",
            )),
        }
    }

    pub(crate) async fn run_in(
        &self,
        scope: RunScope,
        input: Input<S::Update>,
        options: &RunOptions,
    ) -> Result<super::output::Ended<S>, Error> {
        let at_work = self.take_thread(&scope)?;
        let mut driver = Driver::new(&self.0, scope, "".into());
        driver.at_work = at_work;
        driver.begin(input, options.checkpoint.clone()).await?;
        driver.drive().await
    }

    /// Keeps others from writing the thread of the scope, if it is kept at all.
    pub(super) fn take_thread(&self, scope: &RunScope) -> Result<Option<AtWork>, Error> {
        let kept = scope.keeper.as_ref();
        let taken = kept.map(|keeper| self.0.running.take(&keeper.thread));
        taken.transpose()
    }

    pub(crate) fn scope(&self, options: &RunOptions) -> RunScope {
        let keeper = match (&self.0.checkpointer, &options.thread) {
            (Some(checkpointer), Some(thread)) => Some(Keeper {
                checkpointer: Arc::clone(checkpointer),
                thread: Arc::clone(thread),
                durability: options.durability,
            }),
            _ => None,
        };
        let salt = options.salt.unwrap_or_else(random);
        let run_id = options.run_id.clone();
        RunScope {
            thread: options.thread.clone(),
            run_id: run_id.unwrap_or_else(|| format!("{salt:016x}").into()),
            clock: options.clock.clone(),
            salt,
            context: options.context.clone(),
            store: self.0.store.clone(),
            events: options.events.clone(),
            cancel: options.cancel.clone(),
            drain: options.drain.clone(),
            answers: Arc::default(),
            live: options.live_answers.clone(),
            extensions: Arc::default(),
            tags: Arc::clone(&options.tags),
            metadata: Arc::clone(&options.metadata),
            step_limit: options.step_limit,
            max_parallel: options.max_parallel.max(1),
            keeper,
            pulse: None,
        }
    }

    /// The same graph with something that keeps its checkpoints.
    #[must_use]
    pub fn with_checkpointer(self, checkpointer: Arc<dyn Checkpointer>) -> Self {
        self.change(|graph| {
            graph.checkpointer = Some(checkpointer);
            graph.running = Running::default();
        })
    }

    /// The same graph with a store that its nodes and tools find in their runtime.
    #[must_use]
    pub fn with_store(self, store: Arc<dyn Store>) -> Self {
        self.change(|graph| graph.store = Some(store))
    }

    fn change(self, change: impl FnOnce(&mut Compiled<S>)) -> Self {
        let mut graph = Arc::unwrap_or_clone(self.0);
        change(&mut graph);
        Self(Arc::new(graph))
    }
}

impl<S: Clone> Clone for Compiled<S> {
    fn clone(&self) -> Self {
        Self {
            wiring: Arc::clone(&self.wiring),
            initial: self.initial.clone(),
            checkpointer: self.checkpointer.clone(),
            store: self.store.clone(),
            running: self.running.clone(),
            pause_before: self.pause_before.clone(),
            pause_after: self.pause_after.clone(),
        }
    }
}

impl<S: State> Clone for CompiledGraph<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S: State> fmt::Debug for CompiledGraph<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.0.wiring.numbers.keys();
        f.debug_struct("CompiledGraph")
            .field("nodes", &names.collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
