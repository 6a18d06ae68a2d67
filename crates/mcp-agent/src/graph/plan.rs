//! Which tasks come next: from the tasks that have finished and what conditional edges have
//! decided. No I/O, no clock.
//!
//! Rules, in short. A node that has finished leads along its edges, its conditional edges and
//! what its tasks said with `goto`. A node is planned once however many edges lead to it; a
//! `Send` plans a task each. Sends come first, in the order in which they were made, then nodes
//! by name. An edge from several nodes fires when all of them have finished since it last
//! fired. A deferred node waits until nothing else is planned.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use mcp_interceptors::Goto;
use serde_json::Value;

use super::decide::Decided;
use super::goto::{END, START};
use super::wiring::{FROM_START, Router, Wiring};
use crate::checkpoint::Waiting;
use crate::{Error, ErrorKind};

/// A task to be run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Next {
    pub(crate) node: usize,
    pub(crate) payload: Option<Value>,
    /// A time limit of its own.
    pub(crate) timeout: Option<Duration>,
    pub(crate) triggers: Triggers,
}

/// The nodes that led to a task, each once, or the start. Mostly it is one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Triggers {
    first: Option<usize>,
    more: Vec<usize>,
}

impl Triggers {
    pub(crate) fn add(&mut self, from: usize) {
        if self.iter().any(|known| known == from) {
            return;
        }
        match self.first {
            None => self.first = Some(from),
            Some(_) => self.more.push(from),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> {
        self.first.into_iter().chain(self.more.iter().copied())
    }
}

impl FromIterator<usize> for Triggers {
    fn from_iter<I: IntoIterator<Item = usize>>(nodes: I) -> Self {
        let mut triggers = Self::default();
        nodes.into_iter().for_each(|node| triggers.add(node));
        triggers
    }
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
    deferred: BTreeMap<usize, Triggers>,
}

/// The next step as it is put together.
#[derive(Default)]
struct Draft {
    sends: Vec<Next>,
    /// In order, each once.
    nodes: Vec<Next>,
}

/// Where a way begins.
#[derive(Clone, Copy)]
struct Origin<'a> {
    node: usize,
    name: &'a str,
}

impl Next {
    fn planned((node, triggers): (usize, Triggers)) -> Self {
        Self {
            node,
            payload: None,
            timeout: None,
            triggers,
        }
    }
}

impl Draft {
    /// Plans a node, if it is not planned yet. What led to it is to be told.
    fn triggers_of(&mut self, node: usize) -> Option<&mut Triggers> {
        let found = self.nodes.binary_search_by_key(&node, |next| next.node);
        let at = found.unwrap_or_else(|at| {
            let next = Next::planned((node, Triggers::default()));
            self.nodes.insert(at, next);
            at
        });
        self.nodes.get_mut(at).map(|next| &mut next.triggers)
    }
}

impl Plan {
    /// The first tasks, from the edges of the start.
    pub(crate) fn start<S>(
        wiring: &Wiring<S>,
        decided: Vec<Decided>,
    ) -> Result<(Self, Vec<Next>), Error> {
        let mut plan = Self {
            arrived: vec![BTreeSet::new(); wiring.joins.len()],
            deferred: BTreeMap::new(),
        };
        let mut draft = Draft::default();
        for decided in decided {
            plan.follow(wiring, decided, &mut draft)?;
        }
        let tasks = plan.finish(draft);
        Ok((plan, tasks))
    }

