//! Lists of what several servers have, with those that failed among them.

use mcp::ServerPool;
use mcp::client::PoolError;
use mcp::interceptors::{Phase, ServerFailure};
use serde::Serialize;

use crate::exit::Exit;
use crate::shown;
use crate::view::failure_text;

/// The longest description that is shown, in characters.
const DESCRIPTION: usize = 100;

/// A name and what is said of it.
pub(super) type Row = (String, String);

/// The list as JSON: what each server has, and who failed. Nothing in it is copied.
#[derive(Debug, Serialize)]
pub(super) struct AsJson<'l, S> {
    pub(super) servers: Vec<S>,
    pub(super) failures: &'l [ServerFailure],
}

/// The names of the servers, in their order.
pub(super) fn names(pool: &ServerPool) -> Vec<String> {
    pool.servers().map(|name| (**name).to_owned()).collect()
}

/// A failure to get a session, or to do something with it in this phase.
pub(super) fn failure(server: &str, error: &PoolError, phase: Phase) -> ServerFailure {
    match error {
        PoolError::Connect { source, .. } => {
            ServerFailure::new(server, source.phase(), source.chain())
                .with_stderr(source.stderr().map(str::to_owned))
        }
        _ => ServerFailure::new(server, phase, error.chain()),
    }
}

/// The failures of one server.
pub(super) fn failures_of<'l>(
    failures: &'l [ServerFailure],
    server: &str,
) -> impl Iterator<Item = &'l ServerFailure> {
    failures
        .iter()
        .filter(move |failure| failure.server == server)
}

/// How the command ends: well if any server answered.
pub(super) fn exit(servers: &[String], failures: &[ServerFailure]) -> Exit {
    let any = servers
        .iter()
        .any(|server| failures_of(failures, server).next().is_none());
    if any { Exit::Done } else { Exit::Failed }
}

/// The list for people: each server with its rows, and with its failure where it has one.
/// `nothing` is what is said of a server without rows.
pub(super) fn text(
    servers: &[String],
    failures: &[ServerFailure],
    nothing: &str,
    rows: impl Fn(&str) -> Vec<Row>,
) -> String {
    let mut lines = Vec::new();
    for server in servers {
        lines.extend(failures_of(failures, server).map(failure_text));
        let rows = rows(server);
        if rows.is_empty() {
            if failures_of(failures, server).next().is_none() {
                lines.push(format!("{}  {nothing}", shown::line(server)));
            }
            continue;
        }
        lines.push(shown::line(server));
        let rows: Vec<Row> = rows.into_iter().map(row).collect();
        let width = rows.iter().map(|(name, _)| name.chars().count()).max();
        let width = width.unwrap_or_default();
        for (name, said) in rows {
            let line = format!("  {name:<width$}  {said}");
            lines.push(line.trim_end().to_owned());
        }
    }
    lines.join("\n")
}

/// A row as it is shown: on one line, its description not too long.
fn row((name, said): Row) -> Row {
    (shown::line(&name), shown::cut(&said, DESCRIPTION))
}
