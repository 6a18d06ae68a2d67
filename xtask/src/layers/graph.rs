//! What a package is built on, directly or not.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use crate::workspace::{list, text};

/// The packages that cargo has resolved, by id.
pub(super) struct Graph<'a> {
    /// What each is named; a dependent may have it under another name.
    names: HashMap<&'a str, &'a str>,
    /// What each needs to run, tests and build scripts aside.
    needs: HashMap<&'a str, Vec<&'a str>>,
}

impl<'a> Graph<'a> {
    pub(super) fn new(metadata: &'a Value) -> Self {
        let names = list(metadata, "packages").map(|p| (text(p, "id"), text(p, "name")));
        let nodes = metadata.get("resolve").into_iter();
        let needs = nodes
            .flat_map(|resolve| list(resolve, "nodes"))
            .map(|node| {
                let normal =
                    |dep: &&Value| list(dep, "dep_kinds").any(|d| text(d, "kind").is_empty());
                let deps = list(node, "deps").filter(normal).map(|d| text(d, "pkg"));
                (text(node, "id"), deps.collect())
            });
        Self {
            names: names.collect(),
            needs: needs.collect(),
        }
    }

    /// The names of all packages below this one.
    pub(super) fn below(&self, id: &'a str) -> BTreeSet<&'a str> {
        let mut seen = BTreeSet::new();
        let mut todo = vec![id];
        while let Some(id) = todo.pop() {
            let needs = self.needs.get(id).into_iter().flatten();
            todo.extend(needs.filter(|need| seen.insert(**need)));
        }
        seen.iter()
            .filter_map(|id| self.names.get(id).copied())
            .collect()
    }
}
