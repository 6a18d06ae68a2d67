//! What the doctor found. `docs/doctor.schema.json` describes it as JSON.

use std::collections::HashMap;

use mcp::interceptors::{Phase, ServerFailure};
use mcp::protocol::{Implementation, ServerCapabilities};
use serde::Serialize;

/// The most findings of one kind that are told of a server.
const TOLD: usize = 20;

/// All servers of a run.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    /// The configuration file; `null` for our own servers.
    pub(super) config: Option<String>,
    /// What was ignored in it.
    pub(super) notes: Vec<String>,
    pub(super) verdict: Verdict,
    pub(super) servers: Vec<ServerReport>,
}

/// How well something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Verdict {
    /// Nothing worth a change.
    Ok,
    /// It can be used, and something is wrong with it.
    Problems,
    /// It cannot be used.
    Failed,
}

/// One server.
#[derive(Debug, Serialize)]
pub(super) struct ServerReport {
    pub(super) name: String,
    pub(super) verdict: Verdict,
    pub(super) wire: Wire,
    /// Whether its process could be started, or its endpoint be reached.
    pub(super) starts: bool,
    pub(super) era: Option<Era>,
    pub(super) revision: Option<&'static str>,
    pub(super) info: Option<Implementation>,
    pub(super) capabilities: Option<ServerCapabilities>,
    pub(super) counts: Counts,
    pub(super) milliseconds: Times,
    pub(super) failure: Option<Failed>,
    pub(super) problems: Vec<Problem>,
    /// The names of its tools, to be compared with those of others.
    #[serde(skip)]
    pub(super) tools: Vec<String>,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Wire {
    Stdio,
    Http,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Era {
    /// 2024-11-05 to 2025-11-25.
    Handshake,
    /// Since 2026-07-28.
    Stateless,
}

/// How much it offers; `null` where it does not offer the kind, or its list cannot be had.
#[derive(Debug, Default, Serialize)]
pub(super) struct Counts {
    pub(super) tools: Option<usize>,
    pub(super) resources: Option<usize>,
    pub(super) templates: Option<usize>,
    pub(super) prompts: Option<usize>,
}

/// How long the steps took; `null` for what was not done.
#[derive(Debug, Default, Serialize)]
pub(super) struct Times {
    /// To start the process.
    pub(super) start: Option<f64>,
    /// To agree on a revision.
    pub(super) handshake: Option<f64>,
    /// All lists together.
    pub(super) list: Option<f64>,
    pub(super) ping: Option<f64>,
    /// From the end of its input to its own.
    pub(super) end: Option<f64>,
}

/// Why it cannot be used.
#[derive(Debug, Serialize)]
pub(super) struct Failed {
    pub(super) phase: Phase,
    pub(super) message: String,
    pub(super) stderr: Option<String>,
}

impl From<ServerFailure> for Failed {
    fn from(failure: ServerFailure) -> Self {
        Self {
            phase: failure.phase,
            message: failure.message,
            stderr: failure.stderr,
        }
    }
}

/// Something that is wrong, or worth knowing.
#[derive(Debug, Serialize)]
pub(super) struct Problem {
    pub(super) severity: Severity,
    pub(super) code: Code,
    /// What it is about, as a tool; `null` for the whole server.
    pub(super) about: Option<String>,
    pub(super) message: String,
}

/// Whether a problem counts for the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Severity {
    /// Worth knowing.
    Note,
    /// Some clients or models will fail on it.
    Warning,
}

/// What kind of problem it is. The names are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Code {
    /// Lines on stdout that are no messages.
    Noise,
    /// Lines on stderr.
    Stderr,
    /// It ended when it was asked for its revision, and was started again.
    Restarted,
    SlowStart,
    /// It does not end when its input does.
    SlowEnd,
    /// An element of a list that cannot be read.
    Skipped,
    MissingInputSchema,
    /// A tool's name that is not as recommended.
    ToolName,
    /// Models see the tool under a changed name.
    Renamed,
    /// A schema that breaks the rules of JSON Schema.
    Schema,
    NoDescription,
    /// The same name twice in one list.
    Duplicate,
    /// Tools of the same name on several servers.
    NameClash,
    /// It offers a kind and lists none.
    Empty,
    /// The list of tools is long for a model.
    Large,
    /// `ping` is not answered as it should be.
    Ping,
    /// A call of a tool that is not there is no error.
    UnknownTool,
}

