//! What is to be seen of a server from outside: times, noise, what it writes to its stderr.

use std::time::Duration;

use mcp::client::Session;

use super::report::{Code, Problem, ServerReport};
use crate::fleet::Seen;
use crate::shown;
use crate::view::milliseconds;

/// A start that takes longer than this is felt.
const SLOW_START: Duration = Duration::from_secs(2);
/// How long this command waits for a start, unless it is told otherwise.
const TOO_SLOW: Duration = Duration::from_secs(5);
/// How long a process has to end after its input has, before it is made to.
const SLOW_END: Duration = Duration::from_secs(2);
/// The longest piece of a server's output that is quoted, in characters.
const QUOTED: usize = 120;
/// The most lines of stderr that are quoted.
const LINES: usize = 3;

/// The server has been agreed with, after this long.
pub(super) fn started(report: &mut ServerReport, seen: &Seen, took: Duration) {
    let opening = seen.opening().filter(|_| seen.is_child());
    report.milliseconds.start = opening.map(milliseconds);
    let handshake = took.saturating_sub(opening.unwrap_or_default());
    report.milliseconds.handshake = Some(milliseconds(handshake));
    report.problems.extend(slow(took));
    if seen.connections() > 1 {
        let message = "it ends when it is asked for its revision before the handshake, and had to \
                       be started again";
        report
            .problems
            .push(Problem::note(Code::Restarted, message));
    }
}

fn slow(took: Duration) -> Option<Problem> {
    let message = format!(
        "it takes {:.1} s until it answers; some clients do not wait so long",
        took.as_secs_f64()
    );
    if took > TOO_SLOW {
        Some(Problem::warning(Code::SlowStart, message))
    } else if took > SLOW_START {
        Some(Problem::note(Code::SlowStart, message))
    } else {
        None
    }
}

/// What a server wrote to its stderr while nothing was wrong.
pub(super) fn written(report: &mut ServerReport, session: &Session) {
    let text = session.stderr().unwrap_or_default();
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let last = lines.iter().skip(lines.len().saturating_sub(LINES));
    let last: Vec<String> = last.map(|line| shown::cut(line, QUOTED)).collect();
    if !last.is_empty() {
        let message = format!(
            "it writes to its standard error, last: {}",
            last.join(" / ")
        );
        report.problems.push(Problem::note(Code::Stderr, message));
    }
}

/// What else a process wrote so far.
pub(super) fn running(report: &mut ServerReport, seen: &Seen) {
    let Some(process) = seen.process() else {
        return;
    };
    let first = shown::cut(process.first_noise().unwrap_or_default(), QUOTED);
    let message = match process.noise() {
        0 => return,
        1 => format!("a line on its standard output is no message: {first}"),
        n => format!("{n} lines on its standard output are no messages, the first: {first}"),
    };
    report.problems.push(Problem::warning(Code::Noise, message));
}

/// The connection was ended, which took this long.
pub(super) fn ended(report: &mut ServerReport, seen: &Seen, took: Duration) {
    report.milliseconds.end = Some(milliseconds(took));
    if seen.is_child() && took >= SLOW_END {
        let message = format!(
            "it does not end within {} s of the end of its input, and had to be made to",
            SLOW_END.as_secs()
        );
        report
            .problems
            .push(Problem::warning(Code::SlowEnd, message));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::doctor::report::{Severity, Wire};

    #[test]
    fn a_start_is_slow_from_two_seconds_on_and_a_problem_from_five() {
        for (seconds, severity) in [
            (2, None),
            (3, Some(Severity::Note)),
            (6, Some(Severity::Warning)),
        ] {
            let problem = slow(Duration::from_secs(seconds));
            assert_eq!(
                problem.map(|problem| problem.severity),
                severity,
                "{seconds}"
            );
        }
    }

    #[test]
    fn only_a_process_has_to_end_with_its_input() {
        let mut report = ServerReport::new("x", Wire::Http);
        ended(&mut report, &Seen::http(), Duration::from_secs(9));
        assert!(report.problems.is_empty());
        assert_eq!(report.milliseconds.end, Some(9000.0));
    }
}
