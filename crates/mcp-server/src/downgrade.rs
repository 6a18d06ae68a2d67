//! Content for revisions that do not know all of it.

use mcp_protocol::{
    CallToolResult, ContentBlock, Feature, GetPromptResult, ProtocolVersion, ResourceContents,
    ResourceLink,
};

/// Fits the result of a tool to what the revision knows.
pub(crate) fn tool_result(result: &mut CallToolResult, version: ProtocolVersion) {
    if let Some(value) = &result.structured_content {
        if result.content.is_empty() {
            // For models, and for clients that look at content only.
            result.content.push(ContentBlock::text(value.to_string()));
        }
        let known = version.has(Feature::StructuredContent)
            && (value.is_object() || version.has(Feature::AnyStructuredContent));
        if !known {
            result.structured_content = None;
        }
    }
    result
        .content
        .iter_mut()
        .for_each(|content| block(content, version));
}

/// Fits the messages of a prompt to what the revision knows.
pub(crate) fn prompt_result(result: &mut GetPromptResult, version: ProtocolVersion) {
    result
        .messages
        .iter_mut()
        .for_each(|message| block(&mut message.content, version));
}

fn block(content: &mut ContentBlock, version: ProtocolVersion) {
    let other = match content {
        ContentBlock::Audio(audio) if !version.has(Feature::AudioContent) => {
            // All that is lost is that it is content and not a resource.
            let uri = "attachment:audio";
            ContentBlock::resource(ResourceContents::Blob(
                mcp_protocol::BlobResourceContents::new(uri, std::mem::take(&mut audio.data))
                    .with_mime_type(std::mem::take(&mut audio.mime_type)),
            ))
        }
        ContentBlock::ResourceLink(link) if !version.has(Feature::ResourceLinks) => {
            ContentBlock::text(describe(link))
        }
        _ => return,
    };
    *content = other;
}

/// A link in words.
fn describe(link: &ResourceLink) -> String {
    match &link.description {
        Some(description) => format!("{}: {description} ({})", link.display_name(), link.uri),
        None => format!("{} ({})", link.display_name(), link.uri),
    }
}
