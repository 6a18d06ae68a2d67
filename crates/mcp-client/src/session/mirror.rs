//! What Streamable HTTP repeats in headers since 2026-07-28, as far as a session knows it.

use std::sync::Arc;

use mcp_jsonrpc::RawJson;
use mcp_protocol::error_code::HEADER_MISMATCH;
use mcp_protocol::lifecycle::Wire;
use mcp_protocol::tools::{CallTool, ListTools};
use mcp_protocol::{CallToolParams, CallToolResult, Feature, RpcRequest, Tool};
use mcp_transport::Call;
use serde::Deserialize;
use serde_json::Value;

use super::Session;
use crate::inward::InFlight;
use crate::paginate::Listed;
use crate::param_headers::{Marked, marked, values};
use crate::{CallOptions, Error};

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
            arguments: Option<Value>,
        }
        call.mirror.version = Some(self.version().as_str());
        let params: Params = match &*call.method {
            "tools/call" | "prompts/get" | "resources/read" => params.decode().unwrap_or_default(),
            _ => return,
        };
        if call.method == CallTool::METHOD
            && let (Some(name), Some(arguments)) = (&params.name, &params.arguments)
        {
            call.mirror.params = values(&self.marks(name, options), arguments);
        }
        call.mirror.name = params.name.or(params.uri);
    }

    /// The marked arguments of a tool, as far as its definition is known.
    fn marks(&self, name: &str, options: &CallOptions) -> Vec<Marked> {
        let of = |tool: &Tool| marked(&tool.input_schema).unwrap_or_default();
        match &options.tool {
            Some(tool) => of(tool),
            None => self.known_tool(name).as_ref().map(of).unwrap_or_default(),
        }
    }

    fn known_tool(&self, name: &str) -> Option<Tool> {
        let list: Arc<Listed<Tool>> = self.inner.inward.cache.last(&ListTools::METHOD)?;
        list.items.iter().find(|tool| tool.name == name).cloned()
    }

    /// Calls a tool whose definition is not at hand. A server that misses headers for marked
    /// arguments says so; then the definition is fetched and the call made again, once.
    pub(super) async fn call_undefined(
        &self,
        params: CallToolParams,
        options: &CallOptions,
        in_flight: Option<InFlight>,
    ) -> Result<CallToolResult, Error> {
        let name = params.name.clone();
        let first = self.request_in_rounds::<CallTool>(params.clone(), options, in_flight.clone());
        let error = match first.await {
            Err(error) if error.remote().is_some_and(|e| e.code == HEADER_MISMATCH) => error,
            outcome => return outcome,
        };
        self.list_tools().await?;
        let Some(definition) = self.known_tool(&name) else {
            return Err(error);
        };
        let mut options = options.clone();
        options.tool = Some(Arc::new(definition));
        self.request_in_rounds::<CallTool>(params, &options, in_flight)
            .await
    }

    pub(super) fn lacks_definition(&self, name: &str, options: &CallOptions) -> bool {
        self.mirrors() && options.tool.is_none() && self.known_tool(name).is_none()
    }

    /// Takes the tools out that must not be called over this transport.
    pub(super) fn usable(&self, mut list: Listed<Tool>) -> Listed<Tool> {
        if !self.mirrors() {
            return list;
        }
        let (items, skipped) = (&mut list.items, &mut list.skipped);
        items.retain(|tool| match marked(&tool.input_schema) {
            Ok(_) => true,
            Err(why) => {
                skipped.push(format!("tool {:?}: {why}", tool.name));
                false
            }
        });
        list
    }
}
