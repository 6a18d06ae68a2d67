//! Which tasks come next: from the state and the tasks that have finished. No I/O, no clock.
//!
//! Rules, in short. A node that has finished leads along its edges, its conditional edges and
//! what its tasks said with `goto`. A node is planned once however many edges lead to it; a
//! `Send` plans a task each. Sends come first, in the order in which they were made, then nodes
//! by name. An edge from several nodes fires when all of them have finished since it last
//! fired. A deferred node waits until nothing else is planned.

use std::collections::BTreeSet;

use mcp_interceptors::Goto;
use serde_json::Value;

use super::goto::{END, START};
use super::wiring::{Exits, Router, Wiring};
use crate::checkpoint::Waiting;
use crate::{Error, ErrorKind};

/// A task to be run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Next {
    pub(crate) node: usize,
    pub(crate) payload: Option<Value>,
}

/// A task that has finished.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finished<'a> {
    pub(crate) node: usize,
    pub(crate) goto: &'a [Goto],
}

/// What outlives a step: half-filled joins, and deferred nodes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    arrived: Vec<BTreeSet<usize>>,
    deferred: BTreeSet<usize>,
}

/// The next step as it is put together.
#[derive(Default)]
struct Draft {
    sends: Vec<Next>,
    /// In order, each once.
    nodes: Vec<usize>,
}

/// What decides about the way on.
struct Way<'a, S> {
    wiring: &'a Wiring<S>,
    state: &'a S,
}

impl Plan {
    /// The first tasks, from the edges of the start.
    pub(crate) fn start<S>(wiring: &Wiring<S>, state: &S) -> Result<(Self, Vec<Next>), Error> {
        let mut plan = Self {
            arrived: vec![BTreeSet::new(); wiring.joins.len()],
            deferred: BTreeSet::new(),
        };
        let mut draft = Draft::default();
        plan.follow(Way { wiring, state }, &wiring.start, START, &mut draft)?;
        let tasks = plan.finish(draft);
        Ok((plan, tasks))
    }

