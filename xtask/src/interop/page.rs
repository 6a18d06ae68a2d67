//! The table as a page: `docs/interop.md`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::Result;
use serde_json::Value;
use xshell::{Shell, cmd};

use super::{Outcome, Row};

const REVISIONS: [&str; 5] = [
    "2024-11-05",
    "2025-03-26",
    "2025-06-18",
    "2025-11-25",
    "2026-07-28",
];

/// Writes the page, unless all that changed is the date.
pub(crate) fn write(sh: &Shell, rows: &[Row]) -> Result<()> {
    let page = "docs/interop.md";
    let body = body(sh, rows)?;
    if sh.read_file(page).is_ok_and(|old| old.contains(&body)) {
        return Ok(());
    }
    let date = cmd!(sh, "date -u +%Y-%m-%d").quiet().read()?;
    let head = format!(
        "# Interoperability\n\nWritten by `cargo xtask interop` on {date}: each pair lists, calls \
         tools, and where there are\nany reads a resource and fills a prompt in.\n"
    );
    Ok(sh.write_file(page, head + &body)?)
}

fn body(sh: &Shell, rows: &[Row]) -> Result<String> {
    let mut body = String::from("\n| client -> server |");
    for revision in REVISIONS {
        write!(body, " {revision} |")?;
    }
    body.push_str("\n|---|---|---|---|---|---|\n");
    let mut pairs: BTreeMap<&str, BTreeMap<&str, &str>> = BTreeMap::new();
    for row in rows {
        let mark = match row.outcome {
            Outcome::Done(_) => "yes",
            Outcome::NotOffered(_) => "not offered",
            Outcome::Failed(_) => "no",
        };
        pairs
            .entry(&row.pair)
            .or_default()
            .insert(&row.version, mark);
    }
    for (pair, cells) in pairs {
        write!(body, "| {pair} |")?;
        for revision in REVISIONS {
            write!(
                body,
                " {} |",
                cells.get(revision).copied().unwrap_or("not tried")
            )?;
        }
        body.push('\n');
    }
    body.push_str("\n## Versions\n\n");
    versions(sh, &mut body)?;
    Ok(body)
}

fn versions(sh: &Shell, body: &mut String) -> Result<()> {
    let packages: Value = serde_json::from_str(&sh.read_file("tests/interop/package.json")?)?;
    let packages = packages.get("dependencies").and_then(Value::as_object);
    for (name, version) in packages.into_iter().flatten() {
        writeln!(body, "* {name} {}", version.as_str().unwrap_or_default())?;
    }
    for line in sh.read_file("tests/interop/requirements.txt")?.lines() {
        writeln!(body, "* {}", line.replace("==", " "))?;
    }
    let manifest = sh.read_file("tests/rmcp/Cargo.toml")?;
    let rmcp = manifest
        .split("version = \"=")
        .nth(1)
        .and_then(|rest| rest.split('"').next());
    writeln!(body, "* rmcp {}", rmcp.unwrap_or_default())?;
    Ok(())
}
