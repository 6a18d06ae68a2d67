//! What is wrong with what a server lists.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use mcp::client::{Listed, NamePolicy};
use mcp::protocol::Tool;

use super::report::{Code, Problem, ServerReport};
use super::schema;

/// From this size on a list of tools takes much of what a model can read, in bytes.
const LARGE: usize = 64 * 1024;
/// The most tools that are named in one line.
const NAMED: usize = 5;
/// What is said of an element without the member.
const NO_SCHEMA: &str = "missing field `inputSchema`";

/// The problems of a list of this kind: elements that cannot be read, names that come twice,
/// nothing at all.
pub(super) fn of<T>(kind: &str, list: &Listed<T>, name: impl Fn(&T) -> &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    for skipped in &list.skipped {
        let code = match skipped.contains(NO_SCHEMA) {
            true => Code::MissingInputSchema,
            false => Code::Skipped,
        };
        let message = format!("a {kind} cannot be read and is left out: {skipped}");
        problems.push(Problem::warning(code, message));
    }
    let mut seen = HashSet::new();
    for item in &list.items {
        if !seen.insert(name(item)) {
            let message = format!("there are several {kind}s of this name; only one can be used");
            problems.push(Problem::warning(Code::Duplicate, message).about(name(item)));
        }
    }
    if list.items.is_empty() && list.skipped.is_empty() {
        let message = format!("it says that it has {kind}s, and lists none");
        problems.push(Problem::note(Code::Empty, message));
    }
    problems
}

/// The problems of the tools themselves.
pub(super) fn of_tools(server: &str, tools: &[Tool]) -> Vec<Problem> {
    let mut problems: Vec<Problem> = tools.iter().flat_map(of_tool).collect();
    problems.extend(renamed(server, tools));
    let size: usize = tools.iter().map(size).sum();
    if size > LARGE {
        let message = format!(
            "the definitions of the tools have {} KiB, which a model reads with every question",
            size / 1024
        );
        problems.push(Problem::note(Code::Large, message));
    }
    problems
}

/// What is said of tools whose names models do not take as they are.
fn renamed(server: &str, tools: &[Tool]) -> Option<Problem> {
    let changed = |tool: &Tool| {
        let name = NamePolicy::Prefixed.name(server, &tool.name);
        (name != format!("{server}__{}", tool.name)).then(|| format!("{} as {name}", tool.name))
    };
    let changed: Vec<String> = tools.iter().filter_map(changed).collect();
    let message = format!(
        "models take only short plain names; they see {}",
        some_of(&changed)
    );
    (!changed.is_empty()).then(|| Problem::note(Code::Renamed, message))
}

/// The first names, and how many more there are.
fn some_of(names: &[impl AsRef<str>]) -> String {
    let named: Vec<&str> = names.iter().take(NAMED).map(AsRef::as_ref).collect();
    match names.len().saturating_sub(NAMED) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

fn of_tool(tool: &Tool) -> Vec<Problem> {
    let mut problems = Vec::new();
    if !tool.has_recommended_name() {
        let message = "its name is not as recommended: 1 to 128 of A-Z a-z 0-9 _ - .";
        problems.push(Problem::warning(Code::ToolName, message));
    }
    if tool
        .description
        .as_deref()
        .is_none_or(|text| text.trim().is_empty())
    {
        let message = "it has no description, by which a model would choose it";
        problems.push(Problem::note(Code::NoDescription, message));
    }
    let input = schema::of_arguments(&tool.input_schema).into_iter();
    let output = tool
        .output_schema
        .as_ref()
        .map(schema::of)
        .unwrap_or_default();
    let input = input.map(|complaint| format!("its inputSchema: {complaint}"));
    let output = output
        .into_iter()
        .map(|complaint| format!("its outputSchema: {complaint}"));
    problems.extend(
        input
            .chain(output)
            .map(|text| Problem::warning(Code::Schema, text)),
    );
    let about = |problem: Problem| problem.about(tool.name.as_str());
    problems.into_iter().map(about).collect()
}

/// The size of a definition as JSON.
fn size(tool: &Tool) -> usize {
    serde_json::to_string(tool).map_or(0, |text| text.len())
}

/// Notes at each server which of its tools others have, too: the last finding.
pub(super) fn compare(servers: &mut [ServerReport]) {
    let mut owners: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for server in servers.iter() {
        for tool in &server.tools {
            let owners = owners.entry(tool.clone()).or_default();
            owners.insert(server.name.clone());
        }
    }
    for server in servers {
        let mut shared: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (tool, all) in owners.iter().filter(|(_, all)| all.contains(&server.name)) {
            for other in all.iter().filter(|other| **other != server.name) {
                shared.entry(other).or_default().push(tool);
            }
        }
        let clashes = shared.iter().map(|(other, tools)| clash(other, tools));
        server.problems.extend(clashes);
        server.shorten();
    }
}

fn clash(other: &str, tools: &[&str]) -> Problem {
    let message = format!(
        "{other} has tools of the same names: {}; clients that do not prefix names take one of them",
        some_of(tools)
    );
    Problem::note(Code::NameClash, message)
}
