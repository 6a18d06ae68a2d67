//! The beginning of a run: what the thread holds, and what the input makes of it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde_json::Value;

use super::compiled::Compiled;
use super::goto::START;
use super::options::Input;
use super::plan::{Next, Plan};
use super::run::{Driver, write_seed};
use super::task::caught;
use crate::checkpoint::{Checkpoint, Journal, Loaded, Source, TaskRecord, TaskState};
use crate::hash::Hash;
use crate::runtime::RunScope;
use crate::state::{Log, State, Write};
use crate::{Error, ErrorKind, Interrupt};

impl<S: State> Driver<S> {
    /// A graph that knows nothing yet.
    pub(crate) fn new(graph: &Arc<Compiled<S>>, scope: RunScope, namespace: Arc<str>) -> Self {
        let keeper = scope.keeper.clone();
        let journal = keeper.map(|keeper| Journal::new(keeper, Arc::clone(&namespace), &scope));
        Self {
            graph: Arc::clone(graph),
            scope: Arc::new(scope),
            seed: Hash::new(2).text(&namespace).finish(),
            namespace,
            state: Arc::new(graph.initial.clone()),
            plan: Plan::default(),
            tasks: Vec::new(),
            step: 0,
            taken: 0,
            journal,
            at_work: None,
            records: HashMap::new(),
            past_pause: false,
            parent: Vec::new(),
            unkept: None,
            broken: false,
        }
    }

    /// What the thread holds for this graph, at `checkpoint` or at its end.
    pub(crate) async fn load(
        &mut self,
        checkpoint: Option<Arc<str>>,
    ) -> Result<Option<Loaded>, Error> {
        let Some(journal) = &mut self.journal else {
            return Ok(None);
        };
        if checkpoint.is_some() {
            journal.learn_newest().await?;
        }
        let asked = checkpoint.clone();
        let loaded = journal.checkpointer().load(journal.place().clone(), asked);
        let loaded = loaded.await.map_err(|error| {
            Error::new(ErrorKind::Checkpoint, "the thread cannot be read").with_source(error)
        })?;
        match (&loaded, checkpoint) {
            (None, Some(id)) => Err(Error::new(
                ErrorKind::Resume,
                format!("the thread has no checkpoint {id}"),
            )),
            _ => Ok(loaded),
        }
    }

    /// Goes to where the thread was.
    pub(crate) fn restore(&mut self, loaded: &Loaded) -> Result<(), Error> {
        let Some(last) = loaded.last() else {
            return Ok(());
        };
        let state = Arc::make_mut(&mut self.state);
        for checkpoint in &loaded.chain {
            state
                .log(Log::Replay(&checkpoint.changes))
                .map_err(|error| {
                    let message = format!("checkpoint {} does not fit the state", checkpoint.id);
                    Error::new(ErrorKind::State, message).with_source(error)
                })?;
        }
        self.step = last.step;
        self.parent.clone_from(&last.waiting.parent);
        if let Some(journal) = &mut self.journal {
            journal.continue_from(&last.id);
        }
        Ok(())
    }

    /// Takes up the tasks that were left.
    pub(crate) fn take_up(
        &mut self,
        last: &Checkpoint,
        records: Vec<TaskRecord>,
    ) -> Result<(), Error> {
        let wiring = &self.graph.wiring;
        self.plan = Plan::restore(wiring, &last.waiting)?;
        let tasks = last.next.iter().map(|task| {
            Ok(Next {
                node: wiring.find(&task.node, "the checkpoint")?,
                payload: task.payload.clone(),
                timeout: task.timeout,
                triggers: wiring.triggers(&task.triggers),
            })
        });
        self.tasks = tasks.collect::<Result<_, Error>>()?;
        self.records = records
            .into_iter()
            .map(|record| (Arc::clone(&record.task), record))
            .collect();
        self.past_pause = true;
        Ok(())
    }

    /// Puts new input into the state and plans the first tasks.
    pub(crate) async fn start(&mut self, update: S::Update) -> Result<(), Error> {
        caught(|| self.give(update))?;
        self.plan_first().await
    }

    fn give(&mut self, update: S::Update) -> Result<(), Error> {
        self.parent.clear();
        let state = Arc::make_mut(&mut self.state);
        state.next_step();
        let write = Write::new(START, self.step, write_seed(self.seed, self.step, 0));
        state.apply(update, &write).map_err(|error| {
            Error::new(ErrorKind::State, "the input does not fit the state").with_source(error)
        })
    }

