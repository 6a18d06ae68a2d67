//! What the check of a value costs, before it is made.
//!
//! Subschemas are applied wherever their keywords say, and a schema of a few lines can apply one
//! of them more often than could ever be carried out: by references that double at every step, or
//! by ones that do so at every level of the value. So the applications are counted first, without
//! making them.

use std::collections::BTreeMap;

use mcp_protocol::SchemaError;
use serde_json::Value;

use crate::Limits;
use crate::applicators::Place;
use crate::graph::{Graph, Node, order};

/// Bytes of text that count as one step of a pattern.
const BYTES_A_STEP: u64 = 32;
/// How often what lies in place is looked at where a schema looks again.
const LOOKS: u64 = 3;

/// What the checks by a schema cost.
#[derive(Debug)]
pub(crate) struct Cost {
    graph: Graph,
    /// Steps for each value at most and levels at most, where no subschema leads to itself.
    flat: Option<(u64, usize)>,
}

/// How often a subschema is applied to a value, and how many lie around it.
type Applied = BTreeMap<usize, (u64, usize)>;

/// What has been counted so far.
struct Tally<'a> {
    cost: &'a Cost,
    limits: &'a Limits,
    steps: u64,
}

impl Cost {
    pub(crate) fn new(graph: Graph) -> Self {
        let flat = graph.is_acyclic().then(|| flat(&graph)).flatten();
        Self { graph, flat }
    }

    /// Whether a value can be checked within the limits.
    pub(crate) fn admit(&self, value: &Value, limits: &Limits) -> Result<(), SchemaError> {
        let values = size(value, limits)?;
        if let Some((steps, nesting)) = self.flat
            && steps.saturating_mul(values) <= limits.steps
            && nesting <= limits.nesting
        {
            return Ok(());
        }
        let mut tally = Tally {
            cost: self,
            limits,
            steps: 0,
        };
        tally.count(value, Applied::from([(self.graph.root, (1, 1))]))
    }

    const fn looks(&self) -> u64 {
        if self.graph.looks_again { LOOKS } else { 1 }
    }
}

impl Tally<'_> {
    /// Counts the subschemas that are applied to a value, and to what is in it.
    fn count(&mut self, value: &Value, mut applied: Applied) -> Result<(), SchemaError> {
        let text = text(value);
        let mut below: Vec<(&Node, u64, usize)> = Vec::new();
        while let Some((index, (times, nesting))) = applied.pop_first() {
            let Some(node) = self.cost.graph.nodes.get(index) else {
                continue;
            };
            let own = node.own + node.patterns * (1 + text / BYTES_A_STEP);
            self.steps = self.steps.saturating_add(times.saturating_mul(own));
            if self.steps > self.limits.steps {
                return Err(too_long(self.limits));
            }
            if nesting > self.limits.nesting {
                return Err(too_nested(self.limits));
            }
            let looked_at = times.saturating_mul(self.cost.looks());
            for to in node.to(|place| matches!(place, Place::Here)) {
                add(&mut applied, to, looked_at, nesting + 1);
            }
            below.push((node, times, nesting));
        }
        match value {
            Value::Object(members) => members.iter().try_for_each(|(name, value)| {
                self.inside(value, &below, |place| match place {
                    Place::Member(member) => **member == **name,
                    Place::AnyMember => true,
                    Place::Here | Place::Item(_) | Place::AnyItem => false,
                })
            }),
            Value::Array(items) => items.iter().enumerate().try_for_each(|(index, value)| {
                self.inside(value, &below, |place| match place {
                    Place::Item(item) => *item == index,
                    Place::AnyItem => true,
                    Place::Here | Place::Member(_) | Place::AnyMember => false,
                })
            }),
            _ => Ok(()),
        }
    }

    fn inside(
        &mut self,
        value: &Value,
        around: &[(&Node, u64, usize)],
        is_here: impl Fn(&Place) -> bool,
    ) -> Result<(), SchemaError> {
        let mut applied = Applied::new();
        for (node, times, nesting) in around {
            for to in node.to(&is_here) {
                add(&mut applied, to, *times, nesting + 1);
            }
        }
        if applied.is_empty() {
            return Ok(());
        }
        self.count(value, applied)
    }
}

fn add(applied: &mut Applied, to: usize, times: u64, nesting: usize) {
    let (sum, deepest) = applied.entry(to).or_default();
    *sum = sum.saturating_add(times);
    *deepest = nesting.max(*deepest);
}

/// The most steps for one value and the most levels, whatever the value.
fn flat(graph: &Graph) -> Option<(u64, usize)> {
    let looks = if graph.looks_again { LOOKS } else { 1 };
    let mut all = vec![(0_u64, 0_usize); graph.nodes.len()];
    for index in order(&graph.nodes, |_| true)?.into_iter().rev() {
        let node = graph.nodes.get(index)?;
        let mut steps = node.own + node.patterns;
        let mut nesting = 0;
        for (_, to) in &node.edges {
            let (below, levels) = all.get(*to)?;
            steps = steps.saturating_add(below.saturating_mul(looks));
            nesting = nesting.max(*levels);
        }
        *all.get_mut(index)? = (steps, nesting + 1);
    }
    all.get(graph.root).copied()
}

/// How many values there are, with long texts as more than one.
fn size(value: &Value, limits: &Limits) -> Result<u64, SchemaError> {
    let mut size = 0_u64;
    let mut todo = vec![(value, 1)];
    while let Some((value, depth)) = todo.pop() {
        if depth > limits.value_depth {
            let what = format!("is nested more than {} levels deep", limits.value_depth);
            return Err(SchemaError::new("", what));
        }
        size += 1 + text(value) / BYTES_A_STEP;
        match value {
            Value::Object(members) => todo.extend(members.values().map(|v| (v, depth + 1))),
            Value::Array(items) => todo.extend(items.iter().map(|v| (v, depth + 1))),
            _ => {}
        }
    }
    Ok(size)
}

/// The bytes of text that patterns may be matched against.
fn text(value: &Value) -> u64 {
    match value {
        Value::String(text) => text.len() as u64,
        // A name is some steps' worth of text by itself.
        Value::Object(members) => members
            .keys()
            .map(|name| name.len() as u64 + BYTES_A_STEP)
            .sum(),
        _ => 0,
    }
}

fn too_long(limits: &Limits) -> SchemaError {
    let what = format!("would take more than {} steps to check", limits.steps);
    SchemaError::new("", what)
}

fn too_nested(limits: &Limits) -> SchemaError {
    let what = format!("would need more than {} subschemas at once", limits.nesting);
    SchemaError::new("", what)
}
