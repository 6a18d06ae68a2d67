//! What Streamable HTTP repeats in headers since 2026-07-28, as far as a session knows it.

use std::sync::Arc;

use mcp_jsonrpc::RawJson;
use mcp_protocol::lifecycle::Wire;
use mcp_protocol::tools::{CallTool, ListTools};
use mcp_protocol::{Feature, ParamHeader, RpcRequest, Tool};
use mcp_transport::Call;
use serde::Deserialize;
use serde_json::Value;

use super::Session;
use crate::CallOptions;
use crate::paginate::Listed;

impl Session {
    pub(super) fn mirrors(&self) -> bool {
        self.inner.wire == Wire::Http && self.version().has(Feature::MirrorHeaders)
    }

    /// Notes what the transport is to repeat of a request.
    pub(super) fn mirror(&self, call: &mut Call, params: &RawJson, options: &CallOptions) {
        #[derive(Default, Deserialize)]
        struct Params {
            name: Option<String>,
            uri: Option<String>,
            #[serde(rename = "taskId")]
            task: Option<String>,
            arguments: Option<Value>,
        }
        call.mirror.version = Some(self.version().as_str());
        let params: Params = match &*call.method {
            "tools/call" | "prompts/get" | "resources/read" | "tasks/get" | "tasks/update"
            | "tasks/cancel" => params.decode().unwrap_or_default(),
            _ => return,
        };
        if call.method == CallTool::METHOD
            && let (Some(name), Some(arguments)) = (&params.name, &params.arguments)
        {
            let header = |header: ParamHeader| {
                let value = header.value(arguments)?;
                Some((header.name, value))
            };
            let marked = self.marks(name, options).into_iter();
            call.mirror.params = marked.filter_map(header).collect();
        }
        call.mirror.name = params.name.or(params.uri).or(params.task);
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
