//! The tool with which the model reads what was cut, over the results of the state.

use mcp_interceptors::{JsonMap, ToolMessage, read_tool_result, read_tool_result_tool};
use mcp_model::ToolSpec;

use super::results::ToolResults;

/// The tool's name.
pub(crate) const NAME: &str = mcp_interceptors::READ_TOOL_RESULT;

/// The tool as the model sees it.
pub(crate) fn spec() -> ToolSpec {
    ToolSpec::of_tool(NAME, &read_tool_result_tool())
}

/// Carries out a call of the tool.
pub(crate) fn read(results: &ToolResults, args: JsonMap) -> ToolMessage {
    read_tool_result(args, |id| results.get(id).cloned())
}
