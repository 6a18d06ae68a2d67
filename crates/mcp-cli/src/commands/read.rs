//! `mcp read`: what one resource holds.

use std::io::IsTerminal as _;

use mcp::client::CallOptions;
use mcp::protocol::{ReadResourceResult, ResourceContents};

use super::content;
use crate::arguments::ReadArguments;
use crate::exit::{Exit, Failure};
use crate::fleet::Fleet;
use crate::output;
use crate::shown;

pub(super) async fn run(arguments: &ReadArguments, fleet: &Fleet) -> Result<Exit, Failure> {
    let options = CallOptions::new();
    let read = fleet
        .pool()
        .read_resource(&arguments.server, &arguments.uri, &options);
    let result = read.await.map_err(|e| content::failure(&e))?;
    if arguments.json {
        let text = shown::json(&result)?;
        output::answer(&text);
    } else if std::io::stdout().is_terminal() {
        let parts: Vec<String> = result.contents.iter().map(content::contents).collect();
        output::content(&parts.join("\n"));
    } else {
        output::bytes(&bytes(&result)?);
    }
    Ok(Exit::Done)
}

/// What a file would hold: each part as it is.
fn bytes(result: &ReadResourceResult) -> Result<Vec<u8>, Failure> {
    let mut all = Vec::new();
    for contents in &result.contents {
        match contents {
            ResourceContents::Blob(blob) => {
                let bytes = blob.bytes().map_err(|e| {
                    Failure::failed(format!("the blob of {} is not base64: {e}", blob.uri))
                })?;
                all.extend(bytes);
            }
            text => all.extend_from_slice(text.as_text().unwrap_or_default().as_bytes()),
        }
    }
    Ok(all)
}
