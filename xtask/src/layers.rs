//! Layers: an edge goes only down, the lowest crates do no I/O, and the pages say the same.

mod graph;
mod pages;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use anyhow::Result;
use serde_json::Value;
use xshell::Shell;

use crate::workspace::{list, members, metadata, text, verdict};
use graph::Graph;
use pages::Page;

/// What a crate that does no I/O must not have anywhere below it.
const IO: [&str; 9] = [
    "tokio",
    "mio",
    "hyper",
    "socket2",
    "reqwest",
    "async-io",
    "async-std",
    "smol",
    "futures-executor",
];
/// What the two lowest levels must not have either: who calls the system itself goes through one
/// of these.
const SYSTEM: [&str; 4] = ["libc", "rustix", "windows-sys", "windows"];
const LOWEST: u64 = 1;
/// Who must not have what below it, though the levels would allow it.
const NEVER: [(&str, &str); 5] = [
    ("mcp-agent", "mcp-transport"),
    ("mcp-client", "mcp-transport-stdio"),
    ("mcp-client", "mcp-transport-http"),
    ("mcp-server", "mcp-transport-stdio"),
    ("mcp-server", "mcp-transport-http"),
];

/// Who may have feature switches, and how their names begin.
const FEATURES: [(&str, &str); 3] = [
    ("mcp", ""),
    ("mcp-interceptors", "tower"),
    ("mcp-transport-http", "tls"),
];

pub(crate) fn run(sh: &Shell) -> Result<()> {
    let metadata = metadata(sh, true)?;
    let ours = members(&metadata);
    let mut problems = problems(&metadata, &ours);
    for package in ours.values() {
        problems.extend(lints(
            text(package, "name"),
            &sh.read_file(text(package, "manifest_path"))?,
        ));
    }
    for page in Page::ALL {
        problems.extend(page.check(&sh.read_file(page.path)?, &ours));
    }
    verdict(
        &problems,
        &format!("layers: {} crates, every edge goes down", ours.len()),
    )
}

/// Name -> package, of the members of the workspace.
type Ours<'a> = BTreeMap<&'a str, &'a Value>;

fn problems(metadata: &Value, ours: &Ours<'_>) -> Vec<String> {
    let graph = Graph::new(metadata);
    ours.iter()
        .flat_map(|(name, package)| {
            let below = graph.below(text(package, "id"));
            let banned = banned(name, package).filter(|other| below.contains(other));
            banned
                .map(|other| format!("{name} must not have {other} below it"))
                .chain(edges(name, package, ours))
                .chain(io(name, package))
                .chain(features(name, package))
                .collect::<Vec<_>>()
        })
        .collect()
}

fn layer(package: &Value) -> Option<u64> {
    package.pointer("/metadata/mcp/layer")?.as_u64()
}

fn does_no_io(package: &Value) -> bool {
    package.pointer("/metadata/mcp/io") == Some(&Value::Bool(false))
}

fn is_lowest(package: &Value) -> bool {
    layer(package).is_some_and(|layer| layer <= LOWEST)
}

fn banned(name: &str, package: &Value) -> impl Iterator<Item = &'static str> {
    let io: &[&str] = if does_no_io(package) { &IO } else { &[] };
    let system: &[&str] = if is_lowest(package) { &SYSTEM } else { &[] };
    let never = NEVER.iter().filter(move |(who, _)| *who == name);
    io.iter()
        .chain(system)
        .copied()
        .chain(never.map(|(_, what)| *what))
}

fn io(name: &str, package: &Value) -> Option<String> {
    let wrong = is_lowest(package) && !does_no_io(package);
    wrong.then(|| format!("{name} is on a level without I/O but does not say io = false"))
}

/// Names of ours that a package depends on. A test may reach up; what is published may not.
fn dependencies(package: &Value) -> impl Iterator<Item = &str> {
    list(package, "dependencies")
        .filter(|d| text(d, "kind") != "dev")
        .map(|d| text(d, "name"))
}

fn edges(name: &str, package: &Value, ours: &Ours<'_>) -> Vec<String> {
    let Some(own) = layer(package) else {
        return vec![format!("{name} has no [package.metadata.mcp] layer")];
    };
    dependencies(package)
        .filter_map(|dep| Some((dep, layer(ours.get(dep)?)?)))
        .filter(|(_, below)| *below >= own)
        .map(|(dep, below)| format!("{name} (layer {own}) depends on {dep} (layer {below})"))
        .collect()
}

/// Optional parts are crates, save what `FEATURES` lists.
fn features(name: &str, package: &Value) -> Vec<String> {
    let allowed = |feature: &str| {
        FEATURES
            .iter()
            .any(|(owner, prefix)| *owner == name && feature.starts_with(prefix))
    };
    let features = package.get("features").and_then(Value::as_object);
    features
        .into_iter()
        .flat_map(|features| features.keys())
        .filter(|feature| *feature != "default" && !allowed(feature))
        .map(|feature| format!("{name} has the optional feature {feature}"))
        .collect()
}

fn lints(name: &str, manifest: &str) -> Option<String> {
    (!manifest.contains("\n[lints]\nworkspace = true\n"))
        .then(|| format!("{name} does not take the lints of the workspace"))
}
