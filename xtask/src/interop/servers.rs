//! Our client against their servers.

use anyhow::{Context, Result, anyhow};
use serde_json::Value;
use xshell::{Shell, cmd};

use super::{Row, install::Place};
use crate::workspace::text;

pub(crate) fn drive(sh: &Shell, place: &Place) -> Result<Vec<Row>> {
    let plan = fill(&sh.read_file("tests/interop/servers.json")?, place)?;
    let file = place.scratch.with_file_name("servers.json");
    sh.write_file(&file, plan)?;
    let interop = place.programs.join("interop");
    let lines = cmd!(sh, "{interop} {file}").read()?;
    lines.lines().map(row).collect()
}

/// Puts this machine's paths into the plan.
fn fill(plan: &str, place: &Place) -> Result<String> {
    let path = |path: &std::path::Path| {
        path.to_str()
            .map(str::to_owned)
            .context("a path that is not UTF-8")
    };
    let mut plan = plan.to_owned();
    for (name, value) in [
        ("{node}", path(&place.node)?),
        ("{modules}", path(&place.modules)?),
        ("{python}", path(&place.python)?),
        ("{scratch}", path(&place.scratch)?),
    ] {
        plan = plan.replace(name, &value);
    }
    Ok(plan)
}

fn row(line: &str) -> Result<Row> {
    let report: Value =
        serde_json::from_str(line).with_context(|| format!("not a report: {line}"))?;
    Ok(Row {
        who: format!("mcp -> {}", text(&report, "server")),
        outcome: match text(&report, "error") {
            "" => Ok(text(&report, "done").to_owned()),
            error => Err(anyhow!(error.to_owned())),
        },
    })
}