impl Problem {
    pub(super) fn warning(code: Code, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            code,
            about: None,
            message: message.into(),
        }
    }

    pub(super) fn note(code: Code, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Note,
            ..Self::warning(code, message)
        }
    }

    /// The same about something of the server.
    pub(super) fn about(mut self, what: impl Into<String>) -> Self {
        self.about = Some(what.into());
        self
    }
}

impl ServerReport {
    /// A server of which nothing is known yet.
    pub(super) fn new(name: &str, wire: Wire) -> Self {
        Self {
            name: name.to_owned(),
            verdict: Verdict::Failed,
            wire,
            starts: false,
            era: None,
            revision: None,
            info: None,
            capabilities: None,
            counts: Counts::default(),
            milliseconds: Times::default(),
            failure: None,
            problems: Vec::new(),
            tools: Vec::new(),
        }
    }

    /// Keeps the first findings of each kind, and says after the last of them how many more there
    /// are: a server may list a hundred thousand tools that all lack the same.
    pub(super) fn shorten(&mut self) {
        let mut counts: HashMap<Code, usize> = HashMap::new();
        for problem in &self.problems {
            *counts.entry(problem.code).or_default() += 1;
        }
        let mut told: HashMap<Code, usize> = HashMap::new();
        self.problems.retain_mut(|problem| {
            let told = told.entry(problem.code).or_default();
            *told += 1;
            let all = counts.get(&problem.code).copied().unwrap_or_default();
            if *told == TOLD && all > TOLD {
                let message = format!("and {} more of this kind", all - TOLD + 1);
                problem.message = message;
                problem.about = None;
            }
            *told <= TOLD
        });
    }

    /// Sums the findings up.
    pub(super) fn judge(&mut self) {
        let is_warning = |problem: &Problem| problem.severity == Severity::Warning;
        self.verdict = if self.failure.is_some() {
            Verdict::Failed
        } else if self.problems.iter().any(is_warning) {
            Verdict::Problems
        } else {
            Verdict::Ok
        };
    }
}

impl Report {
    /// Sums the servers up.
    pub(super) fn new(
        config: Option<String>,
        notes: Vec<String>,
        servers: Vec<ServerReport>,
    ) -> Self {
        Self {
            config,
            notes,
            verdict: Self::judge(&servers),
            servers,
        }
    }

    /// All of them are well, some of them can be used, or none.
    fn judge(servers: &[ServerReport]) -> Verdict {
        let mut verdicts = servers.iter().map(|server| server.verdict);
        if verdicts.clone().all(|verdict| verdict == Verdict::Ok) {
            Verdict::Ok
        } else if verdicts.all(|verdict| verdict == Verdict::Failed) {
            Verdict::Failed
        } else {
            Verdict::Problems
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_findings_of_a_kind_are_told_and_the_rest_is_counted() {
        let mut report = ServerReport::new("x", Wire::Stdio);
        let note = |n: usize| Problem::note(Code::NoDescription, "none").about(format!("t{n}"));
        report.problems.extend((1..=20).map(note));
        report.problems.push(Problem::warning(Code::Ping, "p"));
        report.shorten();
        assert_eq!(report.problems.len(), 21);
        assert_eq!(report.problems[19].about.as_deref(), Some("t20"));

        report.problems.extend((21..=1000).map(note));
        report.shorten();
        let told = &report.problems;
        assert_eq!(told.len(), 21);
        assert_eq!(told[18].about.as_deref(), Some("t19"));
        assert_eq!(
            (told[19].about.as_deref(), &*told[19].message),
            (None, "and 981 more of this kind")
        );
        assert_eq!(told[20].code, Code::Ping);
    }
}
