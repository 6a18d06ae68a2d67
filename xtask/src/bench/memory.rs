//! Heap allocations, idle sessions, peaks.

use anyhow::Result;

use super::Bench;
use super::line::{Line, Target};
use super::programs;
use super::race::{Figures, Race};

pub(crate) fn run(bench: &Bench<'_>) -> Result<Vec<Line>> {
    let mut lines = Vec::new();
    for era in ["2025-11-25", "2026-07-28"] {
        lines.extend(allocations(bench, era)?);
    }
    lines.extend(sessions(bench)?);
    for inflight in [1, 64] {
        lines.extend(peaks(bench, inflight)?);
    }
    Ok(lines)
}

/// The same each time: one turn is enough.
fn allocations(bench: &Bench<'_>, era: &str) -> Result<Vec<Line>> {
    let row = format!("heap allocations per call, client + server, 64 B, {era}");
    if !bench.wants(&row) {
        return Ok(Vec::new());
    }
    let names = ["ours", "serde", "rmcp", "tower-mcp"];
    let contenders = names.map(|name| format!("{name}, counted"));
    let race = Race {
        scenario: &format!("kind=pair size=64 era={era}"),
        contenders: &contenders.each_ref().map(String::as_str),
        calls: Some(1000),
    };
    let counts = race.run(bench.sh, bench.pace.rounds(1))?;
    let lines = names.iter().zip(&counts).map(|(name, figures)| {
        let target = match *name {
            "ours" => Target::AtMost(20.0),
            _ => Target::None,
        };
        Line::new(
            row.as_str(),
            format!("number, {name}"),
            of(figures, "allocations"),
            target,
        )
    });
    Ok(lines.collect())
}

fn sessions(bench: &Bench<'_>) -> Result<Vec<Line>> {
    let sessions = if bench.pace.quick { 1_000 } else { 10_000 };
    let row = format!("idle HTTP session in the server, {sessions} sessions");
    if !bench.wants(&row) {
        return Ok(Vec::new());
    }
    let mut lines = Vec::new();
    for name in ["ours", "rmcp", "tower"] {
        let server = bench
            .sh
            .current_dir()
            .join(programs::path(&format!("{name}-server")));
        let race = Race {
            scenario: &format!("kind=sessions imp={}", server.display()),
            contenders: &["sessions"],
            calls: Some(sessions),
        };
        let target = match name {
            "ours" => Target::AtMost(8.0),
            _ => Target::None,
        };
        for figures in race.run(bench.sh, bench.pace.rounds(1))? {
            let kib = of(&figures, "session_kib");
            lines.push(Line::new(row.as_str(), format!("KiB, {name}"), kib, target));
        }
    }
    Ok(lines)
}

fn peaks(bench: &Bench<'_>, inflight: usize) -> Result<Vec<Line>> {
    let row = format!("peak memory, stdio, 64 B, {inflight} in flight");
    if !bench.wants(&row) {
        return Ok(Vec::new());
    }
    let race = Race {
        scenario: &format!("kind=stdio size=64 inflight={inflight}"),
        contenders: &["ours", "rmcp", "tower-mcp"],
        calls: Some(20_000),
    };
    let figures = race.run(bench.sh, bench.pace.rounds(3))?;
    let [ours, rmcp, tower] = figures.as_slice() else {
        return Ok(Vec::new());
    };
    let mut lines = Vec::new();
    for side in ["client", "server"] {
        let peak = |figures| of(figures, &format!("{side}_peak_kib"));
        let row = format!("{row}: {side}");
        lines.push(Line::new(
            row.as_str(),
            "rmcp",
            peak(ours) / peak(rmcp),
            Target::AtMost(1.0),
        ));
        lines.push(Line::new(
            row,
            "tower-mcp",
            peak(ours) / peak(tower),
            Target::None,
        ));
    }
    Ok(lines)
}

fn of(figures: &Figures, name: &str) -> f64 {
    figures.get(name).copied().unwrap_or(f64::NAN)
}
