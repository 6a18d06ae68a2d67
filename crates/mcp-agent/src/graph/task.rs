//! One task: attempts, timeout, panics, events.

use std::any::Any;
use std::future::{pending, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::task::Poll;
use std::time::Duration;

use futures_util::FutureExt;
use serde_json::Value;

use super::node::{Failure, Node, NodeError, NodeInput, NodeOptions, NodeOutput};
use super::pulse::Pulse;
use crate::hash::Hash;
use crate::runtime::{RunScope, TaskScope};
use crate::state::{Json, State};
use crate::stream::{Interest, RunEvent};
use crate::{Error, ErrorKind, Interrupt, Runtime};

/// Everything that a task needs, so that it can run anywhere.
pub(crate) struct Job<S: State> {
    pub(crate) node: Arc<dyn Node<S>>,
    pub(crate) options: Arc<NodeOptions>,
    /// How long one attempt may take.
    pub(crate) timeout: Option<Duration>,
    pub(crate) state: Arc<S>,
    pub(crate) payload: Option<Value>,
    /// What led to it, if anybody wants to know.
    pub(crate) triggers: Vec<Arc<str>>,
    pub(crate) scope: Arc<RunScope>,
    pub(crate) place: TaskPlace,
}

/// Where a task is, the attempt aside.
#[derive(Clone)]
pub(crate) struct TaskPlace {
    pub(crate) id: Hash,
    pub(crate) node: Arc<str>,
    pub(crate) namespace: Arc<str>,
    pub(crate) step: u64,
    pub(crate) steps_left: u64,
    pub(crate) seed: u64,
    pub(crate) checkpoint: Option<Arc<str>>,
}

/// How a task ended.
pub(crate) enum Settled<U> {
    Done(NodeOutput<U>),
    Waiting(Vec<Interrupt>),
    Failed(crate::error::BoxError),
    Cancelled,
    /// A graph in it was asked to stop.
    Drained,
    /// It was given up because another task of the step failed.
    Dropped,
}

/// A node took longer than it may. [`Retry::when`](crate::Retry::when) is given this error; a
/// run fails with [`ErrorKind::Timeout`] because of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NodeTimeout {
    /// It had not ended within its time.
    #[error("no result within {0:?}")]
    Run(Duration),
    /// It had shown no sign of life for so long.
    #[error("no sign of life for {0:?}")]
    Idle(Duration),
}

/// A pulse, and how long it may stand still.
type Watched = (Duration, Arc<Pulse>);

/// Waits until a limit is passed, if there is one.
async fn overdue(run: Option<Duration>, idle: Option<Watched>) -> NodeTimeout {
    let run = async {
        let Some(limit) = run else {
            return pending().await;
        };
        tokio::time::sleep(limit).await;
        NodeTimeout::Run(limit)
    };
    let idle = async {
        let Some((limit, pulse)) = idle else {
            return pending().await;
        };
        pulse.silence(limit).await;
        NodeTimeout::Idle(limit)
    };
    tokio::select! {
        biased;
        late = run => late,
        late = idle => late,
    }
}

/// A node panicked.
#[derive(Debug, thiserror::Error)]
#[error("the node panicked: {0}")]
pub(crate) struct Panicked(pub(crate) String);

impl<S: State> Job<S> {
    /// Runs the task to its end.
    pub(crate) async fn run(mut self) -> Settled<S::Update> {
        let first = self.runtime(1, self.scope.clock.now_ms());
        first.emit(Interest::TASKS, || RunEvent::TaskStarted {
            task: self.place.id.wide().into(),
            node: Arc::clone(&self.place.node),
            payload: self.payload.clone(),
            triggers: std::mem::take(&mut self.triggers),
        });
        let settled = self.attempts(first.clone()).await;
        self.report(&first, &settled);
        settled
    }

    async fn attempts(&mut self, first: Runtime) -> Settled<S::Update> {
        let began = first.task.began_ms;
        let mut runtime = first;
        for attempt in 1.. {
            let error = match self.attempt(runtime).await {
                Ok(output) => return Settled::Done(output),
                Err(NodeError(Failure::Interrupted(interrupts))) => {
                    return Settled::Waiting(interrupts);
                }
                Err(NodeError(Failure::Cancelled)) => return Settled::Cancelled,
                Err(NodeError(Failure::Drained)) => return Settled::Drained,
                Err(NodeError(Failure::Failed(error))) => error,
            };
            let retry = self.options.retry.as_ref();
            match retry.and_then(|retry| retry.pause(attempt, &*error, self.place.seed)) {
                Some(pause) => tokio::time::sleep(pause).await,
                None => return Settled::Failed(error),
            }
            runtime = self.runtime(attempt + 1, began);
        }
        Settled::Cancelled
    }

