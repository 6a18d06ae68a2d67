//! Tools: what is registered, and what a tool may return.

mod checks;
mod output;

use std::fmt;
use std::sync::{Arc, OnceLock};

use mcp_jsonrpc::ErrorObject;
use mcp_protocol::{CallToolResult, Feature, ParamHeader, ProtocolVersion, SchemaValidator, Tool};
use serde_json::Value;

use crate::handler::Function;
use crate::{RegistrationError, ToolError};

use checks::Checks;
pub use output::{IntoToolResult, Json};

/// A tool with what runs it.
pub(crate) struct ToolEntry {
    pub(crate) tool: Tool,
    pub(crate) handler: Function<CallToolResult, ToolError>,
    /// The arguments that clients repeat in HTTP headers.
    pub(crate) param_headers: Arc<[ParamHeader]>,
    checks: OnceLock<Checks>,
}

impl ToolEntry {
    pub(crate) fn new(
        tool: Tool,
        handler: Function<CallToolResult, ToolError>,
    ) -> Result<Self, RegistrationError> {
        let param_headers = match tool.param_headers() {
            Ok(param_headers) => param_headers.into(),
            Err(source) => {
                let tool = tool.name;
                return Err(RegistrationError::ParamHeader { tool, source });
            }
        };
        Ok(Self {
            tool,
            handler,
            param_headers,
            checks: OnceLock::new(),
        })
    }

    /// The description, without what a revision does not know and may stumble over.
    pub(crate) fn described_in(&self, version: ProtocolVersion) -> Tool {
        let mut tool = self.tool.clone();
        let any = version.has(Feature::AnyStructuredContent);
        let of_an_object = |schema: &Value| schema.get("type").is_some_and(|t| t == "object");
        tool.output_schema
            .take_if(|schema| !any && !of_an_object(schema));
        tool.execution.take_if(|_| !version.has(Feature::Tasks));
        tool
    }

    /// What is wrong with the arguments, for the model that has made them.
    pub(crate) fn check_arguments(
        &self,
        arguments: &str,
        validator: &dyn SchemaValidator,
    ) -> Result<Option<String>, ErrorObject> {
        let checks = self
            .checks
            .get_or_init(|| Checks::of(&self.tool, validator));
        checks.arguments(&self.tool.name, arguments)
    }

    /// The result, or a failure where it does not keep what the output schema promises.
    pub(crate) fn check_result(
        &self,
        result: CallToolResult,
        validator: &dyn SchemaValidator,
    ) -> Result<CallToolResult, ErrorObject> {
        let checks = self
            .checks
            .get_or_init(|| Checks::of(&self.tool, validator));
        checks.result(&self.tool.name, result)
    }
}

impl fmt::Debug for ToolEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ToolEntry").field(&self.tool.name).finish()
    }
}

/// The arguments of a tool or prompt that wants none. What a caller sends all the same is
/// ignored.
///
/// ```
/// use mcp_protocol::Tool;
/// use mcp_server::{Context, NoArgs, Server};
/// let server = Server::builder("clock", "1.0.0")
///     .tool(
///         Tool::new("noon", serde_json::json!({"type": "object"})),
///         |_: NoArgs, _: Context| async { Ok("12:00") },
///     )
///     .build();
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[non_exhaustive]
pub struct NoArgs {}
