//! `mcp prompts`: what each server can fill in.

use mcp::client::Catalog;
use mcp::protocol::Prompt;
use serde::Serialize;

use super::Answer;
use super::listing::{self, AsJson, Row};
use crate::arguments::ListArguments;
use crate::exit::Failure;
use crate::fleet::Fleet;
use crate::shown;

pub(super) async fn run(arguments: &ListArguments, fleet: &Fleet) -> Result<Answer, Failure> {
    let pool = fleet.only(&arguments.only)?;
    let (catalog, servers) = (pool.prompts().await, listing::names(&pool));
    let text = if arguments.json {
        shown::json(&as_json(&servers, &catalog))?
    } else {
        listing::text(&servers, &catalog.failures, "no prompts", |server| {
            prompts_of(&catalog, server).map(row).collect()
        })
    };
    let exit = listing::exit(&servers, &catalog.failures);
    Ok(Answer { text, exit })
}

fn prompts_of<'c>(catalog: &'c Catalog<Prompt>, server: &str) -> impl Iterator<Item = &'c Prompt> {
    let entries = catalog.entries.iter();
    entries
        .filter(move |entry| *entry.server == *server)
        .map(|entry| &entry.item)
}

/// The name with its arguments, as `mcp prompt` wants them; those that may be left out in brackets.
fn row(prompt: &Prompt) -> Row {
    let mut name = prompt.name.clone();
    for argument in prompt.arguments.iter().flatten() {
        let word = format!("{}=", argument.name);
        name.push_str(&match argument.required {
            Some(true) => format!(" {word}"),
            _ => format!(" [{word}]"),
        });
    }
    let said = prompt.description.as_ref().or(prompt.title.as_ref());
    (name, said.cloned().unwrap_or_default())
}

/// A server's prompts as JSON.
#[derive(Serialize)]
struct PromptsOf<'c> {
    name: &'c str,
    prompts: Vec<&'c Prompt>,
}

fn as_json<'c>(servers: &'c [String], catalog: &'c Catalog<Prompt>) -> AsJson<'c, PromptsOf<'c>> {
    let of = |name: &'c String| PromptsOf {
        name,
        prompts: prompts_of(catalog, name).collect(),
    };
    AsJson {
        servers: servers.iter().map(of).collect(),
        failures: &catalog.failures,
    }
}