    /// The tasks after these have finished, given in task order, and the conditional edges of
    /// those that lead on have decided.
    pub(crate) fn advance<S>(
        &mut self,
        wiring: &Wiring<S>,
        finished: &[Finished<'_>],
        decided: Vec<Decided>,
    ) -> Result<Vec<Next>, Error> {
        let mut draft = Draft::default();
        for task in finished {
            let node = task.node;
            let name = wiring.name(node);
            for goto in task.goto {
                self.go(wiring, goto, Origin { node, name }, &mut draft)?;
            }
        }
        for decided in decided {
            let node = decided.node;
            self.follow(wiring, decided, &mut draft)?;
            self.arrive(node, &wiring.exits(node)?.joins);
        }
        self.fire_joins(wiring, &mut draft);
        Ok(self.finish(draft))
    }

    /// Goes along the edges of a node.
    fn follow<S>(
        &mut self,
        wiring: &Wiring<S>,
        Decided { node, targets }: Decided,
        draft: &mut Draft,
    ) -> Result<(), Error> {
        let exits = wiring.exits(node)?;
        let name = match node {
            FROM_START => START,
            node => wiring.name(node),
        };
        for &to in &exits.edges {
            self.node(wiring, to, node, draft);
        }
        for (route, targets) in exits.routes.iter().zip(targets) {
            for goto in targets.0 {
                check_among(route, &goto, name)?;
                self.go(wiring, &goto, Origin { node, name }, draft)?;
            }
        }
        Ok(())
    }

    fn go<S>(
        &mut self,
        wiring: &Wiring<S>,
        goto: &Goto,
        from: Origin<'_>,
        draft: &mut Draft,
    ) -> Result<(), Error> {
        let name = target(goto);
        if name == END {
            return Ok(());
        }
        let node = wiring.find(name, from.name)?;
        if let Goto::Send { input, timeout, .. } = goto {
            draft.sends.push(Next {
                node,
                payload: Some(input.clone()),
                timeout: *timeout,
                triggers: [from.node].into_iter().collect(),
            });
        } else {
            self.node(wiring, node, from.node, draft);
        }
        Ok(())
    }

    fn node<S>(&mut self, wiring: &Wiring<S>, node: usize, from: usize, draft: &mut Draft) {
        let deferred = wiring
            .nodes
            .get(node)
            .is_some_and(|spec| spec.options.defer);
        let triggers = if deferred {
            Some(self.deferred.entry(node).or_default())
        } else {
            draft.triggers_of(node)
        };
        if let Some(triggers) = triggers {
            triggers.add(from);
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
                let mut lead = |&from: &usize| self.node(wiring, join.to, from, draft);
                join.from.iter().for_each(&mut lead);
            }
        }
    }

    fn finish(&mut self, mut draft: Draft) -> Vec<Next> {
        if draft.sends.is_empty() && draft.nodes.is_empty() {
            let deferred = std::mem::take(&mut self.deferred).into_iter();
            draft.nodes = deferred.map(Next::planned).collect();
        }
        draft.sends.extend(draft.nodes);
        draft.sends
    }

    /// What a checkpoint keeps of it.
    pub(crate) fn waiting<S>(&self, wiring: &Wiring<S>) -> Waiting {
        let name = |&node: &usize| wiring.name(node).to_owned();
        let named = |nodes: &BTreeSet<usize>| -> Vec<String> { nodes.iter().map(name).collect() };
        let joins = wiring.joins.iter().zip(&self.arrived);
        Waiting {
            joins: joins
                .filter(|(_, arrived)| !arrived.is_empty())
                .map(|(join, arrived)| (wiring.name(join.to).to_owned(), named(arrived)))
                .collect(),
            deferred: self.deferred.keys().map(name).collect(),
            deferred_by: self
                .deferred
                .values()
                .map(|triggers| wiring.origins(triggers))
                .collect(),
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
        let nobody = Vec::new();
        let deferred = waiting
            .deferred
            .iter()
            .zip(waiting.deferred_by.iter().chain(std::iter::repeat(&nobody)))
            .map(|(name, by)| Ok((number(name)?, wiring.triggers(by))))
            .collect::<Result<_, Error>>()?;
        Ok(Self { arrived, deferred })
    }
}

/// The nodes whose edges are followed when these tasks have finished, each once: those whose
/// tasks have not said otherwise.
pub(crate) fn leading_on<S>(
    wiring: &Wiring<S>,
    finished: &[Finished<'_>],
) -> Result<Vec<usize>, Error> {
    let mut nodes = Vec::with_capacity(finished.len());
    let mut seen = BTreeSet::new();
    for task in finished.iter().filter(|task| seen.insert(task.node)) {
        let mut gotos = finished
            .iter()
            .filter(|other| other.node == task.node)
            .map(|other| other.goto);
        let replaced = if wiring.spec(task.node)?.options.goto_replaces_edges {
            gotos.any(|goto| !goto.is_empty())
        } else {
            gotos.all(|goto| goto.iter().any(|goto| target(goto) == END))
        };
        if !replaced {
            nodes.push(task.node);
        }
    }
    Ok(nodes)
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
