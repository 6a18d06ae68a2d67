//! The tables of crates say what the manifests say.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Ours, dependencies, layer};
use crate::workspace::text;

/// A page with a table of crates: the level, then the name; perhaps what the crate depends on.
pub(super) struct Page {
    pub(super) path: &'static str,
    /// Which column names the dependencies.
    edges: Option<usize>,
}

/// A row: level, name and all cells.
type Row<'a> = (u64, &'a str, Vec<&'a str>);

impl Page {
    pub(super) const ALL: [Self; 2] = [
        Self {
            path: "README.md",
            edges: None,
        },
        Self {
            path: "docs/architecture.md",
            edges: Some(3),
        },
    ];

    pub(super) fn check(&self, page: &str, ours: &Ours<'_>) -> Vec<String> {
        let rows: Vec<Row<'_>> = page.lines().filter_map(row).collect();
        let missing = ours
            .iter()
            .filter(|(_, package)| text(package, "manifest_path").contains("/crates/"))
            .filter(|(name, _)| !rows.iter().any(|(_, row, _)| row == *name))
            .map(|(name, _)| format!("{}: no row for {name}", self.path));
        let wrong = rows.iter().filter_map(|row| self.wrong(row, ours));
        missing.chain(wrong).collect()
    }

    fn wrong(&self, (level, name, cells): &Row<'_>, ours: &Ours<'_>) -> Option<String> {
        let Some(package) = ours.get(name) else {
            return Some(format!("{}: there is no crate {name}", self.path));
        };
        let real = real_edges(package, ours);
        let edges = self.edges.and_then(|column| cells.get(column));
        let fits = layer(package) == Some(*level)
            && edges.is_none_or(|cell| said_edges(cell) == short(&real));
        (!fits).then(|| {
            format!(
                "{}: the row of {name} is not what its manifest says: layer {:?}, {real:?}",
                self.path,
                layer(package)
            )
        })
    }
}

fn row(line: &str) -> Option<Row<'_>> {
    let cells: Vec<&str> = line.strip_prefix('|')?.split('|').map(str::trim).collect();
    let level = cells.first()?.parse().ok()?;
    let name = cells.get(1)?.split('`').nth(1)?;
    Some((level, name, cells))
}

fn real_edges<'a>(package: &'a Value, ours: &Ours<'_>) -> BTreeSet<&'a str> {
    dependencies(package)
        .filter(|dep| ours.contains_key(dep))
        .collect()
}

/// The page leaves out what all names begin with.
fn short<'a>(names: &BTreeSet<&'a str>) -> BTreeSet<&'a str> {
    names
        .iter()
        .map(|name| name.strip_prefix("mcp-").unwrap_or(name))
        .collect()
}

fn said_edges(cell: &str) -> BTreeSet<&str> {
    cell.split(", ").filter(|name| *name != "nothing").collect()
}
