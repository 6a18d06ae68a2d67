//! What is printed, and what counts as a problem.

use super::expected::Expected;
use super::legs::{Leg, Scenarios};
use crate::workspace::say;

/// Prints the counts and every check that is not fine; returns what nobody expected.
pub(crate) fn print(leg: &Leg, scenarios: &Scenarios, expected: &Expected) -> Vec<String> {
    let clean = scenarios.values().filter(|s| s.bad.is_empty()).count();
    let checks: usize = scenarios.values().map(|s| s.succeeded).sum();
    let skipped: usize = scenarios.values().map(|s| s.skipped).sum();
    say(&format!(
        "{}: {clean}/{} scenarios without failure or warning; {checks} checks fine, {skipped} skipped",
        leg.name,
        scenarios.len()
    ));
    let mut problems = Vec::new();
    for (name, scenario) in scenarios {
        let known = expected.contains(leg.role, name);
        for (status, check, why) in &scenario.bad {
            let why: String = why.chars().take(300).collect();
            let line = format!("{} {name} {check}: {status}: {why}", leg.name);
            if known {
                say(&format!("  expected  {name} {check}: {status}"));
            } else {
                say(&format!("  {name} {check}: {status}: {why}"));
                problems.push(line);
            }
        }
        if scenario.bad.is_empty() && expected.names_exactly(leg.role, name) {
            problems.push(format!(
                "{} {name} passes; take it out of expected.yml",
                leg.name
            ));
        }
    }
    problems
}
