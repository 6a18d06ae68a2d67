//! `mcp resources`: what each server lets be read.

use futures_util::future::join_all;
use mcp::ServerPool;
use mcp::client::{Error, Session};
use mcp::interceptors::{Phase, ServerFailure};
use mcp::jsonrpc::ErrorCode;
use mcp::protocol::{Resource, ResourceTemplate};
use serde::Serialize;

use super::Answer;
use super::listing::{self, AsJson, Row};
use crate::arguments::ListArguments;
use crate::exit::Failure;
use crate::fleet::Fleet;
use crate::shown;

/// What one server lets be read.
#[derive(Debug, Serialize)]
struct Readable {
    name: String,
    resources: Vec<Resource>,
    templates: Vec<ResourceTemplate>,
}

pub(super) async fn run(arguments: &ListArguments, fleet: &Fleet) -> Result<Answer, Failure> {
    let pool = fleet.only(&arguments.only)?;
    let names = listing::names(&pool);
    let mut failures = Vec::new();
    let mut servers = Vec::new();
    for (readable, failure) in join_all(names.iter().map(|name| ask(&pool, name))).await {
        servers.push(readable);
        failures.extend(failure);
    }
    let text = if arguments.json {
        let servers = servers.iter().collect();
        shown::json(&AsJson {
            servers,
            failures: &failures,
        })?
    } else {
        listing::text(&names, &failures, "no resources", |server| {
            let of = servers.iter().find(|readable| readable.name == server);
            of.map(rows).unwrap_or_default()
        })
    };
    let exit = listing::exit(&names, &failures);
    Ok(Answer { text, exit })
}

async fn ask(pool: &ServerPool, server: &str) -> (Readable, Option<ServerFailure>) {
    let mut readable = Readable {
        name: server.to_owned(),
        resources: Vec::new(),
        templates: Vec::new(),
    };
    let session = match pool.session(server).await {
        Ok(session) => session,
        Err(error) => {
            return (
                readable,
                Some(listing::failure(server, &error, Phase::Connect)),
            );
        }
    };
    let failure = list(&session, &mut readable).await.err().map(|error| {
        ServerFailure::new(server, Phase::List, error.chain()).with_stderr(session.stderr())
    });
    (readable, failure)
}

async fn list(session: &Session, readable: &mut Readable) -> Result<(), Error> {
    if session.capabilities().resources.is_none() {
        return Ok(());
    }
    let resources = session.list_resources().await?;
    readable.resources.clone_from(&resources.items);
    match session.list_resource_templates().await {
        Ok(templates) => readable.templates.clone_from(&templates.items),
        Err(error) if lacks_method(&error) => {}
        Err(error) => return Err(error),
    }
    Ok(())
}

/// Many servers with resources do not know that there are templates.
pub(super) fn lacks_method(error: &Error) -> bool {
    error
        .remote()
        .is_some_and(|error| error.code == ErrorCode::METHOD_NOT_FOUND)
}

fn rows(readable: &Readable) -> Vec<Row> {
    let resources = readable.resources.iter().map(|resource| {
        let name = resource.title.as_deref().unwrap_or(&resource.name);
        let (kind, said) = (&resource.mime_type, &resource.description);
        (resource.uri.clone(), about(name, kind, said))
    });
    let templates = readable.templates.iter().map(|template| {
        let name = template.title.as_deref().unwrap_or(&template.name);
        let (kind, said) = (&template.mime_type, &template.description);
        (template.uri_template.clone(), about(name, kind, said))
    });
    resources.chain(templates).collect()
}

/// `name, media type: description`
fn about(name: &str, mime_type: &Option<String>, description: &Option<String>) -> String {
    let mut text = name.to_owned();
    text.extend(mime_type.iter().flat_map(|kind| [", ", kind]));
    text.extend(description.iter().flat_map(|said| [": ", said]));
    text
}
