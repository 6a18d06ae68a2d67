//! Drives a graph: runs the tasks of a step, puts what they give back into the state, keeps a
//! checkpoint, asks the plan what comes next. The only file that spawns.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

use mcp_interceptors::Command;
use tokio::task::JoinSet;

use super::compiled::Compiled;
use super::output::{End, Ended, RunOutput};
use super::plan::{Next, Plan};
use super::running::AtWork;
use super::stored::stored;
use super::task::{Job, Settled, TaskPlace};
use crate::checkpoint::{Journal, Source, TaskRecord, TaskState};
use crate::hash::Hash;
use crate::runtime::RunScope;
use crate::state::State;
use crate::stream::{Emitted, Interest, RunEvent};
use crate::{Error, ErrorKind};

/// A graph at work.
pub(crate) struct Driver<S: State> {
    pub(crate) graph: Arc<Compiled<S>>,
    pub(crate) scope: Arc<RunScope>,
    pub(crate) namespace: Arc<str>,
    /// Ids of what is written are made from it.
    pub(crate) seed: u64,
    pub(crate) state: Arc<S>,
    pub(crate) plan: Plan,
    pub(crate) tasks: Vec<Next>,
    /// The step that the state belongs to.
    pub(crate) step: u64,
    /// How many steps this run has taken.
    pub(crate) taken: u64,
    pub(crate) journal: Option<Journal>,
    /// Keeps others from writing the thread, where this is the run that it belongs to.
    pub(crate) at_work: Option<AtWork>,
    /// What became of tasks of this step in an earlier run.
    pub(crate) records: HashMap<Arc<str>, TaskRecord>,
    /// Whether this run was started to go on from a pause that is here.
    pub(crate) past_pause: bool,
    /// What the graph around is to do.
    pub(crate) parent: Vec<Command>,
    /// What the checkpoint of the state was, or is to be, written for; `None` if it is kept.
    pub(crate) unkept: Option<Source>,
    /// Whether the state cannot be trusted any more.
    pub(crate) broken: bool,
}

impl<S: State> Driver<S> {
    /// Runs to the end, whatever that is, and keeps what is known then.
    pub(crate) async fn drive(mut self) -> Result<Ended<S>, Error> {
        let end = self.steps().await;
        let kept = self.close().await;
        // Who hears of a question may answer it at once.
        self.at_work = None;
        let end = end?;
        kept?;
        if let End::Interrupted(interrupts) = &end {
            self.emit(Interest::INTERRUPTS, || RunEvent::Interrupted {
                interrupts: interrupts.clone(),
            });
        }
        let journal = self.journal.as_ref();
        Ok(Ended {
            output: RunOutput {
                checkpoint: journal.and_then(Journal::head).cloned(),
                state: self.state,
                end,
                steps: self.taken,
            },
            parent: self.parent,
        })
    }

    async fn steps(&mut self) -> Result<End, Error> {
        loop {
            if let Some(end) = self.stops_here()? {
                return Ok(end);
            }
            let settled = self.run_tasks().await?;
            if let Some(end) = self.unfinished(&settled).await? {
                return Ok(end);
            }
            let ran = self.tasks.iter().map(|task| task.node);
            let pause = self.graph.pause_after.among(ran, &self.graph.wiring);
            let advanced = self.advance(settled).await;
            advanced.inspect_err(|_| self.broken = true)?;
            self.keep(Source::Step).await?;
            self.emit_values()?;
            if let Some(pause) = pause {
                return Ok(pause);
            }
        }
    }

    /// Whether the run ends before the next step.
    fn stops_here(&mut self) -> Result<Option<End>, Error> {
        if self.tasks.is_empty() {
            return Ok(Some(End::Finished));
        }
        if self.scope.cancel.is_cancelled() {
            return Err(Error::cancelled());
        }
        if self.scope.drain.is_cancelled() {
            return Ok(Some(End::Drained));
        }
        if self.taken >= self.scope.step_limit {
            let limit = self.scope.step_limit;
            let nodes: BTreeSet<usize> = self.tasks.iter().map(|task| task.node).collect();
            let nodes = nodes.iter().map(|node| self.graph.wiring.name(*node));
            let nodes = nodes.collect::<Vec<_>>().join(", ");
            let message = format!("no end after {limit} steps; {nodes} would be next");
            return Err(Error::new(ErrorKind::StepLimit, message));
        }
        if std::mem::take(&mut self.past_pause) {
            return Ok(None);
        }
        let nodes = self.tasks.iter().map(|task| task.node);
        Ok(self.graph.pause_before.among(nodes, &self.graph.wiring))
    }

    /// Runs the tasks of the step, those that have not finished earlier.
    async fn run_tasks(&mut self) -> Result<Vec<Settled<S::Update>>, Error> {
        let earlier = (0..self.tasks.len()).map(|index| self.earlier(index));
        let mut settled = earlier.collect::<Result<Vec<_>, _>>()?;
        let mut open = (0..).zip(&settled).filter(|(_, one)| one.is_none());
        match (open.next(), open.next()) {
            (Some((index, _)), None) => {
                let done = self.run_one(self.job(index)?).await?;
                put(&mut settled, index, done);
            }
            _ => self.run_many(&mut settled).await?,
        }
        let dropped = || Settled::Dropped;
        let all = settled.into_iter().map(|one| one.unwrap_or_else(dropped));
        Ok(all.collect())
    }

