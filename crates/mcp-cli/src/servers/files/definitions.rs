//! Looks for where a name is defined.

use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::search::{self, Content, MAX_ENTRIES, Match, Wanted};
use crate::root::{Root, Walk};
use crate::source::{self, Definition, Language};

/// Definitions of the name that are compared with each other.
const MAX_CANDIDATES: usize = 10_000;
/// Places that are shown where a name is mentioned but nowhere defined.
const MENTIONS: usize = 10;

/// Where a name is defined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Place {
    pub(super) path: String,
    pub(super) line: u32,
    pub(super) kind: &'static str,
    /// The name with the type that it belongs to.
    pub(super) name: String,
    /// The line itself.
    pub(super) text: String,
}

/// What was found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Places {
    pub(super) definitions: Vec<Place>,
    /// Only where there are no definitions.
    pub(super) mentions: Vec<Match>,
    /// Whether there may be more than was looked at or is shown.
    pub(super) is_cut: bool,
    /// How many texts were too long to be looked at.
    pub(super) too_large: usize,
}

/// Looks for the definitions of `name`, which may be qualified: `Type::name`, `Type.name`.
pub(super) fn find(
    root: &Root,
    name: &str,
    start: &str,
    limit: usize,
    cancelled: &CancellationToken,
) -> Places {
    let (owner, bare) = split(name);
    let mut all = Vec::new();
    let mut walk = Walk::new(root, start, MAX_ENTRIES);
    let mut is_full = false;
    let mut too_large = 0;
    for found in walk.by_ref() {
        is_full = all.len() > MAX_CANDIDATES;
        if is_full || cancelled.is_cancelled() {
            break;
        }
        let text = match search::read(root, &found.path, found.size) {
            Content::Text(text) if !contains(&text, &bare) => continue,
            Content::Text(text) if text.len() <= source::MAX_SOURCE => text,
            Content::Text(_) | Content::TooLarge => {
                too_large += 1;
                continue;
            }
            Content::Nothing => continue,
        };
        let language = Language::of(&found.path, text.lines().next().unwrap_or_default());
        let lines: Vec<&str> = text.lines().collect();
        let named = source::definitions(language, &text).into_iter();
        let named = named.filter(|definition| definition.name.eq_ignore_ascii_case(&bare));
        for definition in named.take(MAX_CANDIDATES) {
            all.push((
                place(&found.path, language, &definition, &lines),
                definition,
            ));
        }
    }
    let mut definitions = best(all, owner.as_deref(), &bare);
    let is_cut = is_full || walk.is_cut() || definitions.len() > limit;
    definitions.truncate(limit);
    let mentions = if definitions.is_empty() {
        mentions(root, &bare, start, cancelled)
    } else {
        Vec::new()
    };
    Places {
        definitions,
        mentions,
        is_cut,
        too_large,
    }
}

/// `Type::name` into its last part and the part before it.
fn split(name: &str) -> (Option<String>, String) {
    let dotted = name.replace("::", ".").replace("->", ".").replace('#', ".");
    let mut parts = dotted.split('.').filter(|part| !part.is_empty()).rev();
    let last = parts.next().unwrap_or(name).to_owned();
    (parts.next().map(str::to_owned), last)
}

/// Whether the text has the name in any case; names of programs are mostly ASCII.
fn contains(text: &str, name: &str) -> bool {
    let Some(first) = name.bytes().next() else {
        return false;
    };
    let (low, high) = (first.to_ascii_lowercase(), first.to_ascii_uppercase());
    let bytes = text.as_bytes();
    bytes.iter().enumerate().any(|(at, byte)| {
        (*byte == low || *byte == high)
            && bytes
                .get(at..at + name.len())
                .is_some_and(|part| part.eq_ignore_ascii_case(name.as_bytes()))
    })
}

fn place(path: &str, language: Language, definition: &Definition, lines: &[&str]) -> Place {
    let at = usize::try_from(definition.line)
        .unwrap_or(1)
        .saturating_sub(1);
    Place {
        path: path.to_owned(),
        line: definition.line,
        kind: definition.kind,
        name: definition.full_name(language),
        text: search::shown(lines.get(at).copied().unwrap_or_default()),
    }
}

/// Those that fit best: with the owner that was asked for, spelled as asked; variables last.
fn best(mut all: Vec<(Place, Definition)>, owner: Option<&str>, name: &str) -> Vec<Place> {
    if all.iter().any(|(_, definition)| definition.name == name) {
        all.retain(|(_, definition)| definition.name == name);
    }
    let belongs = |definition: &Definition| {
        let scope = definition.scope.rsplit(['.', ':']).next();
        owner
            .is_some_and(|owner| definition.owner.as_deref() == Some(owner) || scope == Some(owner))
    };
    if all.iter().any(|(_, definition)| belongs(definition)) {
        all.retain(|(_, definition)| belongs(definition));
    }
    all.sort_by_key(|(_, definition)| definition.kind == "variable");
    all.into_iter().map(|(place, _)| place).collect()
}

fn mentions(root: &Root, name: &str, start: &str, cancelled: &CancellationToken) -> Vec<Match> {
    let wanted = Wanted {
        text: name.to_owned(),
        ignore_case: false,
        whole_words: true,
        limit: MENTIONS,
    };
    search::search(root, start, &wanted, cancelled).matches
}
