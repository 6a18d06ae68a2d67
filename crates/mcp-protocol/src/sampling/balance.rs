//! Uses of tools and their results: each use is answered once, by the next message.

use std::collections::BTreeMap;

use super::{SamplingMessage, SamplingMessageContentBlock as Block};
use crate::Role;

/// A conversation in which uses of tools and their results do not match.
///
/// Specification: Sampling, Message Content Constraints (2025-11-25 and 2026-07-28).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolUseImbalance {
    /// A message mixes results of tools with something else.
    #[error("message {message} mixes tool results with other content")]
    Mixed {
        /// Which message, from 0.
        message: usize,
    },
    /// A use is not answered by the message right behind it.
    #[error("the use `{id}` in message {message} has no result in the next message")]
    Unanswered {
        /// Which message, from 0.
        message: usize,
        /// The id of the use.
        id: String,
    },
    /// A result answers no use in the message right before it, or one already answered.
    #[error("the result for `{id}` in message {message} answers no use of a tool")]
    Unasked {
        /// Which message, from 0.
        message: usize,
        /// The id that it names.
        id: String,
    },
}

pub(super) fn check(messages: &[SamplingMessage]) -> Result<(), ToolUseImbalance> {
    // The uses in the message before, by id; twice the same id wants two results.
    let mut open: BTreeMap<&str, usize> = BTreeMap::new();
    for (message, content) in messages.iter().enumerate() {
        let blocks = content.content.blocks();
        let results = || blocks.iter().filter_map(result);
        if results().next().is_some()
            && (content.role != Role::User || blocks.iter().any(|b| result(b).is_none()))
        {
            return Err(ToolUseImbalance::Mixed { message });
        }
        for id in results() {
            let Some(left) = open.get_mut(id).filter(|left| **left > 0) else {
                let id = id.to_owned();
                return Err(ToolUseImbalance::Unasked { message, id });
            };
            *left -= 1;
        }
        unanswered(&open, message.saturating_sub(1))?;
        open.clear();
        for id in blocks.iter().filter_map(used) {
            *open.entry(id).or_default() += 1;
        }
    }
    unanswered(&open, messages.len().saturating_sub(1))
}

fn unanswered(open: &BTreeMap<&str, usize>, message: usize) -> Result<(), ToolUseImbalance> {
    match open.iter().find(|(_, left)| **left > 0) {
        Some((id, _)) => Err(ToolUseImbalance::Unanswered {
            message,
            id: (*id).to_owned(),
        }),
        None => Ok(()),
    }
}

fn result(block: &Block) -> Option<&str> {
    match block {
        Block::ToolResult(content) => Some(&content.tool_use_id),
        _ => None,
    }
}

fn used(block: &Block) -> Option<&str> {
    match block {
        Block::ToolUse(content) => Some(&content.id),
        _ => None,
    }
}
