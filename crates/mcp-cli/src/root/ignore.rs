//! Which files a `.gitignore` hides.

use std::cell::Cell;

/// Longer lines are no patterns that anybody wrote.
const MAX_LINE: usize = 1024;

/// The rules of one `.gitignore`.
#[derive(Debug, Default)]
pub(super) struct Ignore(Vec<Rule>);

#[derive(Debug)]
struct Rule {
    pattern: Vec<Piece>,
    /// `!pattern` brings back what an earlier rule hid.
    shows: bool,
    only_folders: bool,
    /// Matches the whole path below the file, not the last name alone.
    whole_path: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum Piece {
    Byte(u8),
    /// `?`
    One,
    /// `*`
    Within,
    /// `**/`: nothing, or folders.
    Folders,
    /// `/**` at the end: anything at all.
    Rest,
    /// `[...]`: negated, ranges.
    Set(bool, Vec<(u8, u8)>),
}

impl Piece {
    /// What the piece does with a byte: whether it goes on, whether the next one takes over.
    fn takes(&self, byte: u8) -> (bool, bool) {
        match self {
            Self::Byte(wanted) => (false, byte == *wanted),
            Self::One => (false, byte != b'/'),
            Self::Set(negated, ranges) => {
                let is_in = ranges
                    .iter()
                    .any(|(low, high)| (*low..=*high).contains(&byte));
                (false, byte != b'/' && is_in != *negated)
            }
            Self::Within => (byte != b'/', false),
            Self::Rest => (true, false),
            Self::Folders => (false, byte == b'/'),
        }
    }
}

impl Ignore {
    /// Reads the rules of a file's text.
    pub(super) fn parse(text: &str) -> Self {
        Self(text.lines().filter_map(Rule::parse).collect())
    }

    /// Whether `path`, relative to the file's folder, is hidden (`true`) or shown (`false`) by
    /// a rule; `None` if no rule speaks of it. Takes what it costs off `effort`: pieces of patterns
    /// that a byte was compared with. With nothing left, no rule speaks.
    pub(super) fn hides(&self, path: &str, is_folder: bool, effort: &Cell<u64>) -> Option<bool> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let rule = self.0.iter().rev().find(|rule| {
            let text = if rule.whole_path { path } else { name };
            (is_folder || !rule.only_folders) && matches(&rule.pattern, text.as_bytes(), effort)
        })?;
        Some(!rule.shows)
    }
}

impl Rule {
    fn parse(line: &str) -> Option<Self> {
        let line = line.strip_suffix('\r').unwrap_or(line);
        let mut text = line.trim_end_matches(' ');
        if text.ends_with('\\') && text.len() < line.len() {
            text = line.get(..=text.len())?; // an escaped blank
        }
        if text.is_empty() || text.starts_with('#') || text.len() > MAX_LINE {
            return None;
        }
        let shows = text.starts_with('!');
        text = text.strip_prefix('!').unwrap_or(text);
        let only_folders = text.ends_with('/');
        text = text.strip_suffix('/').unwrap_or(text);
        let whole_path = text.contains('/');
        text = text.strip_prefix('/').unwrap_or(text);
        let pattern = pieces(text.as_bytes());
        (!pattern.is_empty()).then_some(Self {
            pattern,
            shows,
            only_folders,
            whole_path,
        })
    }
}

fn pieces(mut text: &[u8]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut at_start = true;
    while let Some((&byte, rest)) = text.split_first() {
        let (piece, next) = match byte {
            b'*' if at_start && rest.starts_with(b"*/") => (Piece::Folders, rest.get(2..)),
            b'*' if at_start && rest == b"*" => (Piece::Rest, None),
            b'*' => (Piece::Within, Some(rest)),
            b'?' => (Piece::One, Some(rest)),
            b'[' => match set(rest) {
                Some((piece, next)) => (piece, Some(next)),
                None => (Piece::Byte(b'['), Some(rest)),
            },
            b'\\' => match rest.split_first() {
                Some((&escaped, next)) => (Piece::Byte(escaped), Some(next)),
                None => (Piece::Byte(b'\\'), None),
            },
            byte => (Piece::Byte(byte), Some(rest)),
        };
        at_start = matches!(piece, Piece::Byte(b'/') | Piece::Folders);
        if !(piece == Piece::Within && pieces.last() == Some(&Piece::Within)) {
            pieces.push(piece);
        }
        text = next.unwrap_or_default();
    }
    pieces
}

