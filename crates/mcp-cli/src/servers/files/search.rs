//! Looks for a text in all files.

use std::io::Read as _;
use std::path::Path;

use serde::Serialize;
use tokio_util::sync::CancellationToken;

use crate::root::{Root, RootError, Walk};

/// Files longer than this are not searched, in bytes.
pub(super) const MAX_FILE: u64 = 4 * 1024 * 1024;
/// Entries that one search looks at.
pub(super) const MAX_ENTRIES: usize = 500_000;
/// Looked at of a file to tell whether it is a text, in bytes.
const BEGINNING: usize = 8000;
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
    /// How many texts were too long to be searched.
    pub(super) too_large: usize,
}

/// What there is to search in a file.
pub(super) enum Content {
    Text(String),
    /// It is a text, and too long.
    TooLarge,
    /// It is gone, or no text.
    Nothing,
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
    let mut too_large = 0;
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
        let text = match read(root, &found.path, found.size) {
            Content::Text(text) => text,
            Content::TooLarge => {
                too_large += 1;
                continue;
            }
            Content::Nothing => continue,
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
                    too_large,
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
        too_large,
    }
}

/// The text of a file.
pub(super) fn read(root: &Root, path: &str, size: u64) -> Content {
    if size > MAX_FILE {
        return match begins_as_text(root, path) {
            true => Content::TooLarge,
            false => Content::Nothing,
        };
    }
    let bytes = match root.bytes(Path::new(path), MAX_FILE) {
        Ok(bytes) if is_text(&bytes) => bytes,
        // It has grown since it was listed.
        Err(RootError::TooLarge { .. }) => return Content::TooLarge,
        Ok(_) | Err(_) => return Content::Nothing,
    };
    Content::Text(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(e) => String::from_utf8_lossy(e.as_bytes()).into_owned(),
    })
}

fn begins_as_text(root: &Root, path: &str) -> bool {
    let mut beginning = Vec::new();
    let read = root.file(Path::new(path)).is_ok_and(|(file, _)| {
        let mut file = file.take(BEGINNING as u64);
        file.read_to_end(&mut beginning).is_ok()
    });
    read && is_text(&beginning)
}

fn is_text(bytes: &[u8]) -> bool {
    !bytes.iter().take(BEGINNING).any(|byte| *byte == 0)
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
