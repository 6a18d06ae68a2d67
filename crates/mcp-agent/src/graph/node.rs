//! What a node is given, and what it gives back.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use mcp_interceptors::{BoxFuture, CallError, CallErrorKind, Command, Goto, JsonMap};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::goto::to;
use crate::error::{BoxError, chain};
use crate::state::State;
use crate::{Error, ErrorKind, Interrupt, Runtime};

/// One step of the work. Closures `Fn(Arc<S>, Runtime) -> impl Future` are nodes; [`on_payload`]
/// makes one of a closure that wants a [`Goto::Send`]'s input instead of the state.
pub trait Node<S: State>: Send + Sync + 'static {
    /// Does the work. The tasks of one step see the same state; what they give back goes into
    /// it together, in task order.
    ///
    /// # Cancel safety
    /// The future is dropped when the run is cancelled, the node's timeout passes, or another
    /// task of the step fails.
    fn run(
        &self,
        input: NodeInput<S>,
        runtime: Runtime,
    ) -> BoxFuture<'static, Result<NodeOutput<S::Update>, NodeError>>;

    /// Whether listeners hear of its messages in another way than from what it gives back, as
    /// where a graph in it has told them. The default is no.
    fn tells_its_messages(&self) -> bool {
        false
    }
}

/// What a node is given.
#[derive(Debug)]
#[non_exhaustive]
pub struct NodeInput<S> {
    /// The state as it was when the step began.
    pub state: Arc<S>,
    /// The input that a [`Goto::Send`] carried.
    pub payload: Option<Value>,
}

impl<S> NodeInput<S> {
    pub(crate) const fn new(state: Arc<S>, payload: Option<Value>) -> Self {
        Self { state, payload }
    }
}

impl<S, F, Fut, O> Node<S> for F
where
    S: State,
    F: Fn(Arc<S>, Runtime) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<O, NodeError>> + Send + 'static,
    O: Into<NodeOutput<S::Update>>,
{
    fn run(
        &self,
        input: NodeInput<S>,
        runtime: Runtime,
    ) -> BoxFuture<'static, Result<NodeOutput<S::Update>, NodeError>> {
        let work = self(input.state, runtime);
        Box::pin(async move { work.await.map(Into::into) })
    }
}

/// A node that wants the input of a [`Goto::Send`].
///
/// ```
/// # use mcp_agent::state;
/// # use mcp_agent::state::{Append, Messages};
/// # use mcp_agent::{Goto, Graph, Runtime, START, Targets, on_payload};
/// # state! { pub struct S => U { words: Append<String> } }
/// # fn f() -> Graph<S> {
/// Graph::<S>::new()
///     .node("shout", on_payload(|word: String, _: Runtime| async move {
///         Ok(U::default().words(vec![word.to_uppercase()]))
///     }))
///     .route(START, |_| -> Targets {
///         let words = ["a", "b"].into_iter();
///         words.map(|w| Goto::send("shout", w)).collect::<Vec<_>>().into()
///     })
/// # }
/// ```
pub fn on_payload<T, F>(f: F) -> OnPayload<T, F> {
    OnPayload(f, PhantomData)
}

/// What [`on_payload`] makes.
pub struct OnPayload<T, F>(F, PhantomData<fn(T)>);

impl<T, F> fmt::Debug for OnPayload<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OnPayload")
    }
}

impl<S, T, F, Fut, O> Node<S> for OnPayload<T, F>
where
    S: State,
    T: DeserializeOwned + 'static,
    F: Fn(T, Runtime) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<O, NodeError>> + Send + 'static,
    O: Into<NodeOutput<S::Update>>,
{
    fn run(
        &self,
        input: NodeInput<S>,
        runtime: Runtime,
    ) -> BoxFuture<'static, Result<NodeOutput<S::Update>, NodeError>> {
        match serde_json::from_value(input.payload.unwrap_or_default()) {
            Ok(payload) => {
                let work = self.0(payload, runtime);
                Box::pin(async move { work.await.map(Into::into) })
            }
            Err(error) => Box::pin(std::future::ready(Err(error.into()))),
        }
    }
}

/// What a node gives back: updates of the state, and where to go besides the graph's edges.
///
/// An update alone is one too, through `From`.
#[derive(Clone, Debug)]
pub struct NodeOutput<U> {
    pub(crate) updates: Vec<U>,
    pub(crate) goto: Vec<Goto>,
    pub(crate) parent: Vec<Command>,
    pub(crate) last_wins: bool,
}

impl<U> NodeOutput<U> {
    /// Nothing: no update, and on along the edges.
    #[must_use]
    pub const fn none() -> Self {
        Self {
            updates: Vec::new(),
            goto: Vec::new(),
            parent: Vec::new(),
            last_wins: false,
        }
    }

    /// Adds an update.
    #[must_use]
    pub fn update(mut self, update: U) -> Self {
        // Mostly there is one.
        self.updates.reserve_exact(1);
        self.updates.push(update);
        self
    }

    /// Goes to this node too, besides the edges. [`END`](crate::END) instead keeps the run from
    /// following this node's edges.
    #[must_use]
    pub fn goto(mut self, node: &str) -> Self {
        self.goto.push(to(node));
        self
    }

    /// Goes to this node with an input of its own.
    #[must_use]
    pub fn send(mut self, node: impl Into<String>, input: impl Into<Value>) -> Self {
        self.goto.push(Goto::send(node, input));
        self
    }

