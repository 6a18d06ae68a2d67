//! Counts heap allocations on fixed inputs, so that no change makes calls dearer unnoticed.

use anyhow::{Context, Result};
use serde_json::Value;
use xshell::{Shell, cmd};

use crate::workspace::verdict;

const FIGURES: &str = "tests/bench/guard/figures.json";
const GROWTH: f64 = 1.05;
/// What a figure near nothing may grow by.
const SLACK: f64 = 0.05;

pub(crate) fn run(sh: &Shell, accept: bool) -> Result<()> {
    let counted = {
        let _there = sh.push_dir("tests/bench");
        cmd!(sh, "cargo run --quiet --locked --package guard").read()?
    };
    if accept {
        return Ok(sh.write_file(FIGURES, counted + "\n")?);
    }
    let (counted, known) = (figures(&counted)?, figures(&sh.read_file(FIGURES)?)?);
    let grown = |(input, now): (&String, &Value)| {
        let before = known.get(input).and_then(Value::as_f64).unwrap_or_default();
        let now = now.as_f64()?;
        (now > before * GROWTH + SLACK)
            .then(|| format!("{input}: {before} allocations before, {now} now"))
    };
    let mut problems: Vec<String> = counted.iter().filter_map(grown).collect();
    if !problems.is_empty() {
        problems.push("`cargo xtask bench-guard --accept` makes these the new figures".to_owned());
    }
    verdict(&problems, &format!("bench-guard: {} inputs", counted.len()))
}

fn figures(text: &str) -> Result<serde_json::Map<String, Value>> {
    let figures: Value = serde_json::from_str(text)?;
    figures
        .as_object()
        .cloned()
        .context("figures are an object")
}
