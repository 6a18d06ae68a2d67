//! Rounds of the agent, beside `create_agent` of LangChain.

use anyhow::{Context, Result};
use serde_json::Value;
use xshell::{Shell, cmd};

use super::Bench;
use super::line::{Line, Target};
use super::programs;
use super::race::{Figures, Race, median, numbers};
use crate::workspace::{list, say, text};

/// CPU microseconds that a round may take.
const LOCAL: f64 = 15.0;
const POOLED: f64 = 300.0;
/// How much slower a round may be at the end than near the beginning, noise and all.
const FLAT: f64 = 1.25;

pub(crate) fn run(bench: &Bench<'_>) -> Result<Vec<Line>> {
    let python = Python::install(bench.sh)?;
    let mut lines = Vec::new();
    for (row, kept) in [
        ("agent round, local tool", false),
        ("agent round, local tool, memory checkpointer", true),
    ] {
        if bench.wants(row) {
            lines.extend(local(bench, row, kept, python.as_ref())?);
        }
    }
    let row = "agent round, pooled stdio tool, client CPU";
    if bench.wants(row) {
        lines.extend(pooled(bench, row, python.as_ref())?);
    }
    Ok(lines)
}

fn local(bench: &Bench<'_>, row: &str, kept: bool, python: Option<&Python>) -> Result<Vec<Line>> {
    let (name, variant) = match kept {
        true => ("memory checkpointer", "kept"),
        false => ("no checkpointer", "local"),
    };
    let figures = rounds(bench.sh, name)?;
    let figure = |name: &str| figures.get(name).copied().unwrap_or(f64::NAN);
    let share = figure("cpu_us") / LOCAL;
    let growth = figure("round_last_us") / figure("round_20_us");
    let mut lines = vec![
        Line::new(row, "the 15 us allowed", share, Target::AtMost(1.0)),
        Line::new(
            row,
            "round 2,000 beside round 20",
            growth,
            Target::AtMost(FLAT),
        ),
    ];
    if let Some(python) = python {
        let theirs = python.round(bench, variant, &[])?;
        let saved = theirs / figure("cpu_us");
        lines.push(Line::new(
            row,
            "create_agent, times our CPU",
            saved,
            Target::None,
        ));
    }
    Ok(lines)
}

/// The figures of the agent's own benchmark.
fn rounds(sh: &Shell, name: &str) -> Result<Figures> {
    let output = cmd!(
        sh,
        "cargo bench --quiet --locked --package mcp-agent --bench rounds"
    )
    .quiet()
    .read()?;
    let last = output.lines().last().unwrap_or_default();
    let figures: Value = serde_json::from_str(last)?;
    let row = list(&figures, "rows").find(|row| text(row, "name") == name);
    Ok(numbers(
        row.with_context(|| format!("there is no row {name}"))?,
    ))
}

fn pooled(bench: &Bench<'_>, row: &str, python: Option<&Python>) -> Result<Vec<Line>> {
    let race = Race {
        scenario: "kind=stdio size=64",
        contenders: &["agent, pooled"],
        calls: Some(2_000),
    };
    let figures = race.run(bench.sh, bench.pace)?;
    let ours = figures
        .first()
        .and_then(|figures| figures.get("client_cpu_us"));
    let ours = ours.copied().unwrap_or(f64::NAN);
    let mut lines = vec![Line::new(
        row,
        "the 0.3 ms allowed",
        ours / POOLED,
        Target::AtMost(1.0),
    )];
    if let Some(python) = python {
        let server = bench.sh.current_dir().join(programs::path("ours-server"));
        let theirs = python.round(bench, "pooled", &[&server.display().to_string()])?;
        let with = "langchain-mcp-adapters, times our CPU";
        lines.push(Line::new(row, with, theirs / ours, Target::AtLeast(20.0)));
    }
    Ok(lines)
}

/// The other side, in its own environment.
struct Python {
    interpreter: std::path::PathBuf,
}

impl Python {
    /// Installs it; none where there is no Python.
    fn install(sh: &Shell) -> Result<Option<Self>> {
        if cmd!(sh, "python3 --version")
            .quiet()
            .ignore_stderr()
            .read()
            .is_err()
        {
            say("bench: python3 is not here; LangChain is skipped");
            return Ok(None);
        }
        let folder = sh.current_dir().join("target/langgraph");
        let interpreter = folder.join("python/bin/python");
        let list = sh
            .current_dir()
            .join("tests/bench/langgraph/requirements.txt");
        sh.create_dir(&folder)?;
        let _there = sh.push_dir(&folder);
        if !sh.path_exists(&interpreter) {
            cmd!(sh, "python3 -m venv python").quiet().run()?;
        }
        cmd!(
            sh,
            "{interpreter} -m pip install --quiet --disable-pip-version-check -r {list}"
        )
        .quiet()
        .run()
        .context("installing Python packages")?;
        Ok(Some(Self { interpreter }))
    }

    /// CPU microseconds of a round.
    fn round(&self, bench: &Bench<'_>, variant: &str, server: &[&str]) -> Result<f64> {
        let Self { interpreter } = self;
        let mut turns = Vec::new();
        for _ in 0..bench.pace.rounds.min(3) {
            let output = cmd!(
                bench.sh,
                "{interpreter} tests/bench/langgraph/rounds.py {variant} 50 {server...}"
            )
            .quiet()
            .ignore_stderr()
            .read()?;
            let figures = numbers(&serde_json::from_str(&output)?);
            turns.push(figures.get("cpu_us").copied().unwrap_or(f64::NAN));
        }
        Ok(median(turns))
    }
}
