//! What was registered, by name and in order.

mod listed;
mod per_version;

use std::sync::Arc;

use mcp_protocol::{
    Cursor, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    ProtocolVersion,
};

use crate::changes::Change;
use crate::prompt::PromptEntry;
use crate::resource::{ResourceEntry, TemplateEntry};
use crate::tool::ToolEntry;
use crate::{Offer, TemplateVars};

pub(crate) use listed::{Entry, ListSettings, Listed};
pub(crate) use per_version::PerVersion;

/// The registry of a server.
#[derive(Debug)]
pub(crate) struct Catalog {
    pub(crate) tools: Listed<ToolEntry>,
    pub(crate) resources: Listed<ResourceEntry>,
    pub(crate) templates: Listed<TemplateEntry>,
    pub(crate) prompts: Listed<PromptEntry>,
    settings: ListSettings,
}

impl Catalog {
    pub(crate) fn new(offer: Offer, settings: ListSettings) -> Self {
        Self {
            tools: Listed::new(offer.tools, settings),
            resources: Listed::new(offer.resources, settings),
            templates: Listed::new(offer.templates, settings),
            prompts: Listed::new(offer.prompts, settings),
            settings,
        }
    }

    /// The same catalog after an edit.
    pub(crate) fn edited(&self, edit: impl FnOnce(&mut Offer)) -> Self {
        let mut offer = Offer {
            tools: self.tools.entries().to_vec(),
            resources: self.resources.entries().to_vec(),
            templates: self.templates.entries().to_vec(),
            prompts: self.prompts.entries().to_vec(),
            refusals: Vec::new(),
        };
        edit(&mut offer);
        Self::new(offer, self.settings)
    }

    /// Which lists are other ones than before.
    pub(crate) fn changes_since(&self, before: &Self) -> impl Iterator<Item = Change<'static>> {
        let resources = self.resources.differs_from(&before.resources)
            || self.templates.differs_from(&before.templates);
        [
            (self.tools.differs_from(&before.tools), Change::Tools),
            (self.prompts.differs_from(&before.prompts), Change::Prompts),
            (resources, Change::Resources),
        ]
        .into_iter()
        .filter_map(|(differs, change)| differs.then_some(change))
    }

    /// The most entries on one page of a list.
    pub(crate) fn page_size(&self) -> usize {
        self.settings.page_size
    }

    /// The first template that the URI is of, with its variables.
    pub(crate) fn template_of(&self, uri: &str) -> Option<(&Arc<TemplateEntry>, TemplateVars)> {
        self.templates
            .entries()
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
        version: ProtocolVersion,
    ) -> ListToolsResult {
        let tools = entries.map(|entry| entry.described_in(version));
        let mut result = ListToolsResult::new(tools.collect());
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
        _: ProtocolVersion,
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
        _: ProtocolVersion,
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
        _: ProtocolVersion,
    ) -> ListPromptsResult {
        let mut result =
            ListPromptsResult::new(entries.map(|entry| entry.prompt.clone()).collect());
        result.next_cursor = next_cursor;
        result
    }
}
