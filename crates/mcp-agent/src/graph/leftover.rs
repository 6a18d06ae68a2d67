//! A step that cannot end: a task waits, failed, or was given up. What has finished is kept.

use std::collections::BTreeMap;

use mcp_model::ModelError;
use serde_json::Value;

use super::output::End;
use super::run::Driver;
use super::stored::{restored, stored};
use super::task::{NodeTimeout, Settled};
use crate::checkpoint::{TaskRecord, TaskState};
use crate::error::BoxError;
use crate::state::State;
use crate::{Error, ErrorKind, Interrupt};

impl<S: State> Driver<S> {
    /// Whether the step cannot end yet. Then what has finished is kept for the next run.
    pub(super) async fn unfinished(
        &mut self,
        settled: &[Settled<S::Update>],
    ) -> Result<Option<End>, Error> {
        let mut interrupts: Vec<Interrupt> = Vec::new();
        let (mut failed, mut cancelled, mut drained) = (None, false, false);
        for (index, one) in settled.iter().enumerate() {
            match one {
                Settled::Waiting(questions) => interrupts.extend_from_slice(questions),
                Settled::Failed(error) if failed.is_none() => failed = Some((index, error)),
                Settled::Cancelled => cancelled = true,
                Settled::Drained => drained = true,
                Settled::Failed(_) | Settled::Done(_) | Settled::Dropped => {}
            }
        }
        if interrupts.is_empty() && failed.is_none() && !cancelled && !drained {
            return Ok(None);
        }
        self.keep_unfinished(settled).await?;
        if let Some((index, error)) = failed {
            return Err(self.node_failed(index, error));
        }
        if cancelled {
            return Err(Error::cancelled());
        }
        if interrupts.is_empty() {
            return Ok(Some(End::Drained));
        }
        if self.journal.is_none() {
            let asking = interrupts.first().map_or("", |i| i.node.as_str());
            return Err(Error::new(
                ErrorKind::NothingKeepsTheRun,
                "a node waits for an answer, but nothing keeps the run until it comes; \
                 give the graph a checkpointer and the run a thread",
            )
            .in_node(asking));
        }
        Ok(Some(End::Interrupted(interrupts)))
    }

    async fn keep_unfinished(&mut self, settled: &[Settled<S::Update>]) -> Result<(), Error> {
        if self.journal.is_none() {
            return Ok(());
        }
        self.flush().await?;
        for (index, one) in settled.iter().enumerate() {
            let state = match one {
                Settled::Done(output) => TaskState::Done(stored(output)?),
                Settled::Waiting(interrupts) => TaskState::Waiting {
                    interrupts: interrupts.clone(),
                    answers: self.answers_of(index),
                },
                Settled::Failed(error) => TaskState::Failed {
                    message: crate::error::chain(&**error),
                    answers: self.answers_of(index),
                },
                Settled::Cancelled | Settled::Drained | Settled::Dropped => continue,
            };
            self.record(index, state).await?;
        }
        Ok(())
    }

    /// The answers that a task of an earlier run was given and may ask for again.
    fn answers_of(&self, index: usize) -> BTreeMap<String, Value> {
        let id = self.place(index).id.wide();
        let earlier = self.records.get(id.as_str()).map(|record| &record.state);
        let (TaskState::Waiting { answers, .. } | TaskState::Failed { answers, .. }) =
            (match earlier {
                Some(state) => state,
                None => return BTreeMap::new(),
            })
        else {
            return BTreeMap::new();
        };
        answers.clone()
    }

    fn node_failed(&self, index: usize, error: &BoxError) -> Error {
        let node = self
            .tasks
            .get(index)
            .map_or("", |t| self.graph.wiring.name(t.node));
        let text = crate::error::chain(&**error);
        let (kind, message) = match error.downcast_ref::<Error>() {
            Some(own) => (own.kind(), own.chain()),
            None if error.is::<ModelError>() => (ErrorKind::Model, format!("the model: {text}")),
            None if error.is::<NodeTimeout>() => {
                (ErrorKind::Timeout, format!("node {node} failed: {text}"))
            }
            None => (ErrorKind::Node, format!("node {node} failed: {text}")),
        };
        Error::new(kind, message).in_node(node)
    }

    pub(crate) async fn record(&mut self, index: usize, state: TaskState) -> Result<(), Error> {
        let place = self.place(index);
        let Some(journal) = &mut self.journal else {
            return Ok(());
        };
        let record = TaskRecord {
            task: place.id.wide().into(),
            node: place.node,
            state,
        };
        journal.record(record).await
    }

    /// What an earlier run knows of a task: its output, or that it still waits.
    pub(super) fn earlier(&self, index: usize) -> Result<Option<Settled<S::Update>>, Error> {
        if self.records.is_empty() {
            return Ok(None);
        }
        let id = self.place(index).id.wide();
        let record = self.records.get(id.as_str());
        Ok(match record.map(|record| &record.state) {
            Some(TaskState::Done(output)) => Some(Settled::Done(restored::<S>(output)?)),
            Some(TaskState::Waiting { interrupts, .. }) => {
                let answered = |i: &Interrupt| self.scope.answers.contains_key(&i.id);
                let open = !interrupts.iter().any(answered);
                open.then(|| Settled::Waiting(interrupts.clone()))
            }
            Some(TaskState::Failed { .. }) | None => None,
        })
    }
}