    /// A task that is alone runs right here.
    async fn run_one(&mut self, job: Job<S>) -> Result<Settled<S::Update>, Error> {
        let cancel = self.scope.cancel.clone();
        let settle = settle(self.journal.as_mut());
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(Error::cancelled()),
            (done, kept) = async { tokio::join!(job.run(), settle) } => kept.map(|()| done),
        }
    }

    async fn run_many(&mut self, settled: &mut [Option<Settled<S::Update>>]) -> Result<(), Error> {
        let mut running = JoinSet::new();
        let joined = self.join(&mut running, settled).await;
        // Waits until the tasks are gone, so that no call outlives the run.
        running.shutdown().await;
        joined
    }

    /// Starts tasks in their order and takes them as they finish, until all have or one fails.
    async fn join(
        &mut self,
        running: &mut JoinSet<(usize, Settled<S::Update>)>,
        settled: &mut [Option<Settled<S::Update>>],
    ) -> Result<(), Error> {
        let open = (0..).zip(&*settled).filter(|(_, one)| one.is_none());
        let mut open: VecDeque<usize> = open.map(|(index, _)| index).collect();
        let at_once = open.len().min(self.scope.max_parallel);
        for index in open.drain(..at_once) {
            running.spawn(numbered(index, self.job(index)?));
        }
        let cancel = self.scope.cancel.clone();
        settle(self.journal.as_mut()).await?;
        loop {
            let next = tokio::select! {
                biased;
                () = cancel.cancelled() => return Err(Error::cancelled()),
                next = running.join_next() => next,
            };
            let Some(joined) = next else { return Ok(()) };
            // Panics are caught in the task; what is left is a runtime that shuts down.
            let (index, done) = joined.map_err(|_| Error::cancelled())?;
            let failed = matches!(done, Settled::Failed(_));
            self.note(index, &done).await?;
            put(settled, index, done);
            if failed {
                return Ok(());
            }
            if let Some(index) = open.pop_front() {
                running.spawn(numbered(index, self.job(index)?));
            }
        }
    }

    /// Keeps what a task gave back while others of its step are still at work.
    async fn note(&mut self, index: usize, done: &Settled<S::Update>) -> Result<(), Error> {
        let stepwise = self.journal.as_ref().is_some_and(Journal::is_stepwise);
        match done {
            Settled::Done(output) if stepwise => {
                let state = TaskState::Done(stored(output)?);
                self.record(index, state).await
            }
            _ => Ok(()),
        }
    }

    fn job(&self, index: usize) -> Result<Job<S>, Error> {
        let task = self.tasks.get(index);
        let wiring = &self.graph.wiring;
        let spec = wiring.spec(task.map_or(usize::MAX, |task| task.node))?;
        let own_limit = task.and_then(|task| task.timeout);
        let told = task.filter(|_| self.scope.events.wants(Interest::TASKS));
        Ok(Job {
            node: Arc::clone(&spec.node),
            options: Arc::clone(&spec.options),
            timeout: own_limit.or(spec.options.timeout),
            state: Arc::clone(&self.state),
            payload: task.and_then(|task| task.payload.clone()),
            triggers: told.map_or_else(Vec::new, |task| wiring.origins(&task.triggers)),
            scope: Arc::clone(&self.scope),
            place: self.place(index),
        })
    }

    pub(crate) fn place(&self, index: usize) -> TaskPlace {
        let number = self.tasks.get(index).map_or(usize::MAX, |task| task.node);
        let node = self.graph.wiring.shared_name(number);
        let head = self.journal.as_ref().and_then(Journal::head);
        let step = self.step + 1;
        let mut id = Hash::new(1).text(&self.namespace).number(step);
        if let Some(head) = head {
            id = id.text(head);
        }
        let position = u64::try_from(index).unwrap_or(u64::MAX);
        TaskPlace {
            id: id.number(position).text(&node),
            node,
            namespace: Arc::clone(&self.namespace),
            step,
            steps_left: self.scope.step_limit.saturating_sub(self.taken + 1),
            seed: write_seed(self.seed, step, index),
            checkpoint: head.cloned(),
        }
    }

    pub(crate) fn emit(&self, interest: Interest, event: impl FnOnce() -> RunEvent) {
        let events = &self.scope.events;
        events.emit(interest, || {
            Emitted::new(&self.namespace, self.step, &self.scope.tags, event())
        });
    }

    pub(crate) fn emit_values(&self) -> Result<(), Error> {
        if !self.scope.events.wants(Interest::VALUES) {
            return Ok(());
        }
        let state = self.state.to_json().map_err(|error| {
            Error::new(ErrorKind::State, "the state cannot be written").with_source(error)
        })?;
        self.emit(Interest::VALUES, || RunEvent::Values { state });
        Ok(())
    }
}

/// From what a task of a step makes its ids.
pub(super) fn write_seed(seed: u64, step: u64, index: usize) -> u64 {
    let index = u64::try_from(index).unwrap_or(u64::MAX);
    Hash::new(seed).number(step).number(index).finish()
}

async fn numbered<S: State>(index: usize, job: Job<S>) -> (usize, Settled<S::Update>) {
    (index, job.run().await)
}

fn put<U>(settled: &mut [Option<Settled<U>>], index: usize, done: Settled<U>) {
    if let Some(slot) = settled.get_mut(index) {
        *slot = Some(done);
    }
}

pub(super) async fn settle(journal: Option<&mut Journal>) -> Result<(), Error> {
    match journal {
        Some(journal) => journal.settle().await,
        None => Ok(()),
    }
}
