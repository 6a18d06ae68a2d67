//! Our client against their servers.

use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;
use xshell::{Shell, cmd};

use super::install::Place;
use super::program::Program;
use super::{Outcome, Row};
use crate::workspace::text;

pub(crate) fn drive(sh: &Shell, place: &Place) -> Result<Vec<Row>> {
    let rmcp = place.rmcp.join("rmcp-server");
    let rmcp = Program::start(Command::new(rmcp).arg("http"), false)?;
    let plan = sh.read_file("tests/interop/servers.json")?;
    let plan = fill(&plan.replace("{rmcp-url}", &rmcp.url), place)?;
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
        ("{rmcp}", path(&place.rmcp)?),
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
        pair: format!("mcp -> {}", text(&report, "server")),
        version: text(&report, "version").to_owned(),
        outcome: match (text(&report, "done"), text(&report, "refused")) {
            ("", "") => Outcome::Failed(text(&report, "error").to_owned()),
            (done, "") => Outcome::Done(done.to_owned()),
            (_, refused) => Outcome::NotOffered(refused.to_owned()),
        },
    })
}
