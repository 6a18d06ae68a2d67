//! `mcp ping`: whether each server is there.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use mcp::ServerPool;
use mcp::client::CallOptions;
use mcp::interceptors::{Phase, ServerFailure};
use serde_json::{Value, json};

use super::{Answer, listing};
use crate::arguments::ListArguments;
use crate::exit::{Exit, Failure};
use crate::fleet::Fleet;
use crate::shown;
use crate::view::{failure_text, milliseconds};

/// A server that has answered.
struct Answered {
    server: String,
    revision: &'static str,
    took: Duration,
}

pub(super) async fn run(arguments: &ListArguments, fleet: &Fleet) -> Result<Answer, Failure> {
    let pool = fleet.only(&arguments.only)?;
    let names = listing::names(&pool);
    let answers = join_all(names.iter().map(|name| ping(&pool, name))).await;
    let text = if arguments.json {
        shown::json(&as_json(&answers))?
    } else {
        as_text(&names, &answers)
    };
    let exit = match answers.iter().any(Result::is_ok) {
        true => Exit::Done,
        false => Exit::Failed,
    };
    Ok(Answer { text, exit })
}

async fn ping(pool: &ServerPool, server: &str) -> Result<Answered, ServerFailure> {
    let session = pool.session(server).await;
    let session = session.map_err(|error| listing::failure(server, &error, Phase::Connect))?;
    let begun = Instant::now();
    session.ping(&CallOptions::new()).await.map_err(|error| {
        ServerFailure::new(server, Phase::Call, error.chain()).with_stderr(session.stderr())
    })?;
    Ok(Answered {
        server: server.to_owned(),
        revision: session.version().as_str(),
        took: begun.elapsed(),
    })
}

fn as_text(names: &[String], answers: &[Result<Answered, ServerFailure>]) -> String {
    let width = names.iter().map(|name| name.chars().count()).max();
    let width = width.unwrap_or_default();
    let line = |answer: &Result<Answered, ServerFailure>| match answer {
        Ok(answer) => format!(
            "{:<width$}  {} ms  {}",
            shown::line(&answer.server),
            milliseconds(answer.took),
            answer.revision
        ),
        Err(failure) => failure_text(failure),
    };
    answers.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn as_json(answers: &[Result<Answered, ServerFailure>]) -> Value {
    let servers: Vec<Value> = answers
        .iter()
        .flatten()
        .map(|answer| {
            json!({
                "name": answer.server,
                "revision": answer.revision,
                "milliseconds": milliseconds(answer.took),
            })
        })
        .collect();
    let failures: Vec<&ServerFailure> = answers.iter().filter_map(|a| a.as_ref().err()).collect();
    json!({"servers": servers, "failures": failures})
}
