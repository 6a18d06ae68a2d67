//! Which subschema leads to which: what a check will go through.

use std::collections::HashMap;

use mcp_protocol::SchemaError;
use serde_json::Value;

use crate::Limits;
use crate::applicators::{Place, subschemas};
use crate::dialect;
use crate::scan::{Scan, more};

/// The subschemas that can be reached from a schema.
///
/// Each stands behind those that lead to it [here](Place::Here).
#[derive(Debug, Default)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
    /// The schema itself.
    pub(crate) root: usize,
    /// A schema with `unevaluated...` looks at what lies in place more than once.
    pub(crate) looks_again: bool,
}

/// A subschema.
#[derive(Debug, Default)]
pub(crate) struct Node {
    pub(crate) edges: Vec<(Place, usize)>,
    /// Steps that its own keywords take.
    pub(crate) own: u64,
    /// Its regular expressions.
    pub(crate) patterns: u64,
}

impl Node {
    /// Where the edges for some places lead to.
    pub(crate) fn to(&self, place: impl Fn(&Place) -> bool) -> impl Iterator<Item = usize> {
        let edges = self.edges.iter().filter(move |(at, _)| place(at));
        edges.map(|(_, to)| *to)
    }
}

/// A graph in the making.
struct Builder<'a> {
    schema: &'a Value,
    scan: &'a Scan<'a>,
    graph: Graph,
    /// By the address of the subschema.
    known: HashMap<*const Value, usize>,
    /// Subschemas whose edges are missing.
    todo: Vec<(usize, &'a Value)>,
}

impl Graph {
    pub(crate) fn new<'a>(
        schema: &'a Value,
        scan: &'a Scan<'a>,
        limits: &Limits,
    ) -> Result<Self, SchemaError> {
        let mut builder = Builder {
            schema,
            scan,
            graph: Self::default(),
            known: HashMap::new(),
            todo: Vec::new(),
        };
        builder.node(schema);
        let mut patterns = 0;
        while let Some((index, schema)) = builder.todo.pop() {
            let node = builder.read(schema)?;
            patterns += node.patterns;
            if patterns > limits.patterns as u64 {
                return Err(more("has", limits.patterns, "patterns"));
            }
            if let Some(place) = builder.graph.nodes.get_mut(index) {
                *place = node;
            }
        }
        builder.graph.sorted()
    }

    /// Whether no subschema leads to itself.
    pub(crate) fn is_acyclic(&self) -> bool {
        order(&self.nodes, |_| true).is_some()
    }

    /// Brings the subschemas into an order in which those in place lead forward only.
    fn sorted(mut self) -> Result<Self, SchemaError> {
        let here = |place: &Place| matches!(place, Place::Here);
        let order = order(&self.nodes, here).ok_or_else(|| {
            SchemaError::new(
                "",
                "the schema refers to itself without end for the same value",
            )
        })?;
        let mut place_of = vec![0; order.len()];
        for (new, old) in order.iter().enumerate() {
            if let Some(place) = place_of.get_mut(*old) {
                *place = new;
            }
        }
        let mut nodes = std::mem::take(&mut self.nodes);
        for old in order {
            let mut node = nodes.get_mut(old).map(std::mem::take).unwrap_or_default();
            for (_, to) in &mut node.edges {
                *to = place_of.get(*to).copied().unwrap_or_default();
            }
            self.nodes.push(node);
        }
        self.root = place_of.first().copied().unwrap_or_default();
        Ok(self)
    }
}

/// An order in which edges lead forward only; none if there is a circle.
pub(crate) fn order(nodes: &[Node], follow: impl Fn(&Place) -> bool) -> Option<Vec<usize>> {
    let mut before = vec![0_usize; nodes.len()];
    for to in nodes.iter().flat_map(|node| node.to(&follow)) {
        *before.get_mut(to)? += 1;
    }
    let mut ready: Vec<usize> = (0..nodes.len()).collect();
    ready.retain(|index| before.get(*index) == Some(&0));
    let mut order = Vec::with_capacity(nodes.len());
    while let Some(index) = ready.pop() {
        order.push(index);
        for to in nodes.get(index)?.to(&follow) {
            let left = before.get_mut(to)?;
            *left -= 1;
            if *left == 0 {
                ready.push(to);
            }
        }
    }
    (order.len() == nodes.len()).then_some(order)
}