    /// Ends this graph after the step and has the graph around it obey `command`.
    #[must_use]
    pub fn to_parent(mut self, command: Command) -> Self {
        self.parent.push(command);
        self
    }

    /// Lets several tasks of a step write the same plain field; the last in task order wins.
    #[must_use]
    pub const fn last_wins(mut self) -> Self {
        self.last_wins = true;
        self
    }
}

impl<U> From<U> for NodeOutput<U> {
    fn from(update: U) -> Self {
        Self::none().update(update)
    }
}

/// How a node runs.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct NodeOptions {
    /// Waits until nothing else is left to do, then runs once.
    pub defer: bool,
    /// What a task of this node says with `goto` replaces the node's edges for all tasks of the
    /// step, instead of coming on top of them.
    pub goto_replaces_edges: bool,
    /// How long one attempt may take.
    pub timeout: Option<Duration>,
    /// How long an attempt may show no sign of life.
    pub idle_timeout: Option<Duration>,
    /// How often it is tried.
    pub retry: Option<super::Retry>,
    /// Whether the messages that come from it, and from graphs in it, are no events.
    pub quiet: bool,
    /// What its events, and those of graphs in it, are tagged with besides the run's tags.
    pub tags: Vec<String>,
}

impl NodeOptions {
    /// The defaults: no timeout, one attempt.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs it when nothing else is left to do.
    #[must_use]
    pub const fn defer(mut self) -> Self {
        self.defer = true;
        self
    }

    /// Limits one attempt.
    #[must_use]
    pub const fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    /// Limits how long an attempt may be silent: without [`Runtime::heartbeat`], an event of its
    /// own, a piece of a model's answer or a tool's progress. Signs of life of graphs in the node
    /// count too.
    #[must_use]
    pub const fn idle_timeout(mut self, limit: Duration) -> Self {
        self.idle_timeout = Some(limit);
        self
    }

    /// Tries it again when it fails.
    #[must_use]
    pub fn retry(mut self, retry: super::Retry) -> Self {
        self.retry = Some(retry);
        self
    }

    /// Keeps its messages, and those of graphs in it, from listeners: neither whole nor in
    /// pieces are they told.
    #[must_use]
    pub const fn quiet(mut self) -> Self {
        self.quiet = true;
        self
    }

    /// Adds a tag to its events, and to those of graphs in it.
    #[must_use]
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.tags.push(tag.into());
        self
    }

    /// Lets a `goto` replace the node's edges.
    #[must_use]
    pub const fn goto_replaces_edges(mut self) -> Self {
        self.goto_replaces_edges = true;
        self
    }
}

/// Why a node gave nothing back.
///
/// Any error becomes one through `?`. It is no [`std::error::Error`] itself, for that reason.
pub struct NodeError(pub(crate) Failure);

pub(crate) enum Failure {
    Failed(BoxError),
    Interrupted(Vec<Interrupt>),
    Cancelled,
    /// A graph in it was asked to stop.
    Drained,
}

impl NodeError {
    /// A failure with a sentence that says what happened: lower case, no full stop.
    pub fn new(message: impl Into<BoxError>) -> Self {
        Self(Failure::Failed(message.into()))
    }

    /// The questions that the node waits for, if that is why.
    #[must_use]
    pub fn interrupts(&self) -> Option<&[Interrupt]> {
        match &self.0 {
            Failure::Interrupted(interrupts) => Some(interrupts),
            Failure::Failed(_) | Failure::Cancelled | Failure::Drained => None,
        }
    }

    /// The error, if the node failed.
    #[must_use]
    pub fn error(&self) -> Option<&(dyn std::error::Error + Send + Sync + 'static)> {
        match &self.0 {
            Failure::Failed(error) => Some(&**error),
            Failure::Interrupted(_) | Failure::Cancelled | Failure::Drained => None,
        }
    }
}

impl fmt::Debug for NodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Failure::Failed(error) => write!(f, "NodeError({})", chain(&**error)),
            Failure::Interrupted(interrupts) => write!(f, "Interrupted({interrupts:?})"),
            Failure::Cancelled => f.write_str("Cancelled"),
            Failure::Drained => f.write_str("Drained"),
        }
    }
}

impl<E: std::error::Error + Send + Sync + 'static> From<E> for NodeError {
    fn from(error: E) -> Self {
        let error: BoxError = Box::new(error);
        let error = match error.downcast::<CallError>() {
            Ok(call) => return from_call(*call),
            Err(error) => error,
        };
        let cancelled = error
            .downcast_ref::<Error>()
            .is_some_and(|own| own.kind() == ErrorKind::Cancelled);
        match cancelled {
            true => Self(Failure::Cancelled),
            false => Self(Failure::Failed(error)),
        }
    }
}

/// A call that waits, or that was given up, is no failure of the node.
fn from_call(error: CallError) -> NodeError {
    match error.kind() {
        CallErrorKind::Interrupted => match error.payload().cloned().map(serde_json::from_value) {
            Some(Ok(interrupts)) => NodeError(Failure::Interrupted(interrupts)),
            _ => NodeError(Failure::Failed(Box::new(error))),
        },
        CallErrorKind::Cancelled => NodeError(Failure::Cancelled),
        _ => NodeError(Failure::Failed(Box::new(error))),
    }
}

/// Reads a command's update, for a node that gets commands as data.
///
/// # Errors
/// If the update does not fit the state.
pub fn read_update<S: State>(update: JsonMap) -> Result<S::Update, NodeError> {
    S::read(update).map_err(Into::into)
}
