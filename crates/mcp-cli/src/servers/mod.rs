//! The servers inside the command.

pub(crate) mod files;
pub(crate) mod git;
mod rows;
pub(crate) mod wiki;

use mcp::protocol::{CallToolResult, ContentBlock};

use self::rows::Rows;

/// A list as structured content, and as text that says the same.
fn structured(rows: Rows) -> CallToolResult {
    let text = rows.text();
    let mut result = CallToolResult::new(vec![ContentBlock::text(text)]);
    result.structured_content = Some(rows.value());
    result
}
