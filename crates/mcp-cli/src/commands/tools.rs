//! `mcp tools`: what each server offers.

use mcp::interceptors::{BoundTool, ServerFailure, ToolList};
use serde_json::{Value, json};

use crate::arguments::ToolsArguments;
use crate::exit::{Exit, Failure};
use crate::fleet::Fleet;
use crate::output;
use crate::view::failure_text;

/// The longest description that is shown, in characters.
const DESCRIPTION: usize = 100;

pub(super) async fn run(arguments: &ToolsArguments, fleet: &Fleet) -> Result<Exit, Failure> {
    let list = fleet.pool().tools().await;
    let servers: Vec<&str> = fleet.pool().servers().map(|name| &**name).collect();
    let text = if arguments.json {
        serde_json::to_string_pretty(&as_json(&servers, &list)).map_err(Failure::failed)?
    } else {
        as_text(&servers, &list)
    };
    output::answer(&text);
    let any = servers
        .iter()
        .any(|server| failures_of(&list, server).next().is_none());
    Ok(if any { Exit::Done } else { Exit::Failed })
}

fn tools_of<'l>(list: &'l ToolList, server: &str) -> impl Iterator<Item = &'l BoundTool> {
    let of = move |tool: &&BoundTool| **tool.server() == *server;
    list.tools.iter().map(|tool| &**tool).filter(of)
}

fn failures_of<'l>(list: &'l ToolList, server: &str) -> impl Iterator<Item = &'l ServerFailure> {
    list.failures
        .iter()
        .filter(move |failure| failure.server == server)
}

fn as_text(servers: &[&str], list: &ToolList) -> String {
    let mut lines = Vec::new();
    for server in servers {
        for failure in failures_of(list, server) {
            lines.push(failure_text(failure));
        }
        let tools: Vec<&BoundTool> = tools_of(list, server).collect();
        if tools.is_empty() {
            if failures_of(list, server).next().is_none() {
                lines.push(format!("{server}  no tools"));
            }
            continue;
        }
        lines.push((*server).to_owned());
        let width = tools
            .iter()
            .map(|tool| tool.tool().name.chars().count())
            .max();
        for tool in tools {
            let name = &tool.tool().name;
            let description = shortened(tool.tool().description.as_deref().unwrap_or_default());
            let line = format!(
                "  {name:<width$}  {description}",
                width = width.unwrap_or(0)
            );
            lines.push(line.trim_end().to_owned());
        }
    }
    lines.join("\n")
}

/// The description on one line, not too long.
fn shortened(description: &str) -> String {
    let text = description.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut shown: String = text.chars().take(DESCRIPTION).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

fn as_json(servers: &[&str], list: &ToolList) -> Value {
    let servers: Vec<Value> = servers
        .iter()
        .map(|server| {
            let tools: Vec<Value> = tools_of(list, server)
                .map(|tool| json!({"exposed_name": tool.name(), "tool": &**tool.tool()}))
                .collect();
            json!({"name": server, "tools": tools})
        })
        .collect();
    json!({"servers": servers, "failures": list.failures})
}
