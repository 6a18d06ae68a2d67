//! What was registered, by name and in order.

mod listed;
mod per_version;

use std::sync::Arc;

use mcp_protocol::{
    Cursor, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
};

use crate::TemplateVars;
use crate::prompt::PromptEntry;
use crate::resource::{ResourceEntry, TemplateEntry};
use crate::tool::ToolEntry;

pub(crate) use listed::{ListSettings, Listed};
pub(crate) use per_version::PerVersion;

use listed::Entry;

/// The registry of a server.
#[derive(Debug)]
pub(crate) struct Catalog {
    pub(crate) tools: Listed<ToolEntry>,
    pub(crate) resources: Listed<ResourceEntry>,
    pub(crate) templates: Listed<TemplateEntry>,
    pub(crate) prompts: Listed<PromptEntry>,
}

impl Catalog {
    /// The first template that the URI is of, with its variables.
    pub(crate) fn template_of(&self, uri: &str) -> Option<(&Arc<TemplateEntry>, TemplateVars)> {
        self.templates
            .iter()
            .find_map(|entry| Some((entry, entry.uris.matches(uri)?)))
    }

    pub(crate) fn has_resource(&self, uri: &str) -> bool {
        self.resources.get(uri).is_some() || self.template_of(uri).is_some()
    }
}

impl Entry for ToolEntry {
    type Result = ListToolsResult;

    fn key(&self) -> &str {
        &self.tool.name
    }

    fn list<'a>(
        entries: impl Iterator<Item = &'a Self>,
        next_cursor: Option<Cursor>,
    ) -> ListToolsResult {
        let mut result = ListToolsResult::new(entries.map(|entry| entry.tool.clone()).collect());
        result.next_cursor = next_cursor;
        result
    }
}

impl Entry for ResourceEntry {
    type Result = ListResourcesResult;

    fn key(&self) -> &str {
        &self.resource.uri
    }

    fn list<'a>(
        entries: impl Iterator<Item = &'a Self>,
        next_cursor: Option<Cursor>,
    ) -> ListResourcesResult {
        let mut result =
            ListResourcesResult::new(entries.map(|entry| entry.resource.clone()).collect());
        result.next_cursor = next_cursor;
        result
    }
}

impl Entry for TemplateEntry {
    type Result = ListResourceTemplatesResult;

    fn key(&self) -> &str {
        &self.template.uri_template
    }

    fn list<'a>(
        entries: impl Iterator<Item = &'a Self>,
        next_cursor: Option<Cursor>,
    ) -> ListResourceTemplatesResult {
        let mut result =
            ListResourceTemplatesResult::new(entries.map(|entry| entry.template.clone()).collect());
        result.next_cursor = next_cursor;
        result
    }
}

impl Entry for PromptEntry {
    type Result = ListPromptsResult;

    fn key(&self) -> &str {
        &self.prompt.name
    }

    fn list<'a>(
        entries: impl Iterator<Item = &'a Self>,
        next_cursor: Option<Cursor>,
    ) -> ListPromptsResult {
        let mut result =
            ListPromptsResult::new(entries.map(|entry| entry.prompt.clone()).collect());
        result.next_cursor = next_cursor;
        result
    }
}
