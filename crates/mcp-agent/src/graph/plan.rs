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
use super::goto::{END, START, Targets};
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

/// A task that has finished, and what it has said about the way on.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) node: usize,
    pub(crate) goto: Vec<Goto>,
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
        decided: Decided,
    ) -> Result<(Self, Vec<Next>), Error> {
        let mut plan = Self {
            arrived: vec![BTreeSet::new(); wiring.joins.len()],
            deferred: BTreeMap::new(),
        };
        let mut draft = Draft::default();
        plan.lead_on(wiring, decided, &mut draft)?;
        let tasks = plan.finish(draft);
        Ok((plan, tasks))
    }

    /// The tasks after these have finished, given in task order, and the conditional edges of
    /// those that lead on have decided.
    pub(crate) fn advance<S>(
        &mut self,
        wiring: &Wiring<S>,
        finished: Vec<Finished>,
        decided: Decided,
    ) -> Result<Vec<Next>, Error> {
        let mut draft = Draft::default();
        for Finished { node, goto } in finished {
            let name = wiring.name(node);
            for goto in goto {
                self.go(wiring, goto, Origin { node, name }, &mut draft)?;
            }
        }
        self.lead_on(wiring, decided, &mut draft)?;
        self.fire_joins(wiring, &mut draft);
        Ok(self.finish(draft))
    }

    /// Goes along the edges of the nodes that lead on.
    fn lead_on<S>(
        &mut self,
        wiring: &Wiring<S>,
        Decided { nodes, targets }: Decided,
        draft: &mut Draft,
    ) -> Result<(), Error> {
        let mut targets = targets.into_iter();
        for node in nodes {
            self.follow(wiring, node, &mut targets, draft)?;
            self.arrive(node, &wiring.exits(node)?.joins);
        }
        Ok(())
    }

    /// Goes along the edges of a node; each of its conditional edges takes what it has decided.
    fn follow<S>(
        &mut self,
        wiring: &Wiring<S>,
        node: usize,
        decided: &mut impl Iterator<Item = Targets>,
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
        let each = |(route, to): (_, Targets)| to.into_iter().map(move |goto| (route, goto));
        for (route, goto) in exits.routes.iter().zip(decided).flat_map(each) {
            check_among(route, &goto, name)?;
            self.go(wiring, goto, Origin { node, name }, draft)?;
        }
        Ok(())
    }

    fn go<S>(
        &mut self,
        wiring: &Wiring<S>,
        goto: Goto,
        from: Origin<'_>,
        draft: &mut Draft,
    ) -> Result<(), Error> {
        let name = target(&goto);
        if name == END {
            return Ok(());
        }
        let node = wiring.find(name, from.name)?;
        if let Goto::Send { input, timeout, .. } = goto {
            draft.sends.push(Next {
                node,
                payload: Some(input),
                timeout,
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
        if draft.sends.is_empty() {
            return draft.nodes;
        }
        draft.sends.append(&mut draft.nodes);
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
pub(super) fn target(goto: &Goto) -> &str {
    match goto {
        Goto::Node(node) | Goto::Send { node, .. } => node,
        _ => END,
    }
}