    async fn attempt(&mut self, runtime: Runtime) -> Result<NodeOutput<S::Update>, NodeError> {
        let payload = match self.options.retry {
            Some(_) => self.payload.clone(),
            None => self.payload.take(),
        };
        let input = NodeInput::new(Arc::clone(&self.state), payload);
        let run = self.timeout;
        let idle = self.options.idle_timeout.zip(runtime.run.pulse.clone());
        let work = async { self.node.run(input, runtime).await };
        let mut caught = pin!(AssertUnwindSafe(work).catch_unwind());
        let events = &self.scope.events;
        let caught = poll_fn(|cx| match events.is_short_of_room(cx) {
            true => Poll::Pending,
            false => caught.as_mut().poll(cx),
        });
        let caught = if run.is_none() && idle.is_none() {
            caught.await
        } else {
            tokio::select! {
                biased;
                caught = caught => caught,
                late = Box::pin(overdue(run, idle)) => return Err(late.into()),
            }
        };
        caught.unwrap_or_else(|panic| Err(Panicked(panic_text(&*panic)).into()))
    }

    fn runtime(&self, attempt: u32, began_ms: u64) -> Runtime {
        let place = self.place.clone();
        Runtime {
            run: self.own_scope(),
            task: Arc::new(TaskScope {
                id: place.id,
                node: place.node,
                namespace: place.namespace,
                step: place.step,
                steps_left: place.steps_left,
                attempt,
                seed: place.seed,
                checkpoint: place.checkpoint,
                asked: AtomicU64::new(0),
                began_ms,
            }),
        }
    }

    /// The scope of the run, as this node is to see it.
    fn own_scope(&self) -> Arc<RunScope> {
        let options = &self.options;
        if !options.quiet && options.tags.is_empty() && options.idle_timeout.is_none() {
            return Arc::clone(&self.scope);
        }
        let mut scope = RunScope::clone(&self.scope);
        if options.quiet {
            scope.events = scope.events.without(Interest::MESSAGES | Interest::DELTAS);
        }
        if options.idle_timeout.is_some() {
            scope.pulse = Some(Arc::new(Pulse::new(scope.pulse)));
        }
        scope.tags = scope.tags.iter().chain(&options.tags).cloned().collect();
        Arc::new(scope)
    }

    /// Tells the messages that the task gave back.
    fn tell_messages(&self, runtime: &Runtime, output: &NodeOutput<S::Update>) {
        let wanted = runtime.run.events.wants(Interest::MESSAGES);
        if !wanted || self.node.tells_its_messages() {
            return;
        }
        let updates = output.updates.iter();
        for message in updates.flat_map(|update| self.state.said(update)) {
            runtime.emit(Interest::MESSAGES, || RunEvent::Message {
                node: Arc::clone(&self.place.node),
                message,
            });
        }
    }

    fn report(&self, runtime: &Runtime, settled: &Settled<S::Update>) {
        if let Settled::Done(output) = settled {
            self.tell_messages(runtime, output);
            for update in &output.updates {
                runtime.emit(Interest::UPDATES, || RunEvent::Update {
                    node: Arc::clone(&self.place.node),
                    update: Json::of(update).unwrap_or_default(),
                });
            }
        }
        runtime.emit(Interest::TASKS, || RunEvent::TaskEnded {
            task: self.place.id.wide().into(),
            node: Arc::clone(&self.place.node),
            error: match settled {
                Settled::Done(_) => None,
                Settled::Waiting(_) => Some("waits for an answer".to_owned()),
                Settled::Failed(error) => Some(crate::error::chain(&**error)),
                Settled::Drained => Some("stopped at the end of a step".to_owned()),
                Settled::Cancelled | Settled::Dropped => Some("cancelled".to_owned()),
            },
            updates: match settled {
                Settled::Done(output) => {
                    let updates = output.updates.iter().map(Json::of);
                    updates.map(Result::unwrap_or_default).collect()
                }
                _ => Vec::new(),
            },
            interrupts: match settled {
                Settled::Waiting(interrupts) => interrupts.clone(),
                _ => Vec::new(),
            },
        });
    }
}

/// Does something that calls rules and conditions of whoever made the graph; a panic there is an
/// error.
pub(crate) fn caught<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(rule_panicked(&*panic)))
}

pub(crate) fn rule_panicked(panic: &(dyn Any + Send)) -> Error {
    let message = format!("a rule of the graph panicked: {}", panic_text(panic));
    Error::new(ErrorKind::State, message)
}

/// What a panic said.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned())
}
