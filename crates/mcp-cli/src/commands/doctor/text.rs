//! What the doctor found, for people.

use mcp::interceptors::ServerFailure;

use super::report::{Era, Failed, Problem, Report, ServerReport, Severity, Verdict, Wire};
use crate::shown;
use crate::view::failure_text;

/// The report in lines: a head for each server, and what belongs to it indented.
pub(super) fn of(report: &Report) -> String {
    let mut lines: Vec<String> = report.servers.iter().map(server).collect();
    lines.push(sum(&report.servers));
    lines.join("\n\n")
}

fn server(report: &ServerReport) -> String {
    let mut lines = vec![match (&report.failure, report.verdict) {
        (Some(failure), _) => failed(report, failure),
        (None, Verdict::Ok) => format!("{}  ok", shown::line(&report.name)),
        (None, _) => format!("{}  has problems", shown::line(&report.name)),
    }];
    lines.extend(speaks(report).map(|line| format!("  {line}")));
    for (name, list) in [
        ("offers", offers(report)),
        ("has", counts(report)),
        ("took", times(report)),
    ] {
        if !list.is_empty() {
            lines.push(format!("  {name} {}", shown::message(&list.join(", "))));
        }
    }
    lines.extend(report.problems.iter().map(problem));
    lines.join("\n")
}

fn failed(report: &ServerReport, failure: &Failed) -> String {
    let told = ServerFailure::new(&*report.name, failure.phase, &*failure.message);
    failure_text(&told.with_stderr(failure.stderr.clone()))
}

fn speaks(report: &ServerReport) -> Option<String> {
    let wire = match report.wire {
        Wire::Stdio => "stdio",
        Wire::Http => "HTTP",
    };
    let era = match report.era? {
        Era::Handshake => "with handshake",
        Era::Stateless => "stateless",
    };
    let revision = report.revision?;
    let is = match &report.info {
        Some(info) => format!(", {} {}", info.name, info.version),
        None => String::new(),
    };
    Some(shown::message(&format!(
        "speaks {revision}, {era}, over {wire}{is}"
    )))
}

/// The names of the capabilities.
fn offers(report: &ServerReport) -> Vec<String> {
    let all = report.capabilities.as_ref();
    let all = all.and_then(|all| serde_json::to_value(all).ok());
    let all = all.and_then(|all| all.as_object().cloned());
    all.into_iter().flatten().map(|(name, _)| name).collect()
}

fn counts(report: &ServerReport) -> Vec<String> {
    let counts = &report.counts;
    let count = |(count, kind): (Option<usize>, &str)| {
        let count = count?;
        let plural = if count == 1 { "" } else { "s" };
        Some(format!("{count} {kind}{plural}"))
    };
    let all = [
        (counts.tools, "tool"),
        (counts.resources, "resource"),
        (counts.templates, "template"),
        (counts.prompts, "prompt"),
    ];
    all.into_iter().filter_map(count).collect()
}

fn times(report: &ServerReport) -> Vec<String> {
    let times = &report.milliseconds;
    let all = [
        (times.start, "to start"),
        (times.handshake, "to agree"),
        (times.list, "to list"),
        (times.ping, "for a ping"),
        (times.end, "to end"),
    ];
    let time = |(time, what): (Option<f64>, &str)| Some(format!("{} ms {what}", time?));
    all.into_iter().filter_map(time).collect()
}

fn problem(problem: &Problem) -> String {
    let severity = match problem.severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
    };
    let about = problem.about.as_deref();
    let about = about.map(|about| format!("{about}: ")).unwrap_or_default();
    let told = format!("{about}{}", problem.message);
    format!("  {severity}: {}", shown::message(&told))
}

fn sum(servers: &[ServerReport]) -> String {
    let count = |verdict| servers.iter().filter(|s| s.verdict == verdict).count();
    let all = servers.len();
    let servers = if all == 1 { "server" } else { "servers" };
    format!(
        "{all} {servers}: {} ok, {} with problems, {} failed",
        count(Verdict::Ok),
        count(Verdict::Problems),
        count(Verdict::Failed)
    )
}
