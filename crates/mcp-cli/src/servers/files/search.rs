//! Looks for a text in all files.

use std::path::Path;

use serde::Serialize;
use tokio_util::sync::CancellationToken;

use crate::root::{Root, Walk};

/// Files longer than this are not searched, in bytes.
pub(super) const MAX_FILE: u64 = 4 * 1024 * 1024;
/// Entries that one search looks at.
pub(super) const MAX_ENTRIES: usize = 500_000;
/// Shown of a line, in characters.
const MAX_LINE: usize = 300;

/// A line that holds what was looked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Match {
    pub(super) path: String,
    pub(super) line: usize,
    pub(super) text: String,
}

/// What a search found.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Matches {
    pub(super) matches: Vec<Match>,
    /// Whether there may be more than was looked at or is shown.
    pub(super) is_cut: bool,
}

/// What is looked for, and how.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub(super) text: String,
    pub(super) ignore_case: bool,
    pub(super) whole_words: bool,
    pub(super) limit: usize,
}

/// Searches the files below `start`.
pub(super) fn search(
    root: &Root,
    start: &str,
    wanted: &Wanted,
    cancelled: &CancellationToken,
) -> Matches {
    let mut matches = Vec::new();
    let mut walk = Walk::new(root, start, MAX_ENTRIES);
    let needle = if wanted.ignore_case {
        wanted.text.to_lowercase()
    } else {
        wanted.text.clone()
    };
    for found in walk.by_ref() {
        if cancelled.is_cancelled() {
            break;
        }
        let Some(text) = read(root, &found.path, found.size) else {
            continue;
        };
        if !wanted.ignore_case && !text.contains(&needle) {
            continue;
        }
        for (line, number) in text.lines().zip(1..) {
            let folded = wanted.ignore_case.then(|| line.to_lowercase());
            if !holds(
                folded.as_deref().unwrap_or(line),
                &needle,
                wanted.whole_words,
            ) {
                continue;
            }
            if matches.len() == wanted.limit {
                return Matches {
                    matches,
                    is_cut: true,
                };
            }
            matches.push(Match {
                path: found.path.clone(),
                line: number,
                text: shown(line),
            });
        }
    }
    Matches {
        matches,
        is_cut: walk.is_cut(),
    }
}

/// The text of a file; `None` if it is too long, gone, or no text.
pub(super) fn read(root: &Root, path: &str, size: u64) -> Option<String> {
    if size > MAX_FILE {
        return None;
    }
    let bytes = root.bytes(Path::new(path), MAX_FILE).ok()?;
    if bytes.iter().take(8000).any(|byte| *byte == 0) {
        return None;
    }
    Some(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(e) => String::from_utf8_lossy(e.as_bytes()).into_owned(),
    })
}

/// A line as it is shown: trimmed and cut.
pub(super) fn shown(line: &str) -> String {
    let line = line.trim();
    let mut text: String = line.chars().take(MAX_LINE).collect();
    if text.len() < line.len() {
        text.push('…');
    }
    text
}

fn holds(line: &str, needle: &str, whole_words: bool) -> bool {
    if !whole_words {
        return line.contains(needle);
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(needle).any(|(at, _)| {
        let before = line.get(..at).and_then(|text| text.chars().next_back());
        let after = line
            .get(at + needle.len()..)
            .and_then(|text| text.chars().next());
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}
