//! One server, looked at from its start to its end.

use std::time::{Duration, Instant};

use mcp::ServerPool;
use mcp::client::{CallOptions, Error, Session};
use mcp::interceptors::{Phase, ServerFailure};
use mcp::protocol::CallToolParams;
use mcp::transport::CallError;

use super::lists;
use super::outside;
use super::report::{Code, Counts, Era, Problem, ServerReport, Wire};
use crate::commands::listing;
use crate::commands::resources::lacks_method;
use crate::fleet::Seen;
use crate::view::milliseconds;

/// How long a server may take to say that it has no such tool.
const PATIENCE: Duration = Duration::from_secs(10);
/// A tool that no server has.
const NO_TOOL: &str = "mcp-doctor-asks-for-a-tool-that-is-not-there";

/// Looks at a server, and ends the connection with it.
pub(super) async fn examine(pool: &ServerPool, name: &str, seen: &Seen) -> ServerReport {
    let wire = match seen.is_child() {
        true => Wire::Stdio,
        false => Wire::Http,
    };
    let mut report = ServerReport::new(name, wire);
    let begun = Instant::now();
    match pool.session(name).await {
        Ok(session) => {
            report.starts = true;
            outside::started(&mut report, seen, begun.elapsed());
            agreed(&mut report, &session);
            if let Err((phase, error)) = talk(&mut report, &session).await {
                let failure = ServerFailure::new(name, phase, error.chain());
                report.failure = Some(failure.with_stderr(session.stderr()).into());
            }
            outside::running(&mut report, seen);
            let ending = Instant::now();
            session.close().await;
            outside::ended(&mut report, seen, ending.elapsed());
        }
        Err(error) => {
            let failure = listing::failure(name, &error, Phase::Connect);
            report.starts = matches!(failure.phase, Phase::Handshake);
            report.failure = Some(failure.into());
            outside::running(&mut report, seen);
        }
    }
    report.judge();
    report.shorten();
    report
}

fn agreed(report: &mut ServerReport, session: &Session) {
    report.revision = Some(session.version().as_str());
    report.era = Some(match session.version().is_stateless() {
        true => Era::Stateless,
        false => Era::Handshake,
    });
    report.info = session.server_info().cloned();
    report.capabilities = Some(session.capabilities().clone());
}

/// Asks for everything that can be asked for without an effect. The first failure ends it.
async fn talk(report: &mut ServerReport, session: &Session) -> Result<(), (Phase, Error)> {
    let begun = Instant::now();
    let listed = list(report, session).await;
    report.milliseconds.list = Some(milliseconds(begun.elapsed()));
    listed.map_err(|error| (Phase::List, error))?;
    outside::written(report, session);
    let called = async {
        ping(report, session).await?;
        call(report, session).await
    };
    called.await.map_err(|error| (Phase::Call, error))
}

async fn list(report: &mut ServerReport, session: &Session) -> Result<(), Error> {
    let capabilities = session.capabilities();
    let (counts, problems) = (&mut report.counts, &mut report.problems);
    if capabilities.tools.is_some() {
        let tools = session.list_tools().await?;
        counts.tools = Some(tools.items.len());
        report.tools = tools.items.iter().map(|tool| tool.name.clone()).collect();
        problems.extend(lists::of("tool", &tools, |tool| &tool.name));
        problems.extend(lists::of_tools(session.server(), &tools.items));
    }
    if capabilities.prompts.is_some() {
        let prompts = session.list_prompts().await?;
        counts.prompts = Some(prompts.items.len());
        problems.extend(lists::of("prompt", &prompts, |prompt| &prompt.name));
    }
    if capabilities.resources.is_some() {
        list_resources(counts, problems, session).await?;
    }
    Ok(())
}

async fn list_resources(
    counts: &mut Counts,
    problems: &mut Vec<Problem>,
    session: &Session,
) -> Result<(), Error> {
    let resources = session.list_resources().await?;
    counts.resources = Some(resources.items.len());
    let mut found = lists::of("resource", &resources, |resource| &resource.uri);
    match session.list_resource_templates().await {
        Ok(templates) => {
            counts.templates = Some(templates.items.len());
            let of_templates = lists::of("template", &templates, |template| &template.uri_template);
            found.extend(of_templates);
        }
        Err(error) if lacks_method(&error) => {}
        Err(error) => return Err(error),
    }
    // To have no templates is common, and to have nothing else is, too.
    let none_at_all = counts.resources == Some(0) && counts.templates.unwrap_or(0) == 0;
    let mut empty = none_at_all;
    found.retain(|problem| problem.code != Code::Empty || std::mem::take(&mut empty));
    problems.extend(found);
    Ok(())
}

async fn ping(report: &mut ServerReport, session: &Session) -> Result<(), Error> {
    let begun = Instant::now();
    let answered = session.ping(&CallOptions::new()).await;
    report.milliseconds.ping = Some(milliseconds(begun.elapsed()));
    match answered {
        Ok(()) => Ok(()),
        Err(error) if is_answer(&error) => {
            let message = format!("it does not answer a ping as it must: {}", error.chain());
            report.problems.push(Problem::warning(Code::Ping, message));
            Ok(())
        }
        Err(error) => Err(error),
    }
}

/// Calls a tool that is not there: the one call that has no effect.
async fn call(report: &mut ServerReport, session: &Session) -> Result<(), Error> {
    if session.capabilities().tools.is_none() {
        return Ok(());
    }
    let options = CallOptions::new().with_timeout(PATIENCE);
    match session
        .call_tool(CallToolParams::new(NO_TOOL), &options)
        .await
    {
        Ok(result) if !result.is_error() => {
            let message = "a call of a tool that is not there succeeds";
            report
                .problems
                .push(Problem::warning(Code::UnknownTool, message));
            Ok(())
        }
        Ok(_) => Ok(()),
        Err(error) if is_answer(&error) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Whether the server has answered, if only with an error or something that cannot be used.
fn is_answer(error: &Error) -> bool {
    match error {
        Error::Call(CallError::Rejected(rejection)) => !rejection.session_lost,
        Error::Call(CallError::Remote(_))
        | Error::Input(_)
        | Error::Result { .. }
        | Error::ResultType { .. } => true,
        _ => false,
    }
}
