//! A graph as a node of another one.

use std::fmt;
use std::sync::Arc;

use mcp_interceptors::BoxFuture;
use serde_json::json;

use super::compiled::CompiledGraph;
use super::node::{Failure, Node, NodeError, NodeInput, NodeOutput};
use super::output::{End, Ended};
use super::run::Driver;
use crate::checkpoint::{Loaded, Source};
use crate::runtime::RunScope;
use crate::state::State;
use crate::{Error, ErrorKind, Runtime};

/// What becomes of a subgraph's state when its node has run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Persistence {
    /// It begins anew each time the node runs. What is left when it stops at a question or fails
    /// is kept until then.
    #[default]
    PerCall,
    /// It goes on from where it was, within the thread. The node must not run twice at once.
    PerThread,
    /// Nothing is kept of it; a question in it is an error.
    Never,
}

type Prepare = Arc<dyn Fn(RunScope) -> BoxFuture<'static, Result<RunScope, Error>> + Send + Sync>;
type ToChild<P, C> = Arc<dyn Fn(&P) -> <C as State>::Update + Send + Sync>;
type ToParent<P, C> = Arc<dyn Fn(&P, &C) -> <P as State>::Update + Send + Sync>;

/// A graph as a node of another one: see [`CompiledGraph::as_node`].
pub struct Subgraph<P: State, C: State> {
    graph: CompiledGraph<C>,
    input: ToChild<P, C>,
    output: ToParent<P, C>,
    persistence: Persistence,
    prepare: Option<Prepare>,
}

impl<C: State> CompiledGraph<C> {
    /// Makes the graph a node of a graph with the state `P`.
    ///
    /// `input` says what of the outer state goes in, `output` what comes back; it is given the
    /// outer state as it was and the inner state at its end. Fields that gather should be given
    /// back what is new only, as the outer field adds it to what it has; messages with names
    /// that are known there do no harm.
    ///
    /// Context, store, events, cancellation and checkpointer are those of the outer run. A
    /// command for the parent ends the inner graph after its step, with what the step's other
    /// tasks have written, and is obeyed by the outer one.
    pub fn as_node<P: State>(
        &self,
        input: impl Fn(&P) -> C::Update + Send + Sync + 'static,
        output: impl Fn(&P, &C) -> P::Update + Send + Sync + 'static,
    ) -> Subgraph<P, C> {
        Subgraph {
            graph: self.clone(),
            input: Arc::new(input),
            output: Arc::new(output),
            persistence: Persistence::default(),
            prepare: None,
        }
    }
}

impl<P: State, C: State> Subgraph<P, C> {
    /// What becomes of the inner state when the node has run.
    #[must_use]
    pub const fn persistence(mut self, persistence: Persistence) -> Self {
        self.persistence = persistence;
        self
    }

    /// Does something with the inner run's scope before it begins.
    pub(crate) fn prepare(mut self, prepare: Prepare) -> Self {
        self.prepare = Some(prepare);
        self
    }
}

impl<P: State, C: State> fmt::Debug for Subgraph<P, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subgraph")
            .field("graph", &self.graph)
            .field("persistence", &self.persistence)
            .finish_non_exhaustive()
    }
}

impl<P: State, C: State> Node<P> for Subgraph<P, C> {
    fn tells_its_messages(&self) -> bool {
        true
    }

    fn run(
        &self,
        input: NodeInput<P>,
        runtime: Runtime,
    ) -> BoxFuture<'static, Result<NodeOutput<P::Update>, NodeError>> {
        let update = (self.input)(&input.state);
        let (graph, output) = (self.graph.clone(), Arc::clone(&self.output));
        let (persistence, prepare) = (self.persistence, self.prepare.clone());
        Box::pin(async move {
            check_depth(&runtime)?;
            let mut scope = RunScope::clone(&runtime.run);
            if persistence == Persistence::Never {
                scope.keeper = None;
            }
            if let Some(store) = &graph.0.store {
                scope.store = Some(Arc::clone(store));
            }
            if let Some(prepare) = prepare {
                scope = prepare(scope).await?;
            }
            let mut driver = Driver::new(&graph.0, scope, namespace(&runtime, persistence));
            driver.seed = runtime.task.seed;
            driver.enter(update, &runtime).await?;
            let ended = Box::pin(driver.drive()).await?;
            leave(&ended, &runtime)?;
            let update = output(&input.state, &ended.output.state);
            obey::<P>(NodeOutput::from(update), ended.parent)
        })
    }
}

/// How deep graphs may be nested: each needs its part of the stack.
const MAX_DEPTH: usize = 32;

fn check_depth(runtime: &Runtime) -> Result<(), Error> {
    let outer = &runtime.task.namespace;
    let depth = outer.split('|').filter(|part| !part.is_empty()).count();
    if depth < MAX_DEPTH {
        return Ok(());
    }
    let message = format!("graphs are nested more than {MAX_DEPTH} deep");
    Err(Error::new(ErrorKind::StepLimit, message))
}

/// The way down to the inner graph. One that is kept per call has the task in it, so that a loop
/// enters a new one each time.
fn namespace(runtime: &Runtime, persistence: Persistence) -> Arc<str> {
    let (outer, node) = (&runtime.task.namespace, &runtime.task.node);
    let bar = if outer.is_empty() { "" } else { "|" };
    match persistence {
        Persistence::PerThread => format!("{outer}{bar}{node}").into(),
        Persistence::PerCall | Persistence::Never => {
            format!("{outer}{bar}{node}:{}", runtime.task.id.wide()).into()
        }
    }
}

impl<S: State> Driver<S> {
    /// Begins, or goes on with what this very task has left.
    async fn enter(&mut self, update: S::Update, runtime: &Runtime) -> Result<(), Error> {
        let task: Arc<str> = runtime.task.id.wide().into();
        let loaded = self.load(None).await?;
        if let Some(journal) = &mut self.journal {
            journal.called_by(Arc::clone(&task));
        }
        if let Some(loaded) = &loaded {
            self.restore(loaded)?;
            if is_left_by(loaded, &task) {
                return match loaded.last().cloned() {
                    Some(last) => self.take_up(&last, loaded.records.clone()),
                    None => Ok(()),
                };
            }
            self.step += 1;
        }
        self.start(update).await?;
        self.keep(Source::Input).await?;
        self.emit_values()
    }
}

fn is_left_by(loaded: &Loaded, task: &Arc<str>) -> bool {
    loaded
        .last()
        .is_some_and(|last| last.caller.as_ref() == Some(task))
}

/// Whether the inner graph has come to its end. If not, neither has the node.
fn leave<C>(ended: &Ended<C>, runtime: &Runtime) -> Result<(), NodeError> {
    match &ended.output.end {
        End::Finished => Ok(()),
        End::Interrupted(interrupts) => Err(NodeError(Failure::Interrupted(interrupts.clone()))),
        // The outer run stops as well; any answer lets both go on.
        End::Paused(nodes) => runtime.interrupt(json!({ "paused": nodes })).map(drop),
        End::Drained => Err(NodeError(Failure::Drained)),
    }
}

/// Has this graph do what the inner one asked its parent for.
fn obey<P: State>(
    mut output: NodeOutput<P::Update>,
    commands: Vec<mcp_interceptors::Command>,
) -> Result<NodeOutput<P::Update>, NodeError> {
    for command in commands {
        if !command.update.is_empty() {
            output.updates.push(P::read(command.update)?);
        }
        output.goto.extend(command.goto);
        // Commands of parallel tasks may write one field; the last in task order counts.
        output.last_wins = true;
    }
    Ok(output)
}
