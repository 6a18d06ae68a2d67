//! Long results: where a text is cut is shared with the layer that does so.

use mcp_protocol::ContentBlock;

pub use mcp_interceptors::Truncate;

/// The text blocks with line breaks between them.
pub(crate) fn joined(content: &[ContentBlock]) -> String {
    let texts: Vec<&str> = content.iter().filter_map(ContentBlock::as_text).collect();
    texts.join("\n")
}

/// The byte at which the `index`-th scalar value begins.
pub(crate) fn offset(text: &str, index: usize) -> usize {
    text.char_indices()
        .nth(index)
        .map_or(text.len(), |(at, _)| at)
}
