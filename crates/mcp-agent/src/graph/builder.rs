//! Puts a graph together and checks it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use super::compiled::{Compiled, CompiledGraph, Pauses};
use super::decide::Decide;
use super::goto::{END, START, Targets};
use super::node::{Node, NodeOptions};
use super::running::Running;
use super::wiring::{Exits, Join, Router, Spec, Wiring};
use crate::state::State;
use crate::{Error, ErrorKind};

/// A graph that is being put together.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use std::sync::Arc;
/// use mcp_agent::{END, Graph, RunOptions, Runtime, START, state};
/// use mcp_agent::state::Sum;
///
/// state! { pub struct Count => CountUpdate { n: Sum<i64> } }
///
/// let graph = Graph::<Count>::new()
///     .node("add", |_: Arc<Count>, _: Runtime| async { Ok(CountUpdate::default().n(1)) })
///     .edge(START, "add")
///     .route("add", |count| if *count.n < 3 { "add" } else { END })
///     .compile()
///     .unwrap();
/// let output = graph.run(CountUpdate::default(), RunOptions::new()).await.unwrap();
/// assert_eq!(*output.state.n, 3);
/// # });
/// ```
pub struct Graph<S: State> {
    initial: S,
    nodes: Vec<(String, Arc<dyn Node<S>>, NodeOptions)>,
    edges: Vec<(String, String)>,
    joins: Vec<(Vec<String>, String)>,
    routes: Vec<(String, Router<S>)>,
    pause_before: Vec<String>,
    pause_after: Vec<String>,
}

impl<S: State + Default> Default for Graph<S> {
    fn default() -> Self {
        Self::with_state(S::default())
    }
}

impl<S: State> Graph<S> {
    /// An empty graph whose state begins with its default.
    #[must_use]
    pub fn new() -> Self
    where
        S: Default,
    {
        Self::default()
    }

    /// An empty graph whose state begins with this one.
    #[must_use]
    pub const fn with_state(initial: S) -> Self {
        Self {
            initial,
            nodes: Vec::new(),
            edges: Vec::new(),
            joins: Vec::new(),
            routes: Vec::new(),
            pause_before: Vec::new(),
            pause_after: Vec::new(),
        }
    }

    /// Adds a node.
    #[must_use]
    pub fn node(self, name: impl Into<String>, node: impl Node<S>) -> Self {
        self.node_with(name, NodeOptions::new(), node)
    }

    /// Adds a node that runs in another way than the default.
    #[must_use]
    pub fn node_with(
        mut self,
        name: impl Into<String>,
        options: NodeOptions,
        node: impl Node<S>,
    ) -> Self {
        self.nodes.push((name.into(), Arc::new(node), options));
        self
    }

    /// After `from` comes `to`. [`START`] and [`END`] are names too.
    #[must_use]
    pub fn edge(mut self, from: impl Into<String>, to: impl Into<String>) -> Self {
        self.edges.push((from.into(), to.into()));
        self
    }

    /// When all of `from` have finished comes `to`.
    #[must_use]
    pub fn join<N: Into<String>>(
        mut self,
        from: impl IntoIterator<Item = N>,
        to: impl Into<String>,
    ) -> Self {
        let from = from.into_iter().map(Into::into).collect();
        self.joins.push((from, to.into()));
        self
    }

    /// After `from` comes what `decide` says, which sees the state with all updates of the step.
    #[must_use]
    pub fn route<T: Into<Targets>>(
        self,
        from: impl Into<String>,
        decide: impl Fn(&S) -> T + Send + Sync + 'static,
    ) -> Self {
        self.router(from.into(), Decide::at_once(decide), None)
    }