    /// Begins a run on the thread of the scope.
    pub(crate) async fn begin(
        &mut self,
        input: Input<S::Update>,
        checkpoint: Option<Arc<str>>,
    ) -> Result<(), Error> {
        let forks = checkpoint.is_some();
        let loaded = self.load(checkpoint).await?;
        if let Some(loaded) = &loaded {
            self.restore(loaded)?;
        }
        match (input, loaded) {
            (Input::Update(update), loaded) => {
                if loaded.is_some() {
                    self.step += 1;
                }
                self.start(update).await?;
                self.keep(Source::Input).await?;
            }
            (_, None) => {
                let message = "there is nothing to go on from; give the graph a checkpointer \
                               and the run the thread of the earlier run";
                return Err(Error::new(ErrorKind::Resume, message));
            }
            (Input::Continue, Some(loaded)) => {
                let records = if forks {
                    Vec::new()
                } else {
                    loaded.records.clone()
                };
                self.resume(&loaded, records)?;
                if forks {
                    self.keep(Source::Fork).await?;
                }
            }
            (Input::Answer(answer), Some(loaded)) => {
                let [only] = open_questions(&loaded.records)
                    .try_into()
                    .map_err(|open: Vec<Interrupt>| not_one(&open))?;
                let answers = HashMap::from([(only.id, answer)]);
                self.answer(&loaded, answers).await?;
            }
            (Input::Answers(answers), Some(loaded)) => self.answer(&loaded, answers).await?,
        }
        self.emit_values()
    }

    fn resume(&mut self, loaded: &Loaded, records: Vec<TaskRecord>) -> Result<(), Error> {
        match loaded.last().cloned() {
            Some(last) => self.take_up(&last, records),
            None => Ok(()),
        }?;
        let known = self.records.values().filter_map(answers_in);
        let answers: HashMap<_, _> = known.flatten().collect();
        if !answers.is_empty() {
            Arc::make_mut(&mut self.scope).answers = Arc::new(answers);
        }
        Ok(())
    }

    async fn answer(
        &mut self,
        loaded: &Loaded,
        answers: HashMap<String, Value>,
    ) -> Result<(), Error> {
        let open: HashSet<String> = open_questions(&loaded.records)
            .into_iter()
            .map(|interrupt| interrupt.id)
            .collect();
        if let Some(id) = answers.keys().find(|id| !open.contains(*id)) {
            let message = format!("no question {id} is open");
            return Err(Error::new(ErrorKind::Resume, message));
        }
        let mut records = loaded.records.clone();
        for record in &mut records {
            give_answers(record, &answers);
        }
        if let Some(journal) = &mut self.journal {
            // Kept before anything runs, so that an answer that was taken is never asked again.
            for record in &records {
                journal.record(record.clone()).await?;
            }
        }
        self.resume(loaded, records)
    }
}

fn give_answers(record: &mut TaskRecord, answers: &HashMap<String, Value>) {
    let TaskState::Waiting {
        interrupts,
        answers: given,
    } = &mut record.state
    else {
        return;
    };
    let new = interrupts.iter().filter_map(|interrupt| {
        let answer = answers.get(&interrupt.id)?;
        Some((interrupt.id.clone(), answer.clone()))
    });
    given.extend(new);
}

fn answers_in(record: &TaskRecord) -> Option<impl Iterator<Item = (String, Value)>> {
    match &record.state {
        TaskState::Waiting { answers, .. } | TaskState::Failed { answers, .. } => {
            Some(answers.clone().into_iter())
        }
        TaskState::Done(_) => None,
    }
}

/// The questions that have no answer yet.
pub(crate) fn open_questions(records: &[TaskRecord]) -> Vec<Interrupt> {
    let waiting = records.iter().filter_map(|record| match &record.state {
        TaskState::Waiting {
            interrupts,
            answers,
        } => Some((interrupts, answers)),
        TaskState::Done(_) | TaskState::Failed { .. } => None,
    });
    waiting
        .flat_map(|(interrupts, answers)| {
            interrupts
                .iter()
                .filter(|interrupt| !answers.contains_key(&interrupt.id))
        })
        .cloned()
        .collect()
}

fn not_one(open: &[Interrupt]) -> Error {
    let message = match open.len() {
        0 => "no question is open".to_owned(),
        n => format!("{n} questions are open; answer them by their ids"),
    };
    Error::new(ErrorKind::Resume, message)
}
