//! `mcp tools`: what each server can do.

use mcp::interceptors::{BoundTool, ToolList};
use mcp::protocol::Tool;
use serde::Serialize;

use super::Answer;
use super::listing::{self, AsJson, Row};
use crate::arguments::ListArguments;
use crate::exit::Failure;
use crate::fleet::Fleet;
use crate::shown;

pub(super) async fn run(arguments: &ListArguments, fleet: &Fleet) -> Result<Answer, Failure> {
    let pool = fleet.only(&arguments.only)?;
    let (list, servers) = (pool.tools().await, listing::names(&pool));
    let text = if arguments.json {
        shown::json(&as_json(&servers, &list))?
    } else {
        listing::text(&servers, &list.failures, "no tools", |server| {
            rows(&list, server)
        })
    };
    let exit = listing::exit(&servers, &list.failures);
    Ok(Answer { text, exit })
}

fn tools_of<'l>(list: &'l ToolList, server: &str) -> impl Iterator<Item = &'l BoundTool> {
    let of = move |tool: &&BoundTool| **tool.server() == *server;
    list.tools.iter().map(|tool| &**tool).filter(of)
}

fn rows(list: &ToolList, server: &str) -> Vec<Row> {
    let row = |tool: &BoundTool| {
        let tool = tool.tool();
        let said = tool.description.clone().unwrap_or_default();
        (tool.name.clone(), said)
    };
    tools_of(list, server).map(row).collect()
}

/// A server's tools as JSON.
#[derive(Serialize)]
struct ToolsOf<'l> {
    name: &'l str,
    tools: Vec<Named<'l>>,
}

#[derive(Serialize)]
struct Named<'l> {
    exposed_name: &'l str,
    tool: &'l Tool,
}

fn as_json<'l>(servers: &'l [String], list: &'l ToolList) -> AsJson<'l, ToolsOf<'l>> {
    let named = |tool: &'l BoundTool| Named {
        exposed_name: tool.name(),
        tool: tool.tool(),
    };
    let of = |name: &'l String| ToolsOf {
        name,
        tools: tools_of(list, name).map(named).collect(),
    };
    AsJson {
        servers: servers.iter().map(of).collect(),
        failures: &list.failures,
    }
}