impl<'a> Builder<'a> {
    /// The index of a subschema, new or not.
    fn node(&mut self, schema: &'a Value) -> usize {
        let index = self.graph.nodes.len();
        let index = *self
            .known
            .entry(std::ptr::from_ref(schema))
            .or_insert(index);
        if index == self.graph.nodes.len() {
            self.graph.nodes.push(Node::default());
            self.todo.push((index, schema));
        }
        index
    }

    fn read(&mut self, schema: &'a Value) -> Result<Node, SchemaError> {
        let mut node = Node {
            own: 1,
            ..Node::default()
        };
        let Some(members) = schema.as_object() else {
            return Ok(node);
        };
        if let Some(name) = members.get("$schema").and_then(Value::as_str) {
            dialect::named(name).ok_or_else(|| unknown_dialect(name))?;
        }
        for (keyword, value) in members {
            self.read_keyword(keyword, value, &mut node)?;
        }
        Ok(node)
    }

    fn read_keyword(
        &mut self,
        keyword: &str,
        value: &'a Value,
        node: &mut Node,
    ) -> Result<(), SchemaError> {
        for (place, subschema) in subschemas(keyword, value) {
            let to = self.node(subschema);
            node.edges.push((place, to));
        }
        match keyword {
            "$ref" | "$dynamicRef" | "$recursiveRef" => {
                for target in self.targets(value)? {
                    let to = self.node(target);
                    node.edges.push((Place::Here, to));
                }
            }
            "pattern" => node.patterns += 1,
            "patternProperties" => {
                node.patterns += value.as_object().map_or(0, |all| all.len() as u64);
            }
            "enum" | "const" | "required" | "dependentRequired" => node.own += values(value),
            "unevaluatedProperties" | "unevaluatedItems" => self.graph.looks_again = true,
            _ => {}
        }
        Ok(())
    }

    /// What a reference may lead to.
    ///
    /// Which of the resources in a schema it is relative to is left to whoever compiles the
    /// schema; here it may be any.
    fn targets(&self, reference: &Value) -> Result<Vec<&'a Value>, SchemaError> {
        let Some(reference) = reference.as_str() else {
            return Ok(Vec::new());
        };
        let (base, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let outside = base.contains("json-schema.org/") || self.scan.resources.is_empty();
        if !base.is_empty() && outside {
            let what = format!(
                "the reference {reference} leads out of the schema, and nothing is ever fetched"
            );
            return Err(SchemaError::new("", what));
        }
        let mut targets: Vec<&Value> = Vec::new();
        if fragment.is_empty() || fragment.starts_with('/') {
            let pointer = decoded(fragment);
            let roots = std::iter::once(&self.schema).chain(&self.scan.resources);
            targets.extend(roots.filter_map(|root| root.pointer(&pointer)));
        }
        let anchors = self.scan.anchors.iter();
        targets.extend(
            anchors
                .filter(|(name, _)| *name == fragment)
                .map(|(_, to)| *to),
        );
        targets.sort_by_key(|target| std::ptr::from_ref(*target));
        targets.dedup_by_key(|target| std::ptr::from_ref(*target));
        Ok(targets)
    }
}

fn unknown_dialect(name: &str) -> SchemaError {
    SchemaError::new(
        "",
        format!("a part of the schema is of the unknown dialect {name}"),
    )
}

/// How many values there are in a value.
fn values(value: &Value) -> u64 {
    match value {
        Value::Object(members) => 1 + members.values().map(values).sum::<u64>(),
        Value::Array(items) => 1 + items.iter().map(values).sum::<u64>(),
        _ => 1,
    }
}

/// A JSON Pointer from the fragment of a URI.
fn decoded(fragment: &str) -> String {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let hex = tail.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        let byte = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match byte {
            Some(byte) if first == b'%' => {
                bytes.push(byte);
                rest = tail.get(2..).unwrap_or_default();
            }
            _ => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
