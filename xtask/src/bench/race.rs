//! Programs that are measured in turns, A B C A B C, so that what else the machine does hurts all
//! of them alike.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde_json::Value;
use xshell::{Shell, cmd};

use super::programs;
use crate::workspace::say;

/// Seconds for one turn of one program.
const LIMIT: &str = "30";

/// How long and how often.
#[derive(Clone, Copy)]
pub(crate) struct Pace {
    pub(crate) quick: bool,
    pub(crate) rounds: usize,
    /// Of one turn.
    seconds: f64,
}

impl Pace {
    pub(crate) fn new(quick: bool) -> Self {
        let (rounds, seconds) = if quick { (3, 0.15) } else { (7, 0.6) };
        Self {
            quick,
            rounds,
            seconds,
        }
    }

    /// For what takes long or hardly differs from turn to turn.
    pub(crate) fn rounds(self, rounds: usize) -> Self {
        Self { rounds, ..self }
    }
}

/// The figures of one program, by their names in the harness's `Row`.
pub(crate) type Figures = BTreeMap<String, f64>;

/// A scenario and who takes part, by the names that [`programs::contender`] knows.
pub(crate) struct Race<'a> {
    pub(crate) scenario: &'a str,
    pub(crate) contenders: &'a [&'a str],
    /// How many calls each makes; as many as fill a turn if not given.
    pub(crate) calls: Option<usize>,
}

impl Race<'_> {
    /// The medians of all rounds, in the order of the contenders; nothing for one of the others
    /// that does not finish.
    pub(crate) fn run(&self, sh: &Shell, pace: Pace) -> Result<Vec<Figures>> {
        let mut runners = Vec::new();
        for name in self.contenders {
            let calls = match self.calls {
                Some(calls) => Ok(calls),
                None => self.calls_in(sh, name, pace.seconds),
            };
            runners.push((*name, calls, Vec::new()));
        }
        for _ in 0..pace.rounds {
            let running = runners.iter_mut().filter_map(|(name, calls, turns)| {
                let calls = calls.as_ref().ok()?;
                Some((name, *calls, turns))
            });
            for (name, calls, turns) in running {
                turns.push(self.turn(sh, name, calls)?);
            }
        }
        let medians = runners.into_iter().map(|(name, calls, turns)| match calls {
            Err(error) if name.starts_with("ours") => Err(error),
            Err(error) => {
                say(&format!("warning: {error:#}"));
                Ok(Figures::new())
            }
            Ok(_) => Ok(medians(&turns)),
        });
        medians.collect()
    }

    /// How many calls fill so many seconds.
    fn calls_in(&self, sh: &Shell, name: &str, seconds: f64) -> Result<usize> {
        let mut calls = 1.0_f64;
        // Grows step by step: the first calls of a process are slow.
        loop {
            let figures = self.turn(sh, name, calls as usize)?;
            let rate = figures.get("calls_per_second").copied().unwrap_or(1.0);
            let enough = rate * seconds;
            if enough <= calls * 1.5 {
                return Ok(enough as usize);
            }
            calls = enough.min(calls * 30.0);
        }
    }

    fn turn(&self, sh: &Shell, name: &str, calls: usize) -> Result<Figures> {
        let (program, own) = programs::contender(name)?;
        let program = sh.current_dir().join(program);
        let scenario = self.scenario.split(' ').chain(own.split_terminator(' '));
        let calls = format!("calls={}", self.rounded(calls));
        let text = cmd!(sh, "timeout {LIMIT} {program} {scenario...} {calls}")
            .quiet()
            .ignore_stderr()
            .read()
            .with_context(|| format!("{name}: {}", self.scenario))?;
        Ok(numbers(&serde_json::from_str(&text)?))
    }

    /// Each task makes as many calls as every other.
    fn rounded(&self, calls: usize) -> usize {
        let inflight = self.scenario.split(' ').find_map(|argument| {
            let number = argument.strip_prefix("inflight=")?;
            number.parse().ok()
        });
        let inflight = inflight.unwrap_or(1);
        calls.max(1).div_ceil(inflight) * inflight
    }
}

/// The members of an object that are numbers.
pub(crate) fn numbers(object: &Value) -> Figures {
    object
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(key, value)| Some((key.clone(), value.as_f64()?)))
        .collect()
}

/// The median of each figure over all turns.
pub(crate) fn medians(turns: &[Figures]) -> Figures {
    let names = turns.first().into_iter().flat_map(Figures::keys);
    names
        .map(|name| {
            let values = turns.iter().filter_map(|turn| turn.get(name)).copied();
            (name.clone(), median(values.collect()))
        })
        .collect()
}

pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::{Race, medians, numbers};
    use serde_json::json;

    #[test]
    fn medians_are_taken_of_each_figure() {
        let turns = [3, 1, 2].map(|n| numbers(&json!({ "rate": n, "peak": 10 * n, "name": "x" })));
        assert_eq!(medians(&turns), numbers(&json!({ "rate": 2, "peak": 20 })));
        assert!(medians(&[]).is_empty());
    }

    #[test]
    fn every_task_makes_as_many_calls() {
        let race = Race {
            scenario: "kind=stdio inflight=64",
            contenders: &[],
            calls: None,
        };
        assert_eq!([0, 64, 65].map(|calls| race.rounded(calls)), [64, 64, 128]);
    }
}
