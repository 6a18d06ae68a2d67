//! Counts heap allocations on fixed inputs, so that no change makes calls dearer unnoticed.

use anyhow::{Context, Result};
use serde_json::Value;
use xshell::{Shell, cmd};

use crate::workspace::verdict;

const FIGURES: &str = "tests/bench/guard/figures.json";
const GROWTH: f64 = 1.05;
/// What a figure near nothing may grow by.
const SLACK: f64 = 0.05;

/// Input -> allocations of one time.
type Figures = serde_json::Map<String, Value>;

pub(crate) fn run(sh: &Shell, accept: bool) -> Result<()> {
    let counted = {
        let _there = sh.push_dir("tests/bench");
        cmd!(sh, "cargo run --quiet --locked --package guard").read()?
    };
    if accept {
        return Ok(sh.write_file(FIGURES, counted + "\n")?);
    }
    let counted = figures(&counted)?;
    let mut problems = grown(&figures(&sh.read_file(FIGURES)?)?, &counted);
    if !problems.is_empty() {
        problems.push("`cargo xtask bench-guard --accept` makes these the new figures".to_owned());
    }
    verdict(&problems, &format!("bench-guard: {} inputs", counted.len()))
}

fn figures(text: &str) -> Result<Figures> {
    let figures: Value = serde_json::from_str(text)?;
    figures
        .as_object()
        .cloned()
        .context("figures are an object")
}

/// What costs more than it did. An input that is new has no figure yet and is told of, too.
fn grown(known: &Figures, counted: &Figures) -> Vec<String> {
    let grown = counted.iter().filter_map(|(input, now)| {
        let before = known.get(input).and_then(Value::as_f64).unwrap_or_default();
        let now = now.as_f64()?;
        (now > before * GROWTH + SLACK)
            .then(|| format!("{input}: {before} allocations before, {now} now"))
    });
    grown.collect()
}

#[cfg(test)]
mod tests {
    use super::{figures, grown};

    fn told(now: &str) -> usize {
        let known = figures(r#"{"call": 20.0, "line": 0.01}"#).unwrap();
        grown(&known, &figures(now).unwrap()).len()
    }

    #[test]
    fn growth_of_more_than_five_percent_is_told() {
        assert_eq!(told(r#"{"call": 21.0, "line": 0.02}"#), 0);
        assert_eq!(told(r#"{"call": 19.0}"#), 0);
        assert_eq!(told(r#"{"call": 21.1, "line": 0.5}"#), 2);
        assert_eq!(told(r#"{"new": 1.0}"#), 1);
    }
}