/// `a-z0]` behind an opening bracket.
fn set(text: &[u8]) -> Option<(Piece, &[u8])> {
    let negated = matches!(text.first(), Some(b'!' | b'^'));
    let mut rest = text.get(usize::from(negated)..)?;
    let mut ranges = Vec::new();
    loop {
        let (&low, next) = rest.split_first()?;
        if low == b']' && !ranges.is_empty() {
            return Some((Piece::Set(negated, ranges), next));
        }
        rest = next;
        match rest {
            [b'-', high, next @ ..] if *high != b']' => {
                ranges.push((low, *high));
                rest = next;
            }
            _ => ranges.push((low, low)),
        }
    }
}

/// Whether the pattern matches the whole text, in time proportional to the product of both
/// lengths: all places in the pattern that fit so far are followed at once.
fn matches(pattern: &[Piece], text: &[u8], effort: &Cell<u64>) -> bool {
    let mut at = vec![false; pattern.len() + 1];
    // Inside the folders of a `Folders` piece.
    let mut within = vec![false; pattern.len() + 1];
    enter(pattern, &mut at, 0);
    for &byte in text {
        let Some(left) = effort.get().checked_sub(pattern.len() as u64) else {
            effort.set(0);
            return false;
        };
        effort.set(left);
        let mut next = vec![false; pattern.len() + 1];
        let mut next_within = vec![false; pattern.len() + 1];
        for (place, piece) in pattern.iter().enumerate() {
            let here = at.get(place) == Some(&true);
            let inside = within.get(place) == Some(&true);
            if !here && !inside {
                continue;
            }
            let (stays, goes) = piece.takes(byte);
            if stays {
                enter(pattern, &mut next, place);
            }
            if goes {
                enter(pattern, &mut next, place + 1);
            }
            if let Some(flag) = next_within.get_mut(place) {
                *flag = *piece == Piece::Folders;
            }
        }
        (at, within) = (next, next_within);
        if !at.contains(&true) && !within.contains(&true) {
            return false;
        }
    }
    at.last() == Some(&true)
}

/// Marks a place, and those behind it that need no byte.
fn enter(pattern: &[Piece], at: &mut [bool], place: usize) {
    let mut place = place;
    loop {
        if let Some(flag) = at.get_mut(place) {
            *flag = true;
        }
        match pattern.get(place) {
            Some(Piece::Within | Piece::Rest | Piece::Folders) => place += 1,
            _ => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_hide_what_git_would_hide() {
        for (rules, path, is_folder, hidden) in [
            ("target/", "target", true, Some(true)),
            ("target/", "target", false, None),
            ("*.log", "a/b/x.log", false, Some(true)),
            ("/x", "a/x", false, None),
            ("/x", "x", false, Some(true)),
            ("a/b", "a/b", false, Some(true)),
            ("a/b", "c/a/b", false, None),
            ("**/b", "b", false, Some(true)),
            ("**/b", "a/c/b", false, Some(true)),
            ("**/b", "a/cb", false, None),
            ("a/**", "a/x/y", false, Some(true)),
            ("a/**", "a", true, None),
            ("a/**/b", "a/b", false, Some(true)),
            ("a/**/b", "a/x/y/b", false, Some(true)),
            ("a*b", "a/b", false, None),
            ("*.[oa]", "x.o", false, Some(true)),
            ("*.[!o]", "x.o", false, None),
            ("?", "é", false, None),
            ("*\n!keep", "keep", false, Some(false)),
            ("#x", "#x", false, None),
            ("\\#x", "#x", false, Some(true)),
            ("x\\ ", "x ", false, Some(true)),
            ("x  ", "x", false, Some(true)),
            ("[", "[", false, Some(true)),
        ] {
            assert_eq!(
                Ignore::parse(rules).hides(path, is_folder, &Cell::new(1000)),
                hidden,
                "{rules:?} {path}"
            );
        }
    }

    #[test]
    fn a_hostile_pattern_takes_no_time() {
        let rules = Ignore::parse(&"**/*a".repeat(150));
        let effort = Cell::new(10_000_000);
        assert_eq!(rules.hides(&"a".repeat(4000), false, &effort), None);
        assert!(effort.get() > 0);
        let many = Ignore::parse(&format!("{}b\n", "*a".repeat(400)).repeat(400));
        assert_eq!(many.hides(&"a".repeat(250), false, &effort), None);
        assert_eq!(effort.get(), 0);
    }
}
