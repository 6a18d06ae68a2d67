//! Calls per second.

use anyhow::Result;

use super::Bench;
use super::line::{Line, Target};
use super::race::{Figures, Race};

/// One scenario, and how we shall do beside each other contender.
struct Row {
    name: &'static str,
    scenario: &'static str,
    others: &'static [(&'static str, Target)],
}

const fn at_least(ratio: f64) -> Target {
    Target::AtLeast(ratio)
}

const STDIO: [Row; 6] = [
    Row {
        name: "stdio, 64 B, 1 in flight",
        scenario: "kind=stdio size=64 inflight=1",
        others: &[
            ("raw", Target::None),
            ("serde", at_least(0.85)),
            ("rmcp", at_least(4.0)),
            ("rmcp, pipes", Target::None),
            ("tower-mcp", Target::None),
        ],
    },
    Row {
        name: "stdio, 64 B, 64 in flight",
        scenario: "kind=stdio size=64 inflight=64",
        others: &[
            ("raw", Target::None),
            ("serde", at_least(0.6)),
            ("rmcp", at_least(15.0)),
            ("rmcp, pipes", Target::None),
            ("tower-mcp", at_least(8.0)),
        ],
    },
    Row {
        name: "stdio, 64 KiB, 1 in flight",
        scenario: "kind=stdio size=65536 inflight=1",
        others: LARGE,
    },
    Row {
        name: "stdio, 64 KiB, 64 in flight",
        scenario: "kind=stdio size=65536 inflight=64",
        others: LARGE,
    },
    Row {
        name: "stdio, 4 MiB, 1 in flight",
        scenario: "kind=stdio size=4194304 inflight=1",
        others: LARGE,
    },
    Row {
        name: "stdio, 4 MiB, 4 in flight",
        scenario: "kind=stdio size=4194304 inflight=4",
        others: LARGE,
    },
];

const LARGE: &[(&str, Target)] = &[
    ("serde", at_least(0.8)),
    ("rmcp", Target::None),
    ("tower-mcp", Target::None),
];

const TOOLS: [Row; 2] = [
    Row {
        name: "stdio, server with 1 tool, 1 in flight",
        scenario: "kind=stdio size=64 inflight=1",
        others: &[("ours, 1,000 tools", Target::AtMost(1.05))],
    },
    Row {
        name: "stdio, server with 1 tool, 64 in flight",
        scenario: "kind=stdio size=64 inflight=64",
        others: &[("ours, 1,000 tools", Target::AtMost(1.05))],
    },
];

const HTTP: [Row; 4] = [
    Row {
        name: "HTTP, 2026-07-28, 64 B, 1 in flight",
        scenario: "kind=http era=2026-07-28 size=64 inflight=1",
        others: &[
            ("raw", Target::None),
            ("serde", at_least(0.8)),
            ("rmcp", at_least(4.0)),
            ("tower-mcp", at_least(2.5)),
        ],
    },
    Row {
        name: "HTTP, 2026-07-28, 64 B, 64 in flight",
        scenario: "kind=http era=2026-07-28 size=64 inflight=64",
        others: &[
            ("raw", Target::None),
            ("serde", at_least(0.75)),
            ("rmcp", at_least(3.0)),
            ("tower-mcp", at_least(2.5)),
        ],
    },
    Row {
        name: "HTTP, session, 64 B, 1 in flight",
        scenario: "kind=http era=2025-11-25 size=64 inflight=1",
        others: &[
            ("raw", Target::None),
            ("serde", at_least(0.7)),
            ("rmcp", at_least(5.0)),
            ("tower-mcp", Target::None),
        ],
    },
    Row {
        name: "HTTP, session, 64 B, 64 in flight",
        scenario: "kind=http era=2025-11-25 size=64 inflight=64",
        others: &[
            ("raw", Target::None),
            ("serde", at_least(0.6)),
            ("rmcp", at_least(5.0)),
            ("tower-mcp", Target::None),
        ],
    },
];

const PAIR: [Row; 2] = [
    Row {
        name: "in-process pair, 64 B, 1 in flight",
        scenario: "kind=pair size=64 inflight=1",
        others: &[
            ("serde", at_least(0.6)),
            ("rmcp", at_least(3.0)),
            ("tower-mcp", Target::None),
        ],
    },
    Row {
        name: "in-process pair, 64 B, 64 in flight",
        scenario: "kind=pair size=64 inflight=64",
        others: &[
            ("serde", at_least(0.5)),
            ("rmcp", at_least(5.0)),
            ("tower-mcp", Target::None),
        ],
    },
];

pub(crate) fn stdio(bench: &Bench<'_>) -> Result<Vec<Line>> {
    run(bench, STDIO.iter().chain(&TOOLS))
}

pub(crate) fn http(bench: &Bench<'_>) -> Result<Vec<Line>> {
    run(bench, &HTTP)
}

pub(crate) fn pair(bench: &Bench<'_>) -> Result<Vec<Line>> {
    run(bench, &PAIR)
}

fn run(bench: &Bench<'_>, rows: impl IntoIterator<Item = &'static Row>) -> Result<Vec<Line>> {
    let mut lines = Vec::new();
    for row in rows.into_iter().filter(|row| bench.wants(row.name)) {
        let others = row.others.iter().map(|(name, _)| *name);
        let contenders: Vec<&str> = std::iter::once("ours").chain(others).collect();
        let race = Race {
            scenario: row.scenario,
            contenders: &contenders,
            calls: None,
        };
        let figures = race.run(bench.sh, bench.pace)?;
        let rates: Vec<f64> = figures.iter().map(rate).collect();
        let Some((ours, others)) = rates.split_first() else {
            continue;
        };
        for ((name, target), rate) in row.others.iter().zip(others) {
            lines.push(Line::new(row.name, *name, ours / rate, *target));
        }
    }
    Ok(lines)
}

fn rate(figures: &Figures) -> f64 {
    figures.get("calls_per_second").copied().unwrap_or(f64::NAN)
}
