//! What servers answer, for people; and why they have not.

use mcp::client::{Error, PoolError};
use mcp::protocol::{ContentBlock, ResourceContents};

use crate::exit::Failure;
use crate::view;

/// The blocks, one behind another: text as it is, of anything else what it is.
pub(super) fn blocks(blocks: &[ContentBlock]) -> String {
    blocks.iter().map(block).collect::<Vec<_>>().join("\n")
}

/// A block: text as it is, of anything else what it is.
pub(super) fn block(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(content) => content.text.clone(),
        ContentBlock::Image(content) => binary("image", &content.mime_type, &content.data),
        ContentBlock::Audio(content) => binary("audio", &content.mime_type, &content.data),
        ContentBlock::ResourceLink(link) => format!("[resource {} at {}]", link.name, link.uri),
        ContentBlock::Resource(content) => contents(&content.resource),
        other => format!("[content of the kind {:?}]", other.kind()),
    }
}

/// What a resource holds: text as it is, of bytes what they are.
pub(super) fn contents(contents: &ResourceContents) -> String {
    match contents {
        ResourceContents::Text(text) => text.text.clone(),
        ResourceContents::Blob(blob) => {
            let mime_type = blob.mime_type.as_deref();
            let mime_type = mime_type.unwrap_or("application/octet-stream");
            binary(&blob.uri, mime_type, &blob.blob)
        }
        _ => "[resource]".to_owned(),
    }
}

fn binary(what: &str, mime_type: &str, base64: &str) -> String {
    let bytes = base64.trim_end_matches('=').len() * 3 / 4;
    format!("[{what}, {mime_type}, {bytes} bytes; --json has them]")
}

/// Why a server gave no answer: the error with its causes, and what its process wrote last.
pub(super) fn failure(error: &PoolError) -> Failure {
    let stderr = match error {
        PoolError::UnknownServer { .. } => return Failure::usage(error),
        PoolError::Call { source, .. } if matches!(**source, Error::MissingArgument { .. }) => {
            return Failure::usage(source);
        }
        PoolError::Connect { source, .. } => source.stderr().map(str::to_owned),
        PoolError::Call { stderr, .. } | PoolError::OutcomeUnknown { stderr, .. } => stderr.clone(),
        _ => None,
    };
    Failure::failed(view::reason(&error.chain(), stderr.as_deref()))
}