    /// The same for a decision that waits for something, such as a model or a store. The step
    /// ends when it is there; a run that is cancelled meanwhile has not taken the step.
    #[must_use]
    pub fn route_async<T: Into<Targets>, Fut: Future<Output = T> + Send + 'static>(
        self,
        from: impl Into<String>,
        decide: impl Fn(Arc<S>) -> Fut + Send + Sync + 'static,
    ) -> Self {
        self.router(from.into(), Decide::later(decide), None)
    }

    /// The same with all nodes that `decide` may name; another one is an error then, and
    /// drawings show the edges.
    #[must_use]
    pub fn route_among<T: Into<Targets>, N: Into<String>>(
        self,
        from: impl Into<String>,
        among: impl IntoIterator<Item = N>,
        decide: impl Fn(&S) -> T + Send + Sync + 'static,
    ) -> Self {
        let among = among.into_iter().map(Into::into).collect();
        self.router(from.into(), Decide::at_once(decide), Some(among))
    }

    fn router(mut self, from: String, decide: Decide<S>, among: Option<Vec<String>>) -> Self {
        self.routes.push((from, Router { decide, among }));
        self
    }

    /// Pauses the run before these nodes; `*` is every node.
    #[must_use]
    pub fn pause_before<N: Into<String>>(mut self, nodes: impl IntoIterator<Item = N>) -> Self {
        self.pause_before.extend(nodes.into_iter().map(Into::into));
        self
    }

    /// Pauses the run after these nodes; `*` is every node.
    #[must_use]
    pub fn pause_after<N: Into<String>>(mut self, nodes: impl IntoIterator<Item = N>) -> Self {
        self.pause_after.extend(nodes.into_iter().map(Into::into));
        self
    }

    /// Checks the graph and makes it ready to run.
    ///
    /// # Errors
    /// Of kind [`ErrorKind::Wiring`], with every fault by name: a node's name that is taken,
    /// reserved, empty or contains `|` or `:`; an edge from or to an unknown node, from the end
    /// or to the start; no edge from the start.
    pub fn compile(self) -> Result<CompiledGraph<S>, Error> {
        let mut faults = self.name_faults();
        let numbers = self.numbers();
        faults.extend(self.edge_faults(&numbers));
        if !faults.is_empty() {
            return Err(Error::new(ErrorKind::Wiring, faults.join("; ")));
        }
        let pause_before = pauses(&self.pause_before, &numbers);
        let pause_after = pauses(&self.pause_after, &numbers);
        let initial = self.initial.clone();
        Ok(CompiledGraph(Arc::new(Compiled {
            wiring: Arc::new(self.wire(numbers)),
            initial,
            checkpointer: None,
            store: None,
            running: Running::default(),
            pause_before,
            pause_after,
        })))
    }

    fn numbers(&self) -> BTreeMap<Arc<str>, usize> {
        let names: BTreeSet<&str> = self.nodes.iter().map(|(name, ..)| name.as_str()).collect();
        names.into_iter().map(Arc::from).zip(0..).collect()
    }

    fn name_faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let mut seen = BTreeSet::new();
        for (name, ..) in &self.nodes {
            if name.is_empty() || name == START || name == END || name.contains(['|', ':']) {
                faults.push(format!("{name:?} cannot be a node's name"));
            } else if !seen.insert(name) {
                faults.push(format!("two nodes are named {name}"));
            }
        }
        faults
    }

    fn edge_faults(&self, numbers: &BTreeMap<Arc<str>, usize>) -> Vec<String> {
        let mut faults = Vec::new();
        let mut check = |name: &str, reserved: &str, edge: &str| {
            if name != reserved && !numbers.contains_key(name) {
                faults.push(format!("{edge}: there is no node {name}"));
            }
        };
        for (from, to) in &self.edges {
            let edge = format!("edge {from} -> {to}");
            check(from, START, &edge);
            check(to, END, &edge);
        }
        for (from, to) in &self.joins {
            let edge = format!("join of {} -> {to}", from.join(", "));
            from.iter().for_each(|from| check(from, "", &edge));
            check(to, "", &edge);
        }
        for (from, router) in &self.routes {
            let edge = format!("conditional edge from {from}");
            check(from, START, &edge);
            let among = router.among.iter().flatten();
            among.for_each(|to| check(to, END, &edge));
        }
        for name in self.pause_before.iter().chain(&self.pause_after) {
            check(name, "*", "pause");
        }
        let from_start = self.edges.iter().map(|(from, _)| from);
        let mut from_start = from_start.chain(self.routes.iter().map(|(from, _)| from));
        if !from_start.any(|from| from == START) {
            faults.push("no edge leads from the start".to_owned());
        }
        if self.joins.iter().any(|(from, _)| from.is_empty()) {
            faults.push("a join of no nodes".to_owned());
        }
        faults
    }

    fn wire(self, numbers: BTreeMap<Arc<str>, usize>) -> Wiring<S> {
        let number = |name: &str| numbers.get(name).copied();
        let mut nodes: Vec<Spec<S>> = Vec::new();
        let mut by_name: BTreeMap<String, _> = BTreeMap::new();
        for (name, node, options) in self.nodes {
            by_name.insert(name, (node, options));
        }
        for (name, (node, options)) in by_name {
            let (name, exits) = (name.into(), Exits::default());
            nodes.push(Spec {
                name,
                node,
                options: Arc::new(options),
                exits,
            });
        }
        let mut start = Exits::default();
        let mut exits = |from: &str, add: &mut dyn FnMut(&mut Exits<S>)| {
            let of_node = number(from).and_then(|number| nodes.get_mut(number));
            add(of_node.map_or(&mut start, |spec| &mut spec.exits));
        };
        for (from, to) in &self.edges {
            exits(from, &mut |exits| match number(to) {
                Some(to) => exits.edges.push(to),
                None => exits.ends = true,
            });
        }
        for (from, router) in self.routes {
            let mut router = Some(router);
            exits(&from, &mut |exits| exits.routes.extend(router.take()));
        }
        let mut joins = Vec::new();
        for (from, to) in self.joins {
            let index = joins.len();
            for from in &from {
                exits(from, &mut |exits| exits.joins.push(index));
            }
            let from = from.iter().filter_map(|from| number(from)).collect();
            let to = number(&to).unwrap_or(usize::MAX);
            joins.push(Join { from, to });
        }
        Wiring {
            nodes,
            numbers,
            start,
            joins,
        }
    }
}

fn pauses(names: &[String], numbers: &BTreeMap<Arc<str>, usize>) -> Pauses {
    if names.is_empty() {
        return Pauses::Nowhere;
    }
    if names.iter().any(|name| name == "*") {
        return Pauses::Everywhere;
    }
    let at = names.iter().filter_map(|name| numbers.get(name.as_str()));
    Pauses::At(at.copied().collect())
}

impl<S: State> fmt::Debug for Graph<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.nodes.iter().map(|(name, ..)| name);
        f.debug_struct("Graph")
            .field("nodes", &names.collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
