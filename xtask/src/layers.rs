//! Layers: an edge goes only down, and the lowest crates do no I/O.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use anyhow::Result;
use serde_json::Value;
use xshell::Shell;

use crate::workspace::{list, metadata, text, verdict};

/// Crates that a sans-IO crate must not have anywhere below it.
const IO: [&str; 6] = ["tokio", "mio", "hyper", "socket2", "reqwest", "async-std"];
/// The only crate that may have feature switches, and the one switch that another may have.
const FEATURES: [(&str, &str); 2] = [("mcp", "*"), ("mcp-transport-http", "tls")];

pub(crate) fn run(sh: &Shell) -> Result<()> {
    let metadata = metadata(sh, true)?;
    let members: BTreeSet<&str> = list(&metadata, "workspace_members")
        .filter_map(Value::as_str)
        .collect();
    let ours: BTreeMap<&str, &Value> = list(&metadata, "packages")
        .filter(|p| members.contains(text(p, "id")))
        .map(|p| (text(p, "name"), p))
        .collect();
    let graph = normal_graph(&metadata);

    let mut problems = Vec::new();
    for (name, package) in &ours {
        problems.extend(edges(name, package, &ours));
        problems.extend(features(name, package));
        problems.extend(manifest(sh, name, package));
        if package.pointer("/metadata/mcp/io") == Some(&Value::Bool(false)) {
            let below = reachable(&graph, text(package, "id"));
            let found = IO.iter().filter(|io| below.contains(*io));
            problems.extend(found.map(|io| format!("{name} does no I/O but has {io} below it")));
        }
    }
    verdict(
        &problems,
        &format!("layers: {} crates, every edge goes down", ours.len()),
    )
}

fn layer(package: &Value) -> Option<u64> {
    package.pointer("/metadata/mcp/layer")?.as_u64()
}

fn edges(name: &str, package: &Value, ours: &BTreeMap<&str, &Value>) -> Vec<String> {
    let Some(own) = layer(package) else {
        return vec![format!("{name} has no [package.metadata.mcp] layer")];
    };
    list(package, "dependencies")
        // A test may reach up; what is published may not.
        .filter(|d| text(d, "kind") != "dev")
        .filter_map(|d| Some((text(d, "name"), layer(ours.get(text(d, "name"))?)?)))
        .filter(|(_, below)| *below >= own)
        .map(|(dep, below)| format!("{name} (layer {own}) depends on {dep} (layer {below})"))
        .collect()
}

fn features(name: &str, package: &Value) -> Vec<String> {
    let allowed = |feature: &str| {
        FEATURES.iter().any(|(krate, prefix)| {
            *krate == name && (*prefix == "*" || feature.starts_with(prefix))
        })
    };
    package
        .get("features")
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(|features| features.keys())
        .filter(|feature| *feature != "default" && !allowed(feature))
        .map(|feature| format!("{name} has the optional feature {feature}"))
        .collect()
}

fn manifest(sh: &Shell, name: &str, package: &Value) -> Option<String> {
    let manifest = sh.read_file(text(package, "manifest_path")).ok()?;
    // A crate that needs one file of unsafe code repeats the table and says why.
    let own_lints = manifest.contains("[lints.rust]") && manifest.contains("# unsafe:");
    let ok = manifest.contains("[lints]\nworkspace = true") || own_lints;
    (!ok).then(|| format!("{name} does not take the lints of the workspace"))
}

type Graph<'a> = HashMap<&'a str, Vec<(&'a str, &'a str)>>;

/// Package id -> (id, name) of its normal dependencies.
fn normal_graph(metadata: &Value) -> Graph<'_> {
    metadata
        .get("resolve")
        .into_iter()
        .flat_map(|resolve| list(resolve, "nodes"))
        .map(|node| {
            let deps = list(node, "deps")
                .filter(|d| list(d, "dep_kinds").any(|kind| text(kind, "kind").is_empty()))
                .map(|d| (text(d, "pkg"), text(d, "name")))
                .collect();
            (text(node, "id"), deps)
        })
        .collect()
}

fn reachable<'a>(graph: &Graph<'a>, from: &'a str) -> BTreeSet<&'a str> {
    let mut names = BTreeSet::new();
    let mut seen = BTreeSet::from([from]);
    let mut todo = vec![from];
    while let Some(id) = todo.pop() {
        for (id, name) in graph.get(id).into_iter().flatten() {
            names.insert(*name);
            if seen.insert(id) {
                todo.push(id);
            }
        }
    }
    names
}
