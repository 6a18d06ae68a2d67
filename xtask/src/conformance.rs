//! The official conformance suite against our server and our client.

mod expected;
mod install;
mod legs;
mod report;

use anyhow::{Result, bail};
use xshell::{Shell, cmd};

use crate::workspace::{in_ci, say};
use legs::{Leg, Role};

/// What the suite scores.
const REQUIREMENTS: [&str; 2] = ["2025-11-25", "2026-07-28"];

/// Runs everything that `role` and `requirements` leave in.
pub(crate) fn run(sh: &Shell, role: Option<&str>, requirements: Option<&str>) -> Result<()> {
    if let Some(missing) = install::missing(sh) {
        let text = format!("conformance: {missing} is not here");
        if in_ci() {
            bail!(text);
        }
        say(&format!("{text}; skipped"));
        return Ok(());
    }
    let legs = choose(role, requirements)?;
    cmd!(sh, "cargo build --locked --package mcp-tests --bins").run()?;
    let suite = install::run(sh)?;
    let expected = expected::read(&sh.read_file("tests/conformance/expected.yml")?)?;
    let mut problems = Vec::new();
    for leg in &legs {
        let scenarios = leg.run(sh, &suite)?;
        problems.extend(report::print(leg, &scenarios, &expected));
    }
    if !problems.is_empty() {
        bail!(
            "{} unexpected:\n  {}",
            problems.len(),
            problems.join("\n  ")
        );
    }
    Ok(())
}

fn choose(role: Option<&str>, requirements: Option<&str>) -> Result<Vec<Leg>> {
    let roles: &[Role] = match role {
        None => &[Role::Server, Role::Client],
        Some("server") => &[Role::Server],
        Some("client") => &[Role::Client],
        Some(other) => bail!("{other} is neither server nor client"),
    };
    let mut legs = Vec::new();
    for &role in roles {
        match requirements {
            Some(revision) => legs.push(Leg::required(role, revision)),
            None => {
                legs.extend(REQUIREMENTS.map(|revision| Leg::required(role, revision)));
                legs.push(Leg::extra(role));
            }
        }
    }
    Ok(legs)
}
