//! The tool that is the agent's own: it reads what was cut, over the results of the state.

use mcp_interceptors::{JsonMap, RawResult, read_tool_result, read_tool_result_tool};
use mcp_model::ToolSpec;

use super::answer::Answer;
use super::results::ToolResults;
use super::settings::Settings;

/// The tool's name.
pub(crate) const NAME: &str = mcp_interceptors::READ_TOOL_RESULT;

/// The tool as the model sees it.
pub(crate) fn spec() -> ToolSpec {
    ToolSpec::of_tool(NAME, &read_tool_result_tool())
}

/// Carries out a call of the tool.
pub(crate) fn read(results: &ToolResults, args: JsonMap) -> Answer {
    let message = read_tool_result(args, |id| results.get(id).cloned());
    Answer::of(message.into(), &RawResult::new())
}

impl Settings {
    /// Whether a tool is the agent's own. Its results are neither cut nor kept.
    pub(crate) fn is_own(&self, name: &str) -> bool {
        self.truncate.is_some() && name == NAME
    }
}