    /// The tasks after these have finished, given in task order, and the state with their
    /// updates.
    pub(crate) fn advance<S>(
        &mut self,
        wiring: &Wiring<S>,
        state: &S,
        finished: &[Finished<'_>],
    ) -> Result<Vec<Next>, Error> {
        let mut draft = Draft::default();
        for task in finished {
            for goto in task.goto {
                self.go(wiring, goto, wiring.name(task.node), &mut draft)?;
            }
        }
        let mut seen = BTreeSet::new();
        for task in finished.iter().filter(|task| seen.insert(task.node)) {
            let spec = wiring.spec(task.node)?;
            let mut gotos = finished
                .iter()
                .filter(|other| other.node == task.node)
                .map(|other| other.goto);
            let replaced = if spec.options.goto_replaces_edges {
                gotos.any(|goto| !goto.is_empty())
            } else {
                gotos.all(|goto| goto.iter().any(|goto| target(goto) == END))
            };
            if !replaced {
                self.follow(Way { wiring, state }, &spec.exits, &spec.name, &mut draft)?;
                self.arrive(task.node, &spec.exits.joins);
            }
        }
        self.fire_joins(wiring, &mut draft);
        Ok(self.finish(draft))
    }

    fn follow<S>(
        &mut self,
        Way { wiring, state }: Way<'_, S>,
        exits: &Exits<S>,
        from: &str,
        draft: &mut Draft,
    ) -> Result<(), Error> {
        for &node in &exits.edges {
            self.node(wiring, node, draft);
        }
        for route in &exits.routes {
            for goto in (route.decide)(state).0 {
                check_among(route, &goto, from)?;
                self.go(wiring, &goto, from, draft)?;
            }
        }
        Ok(())
    }

    fn go<S>(
        &mut self,
        wiring: &Wiring<S>,
        goto: &Goto,
        from: &str,
        draft: &mut Draft,
    ) -> Result<(), Error> {
        let name = target(goto);
        if name == END {
            return Ok(());
        }
        let node = wiring.find(name, from)?;
        if let Goto::Send { input, .. } = goto {
            let payload = Some(input.clone());
            draft.sends.push(Next { node, payload });
        } else {
            self.node(wiring, node, draft);
        }
        Ok(())
    }

    fn node<S>(&mut self, wiring: &Wiring<S>, node: usize, draft: &mut Draft) {
        let deferred = wiring
            .nodes
            .get(node)
            .is_some_and(|spec| spec.options.defer);
        if deferred {
            self.deferred.insert(node);
        } else if let Err(at) = draft.nodes.binary_search(&node) {
            draft.nodes.insert(at, node);
        }
    }

    fn arrive(&mut self, node: usize, joins: &[usize]) {
        for &join in joins {
            if let Some(arrived) = self.arrived.get_mut(join) {
                arrived.insert(node);
            }
        }
    }

    fn fire_joins<S>(&mut self, wiring: &Wiring<S>, draft: &mut Draft) {
        for index in 0..wiring.joins.len() {
            let (Some(join), Some(arrived)) =
                (wiring.joins.get(index), self.arrived.get_mut(index))
            else {
                continue;
            };
            if arrived.len() == join.from.len() {
                arrived.clear();
                self.node(wiring, join.to, draft);
            }
        }
    }

    fn finish(&mut self, draft: Draft) -> Vec<Next> {
        let nodes = if draft.sends.is_empty() && draft.nodes.is_empty() {
            std::mem::take(&mut self.deferred).into_iter().collect()
        } else {
            draft.nodes
        };
        let by_name = nodes.into_iter().map(|node| Next {
            node,
            payload: None,
        });
        draft.sends.into_iter().chain(by_name).collect()
    }

    /// What a checkpoint keeps of it.
    pub(crate) fn waiting<S>(&self, wiring: &Wiring<S>) -> Waiting {
        let named = |nodes: &BTreeSet<usize>| -> Vec<String> {
            let names = nodes.iter().map(|&node| wiring.name(node).to_owned());
            names.collect()
        };
        let joins = wiring.joins.iter().zip(&self.arrived);
        Waiting {
            joins: joins
                .filter(|(_, arrived)| !arrived.is_empty())
                .map(|(join, arrived)| (wiring.name(join.to).to_owned(), named(arrived)))
                .collect(),
            deferred: named(&self.deferred),
            parent: Vec::new(),
        }
    }

    /// The other way round. What no longer fits the graph is an error.
    pub(crate) fn restore<S>(wiring: &Wiring<S>, waiting: &Waiting) -> Result<Self, Error> {
        let number = |name: &String| wiring.find(name, "the checkpoint");
        let mut arrived = vec![BTreeSet::new(); wiring.joins.len()];
        for (target, names) in &waiting.joins {
            let nodes: BTreeSet<usize> = names.iter().map(number).collect::<Result<_, _>>()?;
            let fits = |join: &super::wiring::Join| {
                wiring.name(join.to) == target && nodes.is_subset(&join.from)
            };
            if let Some(slot) = wiring
                .joins
                .iter()
                .position(fits)
                .and_then(|index| arrived.get_mut(index))
            {
                *slot = nodes;
            }
        }
        let deferred = waiting
            .deferred
            .iter()
            .map(number)
            .collect::<Result<_, _>>()?;
        Ok(Self { arrived, deferred })
    }
}

fn check_among<S>(route: &Router<S>, goto: &Goto, from: &str) -> Result<(), Error> {
    let name = target(goto);
    let Some(among) = &route.among else {
        return Ok(());
    };
    if among.iter().any(|known| known == name) {
        return Ok(());
    }
    let among = among.join(", ");
    let message = format!("the edge from {from} leads to {name}; it was declared for {among}");
    Err(Error::new(ErrorKind::UnknownTarget, message).in_node(from))
}

/// The name of the node that a goto leads to.
fn target(goto: &Goto) -> &str {
    match goto {
        Goto::Node(node) | Goto::Send { node, .. } => node,
        _ => END,
    }
}
