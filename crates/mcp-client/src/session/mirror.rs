//! What Streamable HTTP repeats in headers since 2026-07-28, as far as a session knows it.

use std::any::Any;
use std::borrow::Cow;
use std::sync::Arc;

use mcp_jsonrpc::RawJson;
use mcp_protocol::lifecycle::Wire;
use mcp_protocol::tools::{CallTool, ListTools};
use mcp_protocol::{CallToolParams, Feature, ParamHeader, RpcRequest, Tool};
use mcp_transport::Call;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::Session;
use crate::CallOptions;
use crate::paginate::Listed;

/// What a request is about.
#[derive(Default, Deserialize)]
struct Subject<'a> {
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    uri: Option<Cow<'a, str>>,
    #[serde(rename = "taskId", borrow)]
    task: Option<Cow<'a, str>>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

impl Session {
    pub(super) fn mirrors(&self) -> bool {
        self.inner.wire == Wire::Http && self.version().has(Feature::MirrorHeaders)
    }

    /// Notes what the transport is to repeat of a request: of these params, written so.
    pub(super) fn mirror(
        &self,
        call: &mut Call,
        params: &dyn Any,
        raw: &RawJson,
        options: &CallOptions,
    ) {
        call.mirror.version = Some(self.version().as_str());
        // Most calls; the others can be read once more.
        if let Some(params) = params.downcast_ref::<CallToolParams>() {
            call.mirror.name = Some(params.name.clone());
            call.mirror.params = self.marked(&params.name, params.arguments.as_deref(), options);
            return;
        }
        let subject = match &*call.method {
            "tools/call" | "prompts/get" | "resources/read" | "tasks/get" | "tasks/update"
            | "tasks/cancel" => raw.decode_borrowed::<Subject<'_>>().unwrap_or_default(),
            _ => return,
        };
        if call.method == CallTool::METHOD
            && let Some(name) = &subject.name
        {
            call.mirror.params = self.marked(name, subject.arguments, options);
        }
        let name = subject.name.or(subject.uri).or(subject.task);
        call.mirror.name = name.map(Cow::into_owned);
    }

    /// The marked arguments of a call.
    fn marked(
        &self,
        name: &str,
        arguments: Option<&RawValue>,
        options: &CallOptions,
    ) -> Vec<(String, String)> {
        let marks = self.marks(name, options);
        let Some(arguments) = arguments.filter(|_| !marks.is_empty()) else {
            return Vec::new();
        };
        let arguments: Value = serde_json::from_str(arguments.get()).unwrap_or_default();
        let header = |header: ParamHeader| {
            let value = header.value(&arguments)?;
            Some((header.name, value))
        };
        marks.into_iter().filter_map(header).collect()
    }

    /// The marked arguments of a tool, as far as its definition is known.
    fn marks(&self, name: &str, options: &CallOptions) -> Vec<ParamHeader> {
        let of = |tool: &Tool| tool.param_headers().unwrap_or_default();
        match &options.tool {
            Some(tool) => of(tool),
            None => self.known_tool(name, of).unwrap_or_default(),
        }
    }

    /// What `look` sees in the definition of a tool, if the list that the session keeps has it.
    pub(super) fn known_tool<T>(&self, name: &str, look: impl FnOnce(&Tool) -> T) -> Option<T> {
        let list: Arc<Listed<Tool>> = self.inner.inward.cache.last(&ListTools::METHOD)?;
        list.items.iter().find(|tool| tool.name == name).map(look)
    }

    /// Takes the tools out that must not be called over this transport.
    pub(super) fn usable(&self, mut list: Listed<Tool>) -> Listed<Tool> {
        if !self.mirrors() {
            return list;
        }
        let (items, skipped) = (&mut list.items, &mut list.skipped);
        items.retain(|tool| match tool.param_headers() {
            Ok(_) => true,
            Err(why) => {
                skipped.push(format!("tool {:?}: {why}", tool.name));
                false
            }
        });
        list
    }
}
