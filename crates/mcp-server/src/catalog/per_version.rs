//! Answers that depend on nothing but the revision: written once, then shared.

use std::sync::OnceLock;

use mcp_protocol::ProtocolVersion;

use crate::dispatch::Answer;

/// One answer for each revision, written when it is first asked for.
#[derive(Debug, Default)]
pub(crate) struct PerVersion([OnceLock<Answer>; ProtocolVersion::ALL.len()]);

impl PerVersion {
    pub(crate) fn get(&self, version: ProtocolVersion, write: impl FnOnce() -> Answer) -> Answer {
        let slot = ProtocolVersion::ALL
            .iter()
            .zip(&self.0)
            .find(|(known, _)| **known == version);
        match slot {
            Some((_, slot)) => slot.get_or_init(write).clone(),
            None => write(),
        }
    }
}
