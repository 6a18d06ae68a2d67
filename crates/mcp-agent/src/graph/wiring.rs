//! A graph that has been checked: nodes and edges by number.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::decide::Decide;
use super::goto::START;
use super::node::{Node, NodeOptions};
use super::plan::Triggers;
use crate::{Error, ErrorKind};

/// The number that stands for the start where a node's number is expected.
pub(crate) const FROM_START: usize = usize::MAX;

/// A conditional edge.
pub(crate) struct Router<S> {
    pub(crate) decide: Decide<S>,
    /// Where it may lead, if that was said. For drawings and for checking.
    pub(crate) among: Option<Vec<String>>,
}

/// The way out of a node, or of the start.
pub(crate) struct Exits<S> {
    pub(crate) edges: Vec<usize>,
    /// Whether an edge leads to the end; it counts for drawings only.
    pub(crate) ends: bool,
    pub(crate) routes: Vec<Router<S>>,
    /// The joins that wait for this node.
    pub(crate) joins: Vec<usize>,
}

impl<S> Default for Exits<S> {
    fn default() -> Self {
        Self {
            edges: Vec::new(),
            ends: false,
            routes: Vec::new(),
            joins: Vec::new(),
        }
    }
}

/// A node with its way out.
pub(crate) struct Spec<S> {
    pub(crate) name: Arc<str>,
    pub(crate) node: Arc<dyn Node<S>>,
    pub(crate) options: Arc<NodeOptions>,
    pub(crate) exits: Exits<S>,
}

/// An edge that waits for several nodes.
pub(crate) struct Join {
    pub(crate) from: BTreeSet<usize>,
    pub(crate) to: usize,
}

/// All of it. Nodes are numbered in the order of their names, so that the order of numbers is
/// the order in which the updates of a step are applied.
pub(crate) struct Wiring<S> {
    pub(crate) nodes: Vec<Spec<S>>,
    pub(crate) numbers: BTreeMap<Arc<str>, usize>,
    pub(crate) start: Exits<S>,
    pub(crate) joins: Vec<Join>,
}

impl<S> Wiring<S> {
    /// A node by its number. Numbers come from this very wiring.
    pub(crate) fn spec(&self, number: usize) -> Result<&Spec<S>, Error> {
        self.nodes
            .get(number)
            .ok_or_else(|| Error::new(ErrorKind::Wiring, "a node's number is out of range"))
    }

    /// The way out of a node, or of the start.
    pub(crate) fn exits(&self, number: usize) -> Result<&Exits<S>, Error> {
        match number {
            FROM_START => Ok(&self.start),
            number => Ok(&self.spec(number)?.exits),
        }
    }

    pub(crate) fn name(&self, number: usize) -> &str {
        self.nodes.get(number).map_or("", |spec| &spec.name)
    }

    pub(crate) fn shared_name(&self, number: usize) -> Arc<str> {
        let spec = self.nodes.get(number);
        spec.map_or_else(|| "".into(), |spec| Arc::clone(&spec.name))
    }

    /// The names of what led to a task: nodes, or the start.
    pub(crate) fn origins(&self, triggers: &Triggers) -> Vec<Arc<str>> {
        let name = |number: usize| match self.nodes.get(number) {
            Some(spec) => Arc::clone(&spec.name),
            None => START.into(),
        };
        triggers.iter().map(name).collect()
    }

    /// The other way round, without nodes that the graph does not have any more.
    pub(crate) fn triggers(&self, names: &[Arc<str>]) -> Triggers {
        let number = |name: &Arc<str>| {
            let start = (&**name == START).then_some(FROM_START);
            start.or_else(|| self.numbers.get(name).copied())
        };
        names.iter().filter_map(number).collect()
    }

    /// The number of a node that `from` names.
    pub(crate) fn find(&self, node: &str, from: &str) -> Result<usize, Error> {
        self.numbers.get(node).copied().ok_or_else(|| {
            let known: Vec<&str> = self.numbers.keys().map(|name| &**name).collect();
            let known = known.join(", ");
            let message = format!("{from} goes to {node}, which is no node; the nodes are {known}");
            Error::new(ErrorKind::UnknownTarget, message).in_node(from)
        })
    }
}
