//! Conditional edges are asked before the plan is made, so that the plan has nothing to wait for.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use mcp_interceptors::BoxFuture;

use super::compiled::Compiled;
use super::goto::{END, Targets};
use super::plan::{Finished, Plan, target};
use super::run::Driver;
use super::task::{caught, rule_panicked};
use super::wiring::{FROM_START, Wiring};
use crate::Error;
use crate::runtime::RunScope;
use crate::state::State;

/// How a conditional edge decides.
pub(crate) enum Decide<S> {
    /// From the state alone.
    AtOnce(Box<dyn Fn(&S) -> Targets + Send + Sync>),
    /// With the help of something that it waits for.
    Later(Box<dyn Fn(Arc<S>) -> BoxFuture<'static, Targets> + Send + Sync>),
}

/// What the conditional edges of some nodes have decided.
#[derive(Debug)]
pub(crate) struct Decided {
    /// The nodes, [`FROM_START`] among them.
    pub(crate) nodes: Vec<usize>,
    /// For each conditional edge of each node, in their order.
    pub(crate) targets: Vec<Targets>,
}

impl<S> Decide<S> {
    pub(crate) fn at_once<T: Into<Targets>>(
        decide: impl Fn(&S) -> T + Send + Sync + 'static,
    ) -> Self {
        Self::AtOnce(Box::new(move |state| decide(state).into()))
    }

    pub(crate) fn later<T: Into<Targets>, Fut: Future<Output = T> + Send + 'static>(
        decide: impl Fn(Arc<S>) -> Fut + Send + Sync + 'static,
    ) -> Self {
        Self::Later(Box::new(move |state| {
            let decision = decide(state);
            Box::pin(async move { decision.await.into() })
        }))
    }

    /// Asks, until the run is cancelled.
    async fn ask(&self, state: &Arc<S>, scope: &RunScope) -> Result<Targets, Error> {
        let decide = match self {
            Self::AtOnce(decide) => return caught(|| Ok(decide(state))),
            Self::Later(decide) => decide,
        };
        let decision = async { decide(Arc::clone(state)).await };
        tokio::select! {
            biased;
            () = scope.cancel.cancelled() => Err(Error::cancelled()),
            decision = AssertUnwindSafe(decision).catch_unwind() => {
                decision.map_err(|panic| rule_panicked(&*panic))
            }
        }
    }
}

/// The nodes whose edges are followed when these tasks have finished, each once: those whose
/// tasks have not said otherwise.
fn leading_on<S>(wiring: &Wiring<S>, finished: &[Finished]) -> Result<Vec<usize>, Error> {
    let mut nodes: Vec<(usize, bool)> = Vec::new();
    for Finished { node, goto } in finished {
        let replaces = wiring.spec(*node)?.options.goto_replaces_edges;
        let leads = match replaces {
            true => goto.is_empty(),
            false => !goto.iter().any(|goto| target(goto) == END),
        };
        match nodes.iter_mut().find(|(known, _)| known == node) {
            Some((_, all)) if replaces => *all &= leads,
            Some((_, any)) => *any |= leads,
            None => nodes.push((*node, leads)),
        }
    }
    let leading = nodes.into_iter().filter(|(_, leads)| *leads);
    Ok(leading.map(|(node, _)| node).collect())
}

/// Asks the conditional edges of these nodes.
async fn decide<S: State>(
    graph: &Compiled<S>,
    scope: &RunScope,
    state: &Arc<S>,
    nodes: Vec<usize>,
) -> Result<Decided, Error> {
    let mut targets = Vec::new();
    for &node in &nodes {
        for route in &graph.wiring.exits(node)?.routes {
            targets.push(route.decide.ask(state, scope).await?);
        }
    }
    Ok(Decided { nodes, targets })
}

impl<S: State> Driver<S> {
    /// Plans the first step of a run.
    pub(crate) async fn plan_first(&mut self) -> Result<(), Error> {
        let nodes = vec![FROM_START];
        let decided = decide(&self.graph, &self.scope, &self.state, nodes).await?;
        (self.plan, self.tasks) = Plan::start(&self.graph.wiring, decided)?;
        Ok(())
    }

    /// Plans the step after these tasks, whose updates are in the state.
    pub(crate) async fn plan_next(&mut self, finished: Vec<Finished>) -> Result<(), Error> {
        let nodes = leading_on(&self.graph.wiring, &finished)?;
        let decided = decide(&self.graph, &self.scope, &self.state, nodes).await?;
        self.tasks = self.plan.advance(&self.graph.wiring, finished, decided)?;
        Ok(())
    }
}
