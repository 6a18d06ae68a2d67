//! Conditional edges are asked before the plan is made, so that the plan has nothing to wait for.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use mcp_interceptors::BoxFuture;

use super::compiled::Compiled;
use super::goto::Targets;
use super::plan::{Finished, Plan, leading_on};
use super::run::Driver;
use super::task::{caught, rule_panicked};
use super::wiring::FROM_START;
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

/// What the conditional edges of a node have decided, in their order.
#[derive(Debug)]
pub(crate) struct Decided {
    /// The node, or [`FROM_START`].
    pub(crate) node: usize,
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

    async fn ask(&self, state: &Arc<S>) -> Result<Targets, Error> {
        match self {
            Self::AtOnce(decide) => caught(|| Ok(decide(state))),
            Self::Later(decide) => {
                let decision = async { decide(Arc::clone(state)).await };
                let decision = AssertUnwindSafe(decision).catch_unwind().await;
                decision.map_err(|panic| rule_panicked(&*panic))
            }
        }
    }
}

/// Asks the conditional edges of these nodes, until the run is cancelled.
async fn decide<S: State>(
    graph: &Compiled<S>,
    scope: &RunScope,
    state: &Arc<S>,
    nodes: Vec<usize>,
) -> Result<Vec<Decided>, Error> {
    let all = async {
        let mut decided = Vec::with_capacity(nodes.len());
        for node in nodes {
            let routes = &graph.wiring.exits(node)?.routes;
            let mut targets = Vec::with_capacity(routes.len());
            for route in routes {
                targets.push(route.decide.ask(state).await?);
            }
            decided.push(Decided { node, targets });
        }
        Ok(decided)
    };
    tokio::select! {
        biased;
        () = scope.cancel.cancelled() => Err(Error::cancelled()),
        decided = all => decided,
    }
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
    pub(crate) async fn plan_next(&mut self, finished: &[Finished<'_>]) -> Result<(), Error> {
        let nodes = leading_on(&self.graph.wiring, finished)?;
        let decided = decide(&self.graph, &self.scope, &self.state, nodes).await?;
        let wiring = &self.graph.wiring;
        self.tasks = self.plan.advance(wiring, finished, decided)?;
        Ok(())
    }
}
