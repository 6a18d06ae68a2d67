//! The tools that an agent has in a run, by the names that the model uses.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::join_all;
use mcp_interceptors::{BoundTool, Intercepted, ServerFailure, ToolList, ToolService, Toolset};
use mcp_model::{ToolSpec, ToolUse};
use mcp_protocol::Tool;
use serde_json::{Map, Value, json};

use crate::{Error, ErrorKind};

/// A tool and what answers its calls.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The name that the model uses.
    pub(crate) name: Arc<str>,
    pub(crate) tool: Arc<BoundTool>,
    pub(crate) service: ToolService,
}

/// The tools of a run. Built once, and again only when a list has changed.
#[derive(Debug)]
pub(crate) struct Table {
    entries: HashMap<String, Entry>,
    pub(crate) specs: Arc<[ToolSpec]>,
    listed: Arc<[Arc<BoundTool>]>,
}

/// The table of the last run, for the next.
#[derive(Debug, Default)]
pub(crate) struct LastTable(Mutex<Option<Arc<Table>>>);

impl LastTable {
    /// Lists the tools of all toolsets. A server that cannot be asked now keeps the tools that it
    /// has in `known`.
    pub(crate) async fn list(
        &self,
        sources: &[Intercepted],
        own: &[ToolSpec],
        known: Option<&Table>,
    ) -> Result<(Arc<Table>, Vec<ServerFailure>), Error> {
        let mut lists = join_all(sources.iter().map(|source| source.tools())).await;
        if let Some(known) = known {
            lists.iter_mut().for_each(|list| known.keep_for(list));
        }
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let listed = lists.iter().flat_map(|list| &list.tools);
        let table = match last.as_ref().filter(|table| table.is_of(listed)) {
            Some(table) => Arc::clone(table),
            None => Arc::new(Table::build(sources, &lists, own)?),
        };
        *last = Some(Arc::clone(&table));
        let failures = lists.into_iter().flat_map(|list| list.failures);
        Ok((table, failures.collect()))
    }
}

impl Table {
    fn build(sources: &[Intercepted], lists: &[ToolList], own: &[ToolSpec]) -> Result<Self, Error> {
        let mut entries: HashMap<String, Entry> = HashMap::new();
        let mut specs = Vec::new();
        let mut listed = Vec::new();
        let lists = sources.iter().zip(lists);
        let tools =
            lists.flat_map(|(source, list)| list.tools.iter().map(move |tool| (source, tool)));
        for (source, tool) in tools {
            let entry = Entry {
                name: tool.name().into(),
                tool: Arc::clone(tool),
                service: source.service().clone(),
            };
            if let Some(other) = entries.insert(tool.name().to_owned(), entry) {
                let (name, one, two) = (tool.name(), other.tool.server(), tool.server());
                let message = format!("two tools are named {name}: of {one} and of {two}");
                return Err(Error::new(ErrorKind::Tools, message));
            }
            specs.push(spec(tool.name(), tool.shown()));
            listed.push(Arc::clone(tool));
        }
        for spec in own {
            if let Some(taken) = entries.get(&spec.name) {
                let (name, server) = (&spec.name, taken.tool.server());
                let message = format!("{server} has a tool named {name}, which is the agent's own");
                return Err(Error::new(ErrorKind::Tools, message));
            }
            specs.push(spec.clone());
        }
        Ok(Self {
            entries,
            specs: specs.into(),
            listed: listed.into(),
        })
    }

    /// Puts back the tools of the servers that a list lacks because they could not be asked.
    fn keep_for(&self, list: &mut ToolList) {
        let ToolList {
            tools, failures, ..
        } = list;
        let lacks = |tool: &&Arc<BoundTool>| {
            let failed = failures
                .iter()
                .any(|failure| failure.server == **tool.server());
            failed && tools.iter().all(|listed| listed.server() != tool.server())
        };
        let kept: Vec<_> = self.listed.iter().filter(lacks).cloned().collect();
        tools.extend(kept);
    }

    /// The tools of all toolsets.
    pub(crate) fn listed(&self) -> Arc<[Arc<BoundTool>]> {
        Arc::clone(&self.listed)
    }

    fn is_of<'a>(&self, mut listed: impl Iterator<Item = &'a Arc<BoundTool>>) -> bool {
        let same = self
            .listed
            .iter()
            .all(|known| listed.next().is_some_and(|tool| Arc::ptr_eq(known, tool)));
        same && listed.next().is_none()
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Entry> {
        self.entries.get(name)
    }

    /// The server of a call's tool.
    pub(crate) fn server_of(&self, call: &ToolUse) -> Option<Arc<str>> {
        let entry = self.get(&call.name)?;
        Some(Arc::clone(entry.tool.server()))
    }

    /// What to tell a model that asked for a tool that is not there. Names at most 50 tools.
    pub(crate) fn unknown(&self, name: &str) -> String {
        let mut names: Vec<&str> = self.specs.iter().map(|spec| spec.name.as_str()).collect();
        let total = names.len();
        let close = |known: &str| {
            let short = known.rsplit("__").next().unwrap_or(known);
            known.eq_ignore_ascii_case(name)
                || short.eq_ignore_ascii_case(name)
                || name.rsplit("__").next() == Some(short)
        };
        let similar: Vec<&str> = names.iter().copied().filter(|known| close(known)).collect();
        names.truncate(50);
        let mut text = format!("there is no tool named {name}");
        if !similar.is_empty() {
            text.push_str(&format!("; did you mean {}?", similar.join(" or ")));
        }
        match (total, names.len()) {
            (0, _) => text.push_str("; there are no tools at all"),
            (all, shown) if all > shown => {
                text.push_str(&format!("; some of the {all} tools: {}", names.join(", ")));
            }
            _ => text.push_str(&format!("; the tools are: {}", names.join(", "))),
        }
        text
    }
}

/// The copy of a tool that the model sees: providers want `type` and `properties`, and some
/// refuse `$schema`. The tool itself stays as the server sent it.
fn spec(name: &str, tool: &Tool) -> ToolSpec {
    let mut spec = ToolSpec::of_tool(name, tool);
    if !spec.input_schema.is_object() {
        spec.input_schema = Value::Object(Map::new());
    }
    if let Value::Object(schema) = &mut spec.input_schema {
        schema.remove("$schema");
        schema.entry("type").or_insert_with(|| "object".into());
        schema.entry("properties").or_insert_with(|| json!({}));
    }
    spec
}
