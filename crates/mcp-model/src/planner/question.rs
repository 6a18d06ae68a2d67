//! What a question consists of.

use super::words::{is_filler, words};

/// A question taken apart.
#[derive(Debug, Default)]
pub(crate) struct Question {
    /// The question as it was asked, on one line.
    pub(crate) text: String,
    /// The same in lower-case ASCII; byte positions are those of `text`.
    pub(crate) lower: String,
    /// Its words that carry meaning, in order.
    pub(crate) words: Vec<String>,
    /// What stands in quotes or backticks.
    pub(crate) quoted: Vec<String>,
    /// Its numbers, also written out up to twelve.
    pub(crate) numbers: Vec<u64>,
    /// What looks like a path: has a slash or a file extension.
    pub(crate) paths: Vec<String>,
    /// Names behind words such as `in` and `folder`: where something may be.
    pub(crate) places: Vec<String>,
    /// What begins with `http://` or `https://`.
    pub(crate) urls: Vec<String>,
}

impl Question {
    /// Takes a question apart.
    pub(crate) fn read(text: &str) -> Self {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let quoted = quoted(&text);
        let (mut paths, mut urls) = (Vec::new(), Vec::new());
        for piece in text.split(' ') {
            let piece = bare(piece);
            if piece.starts_with("http://") || piece.starts_with("https://") {
                urls.push(piece.to_owned());
            } else if looks_like_a_path(piece) {
                paths.push(piece.to_owned());
            }
        }
        let all = words(&text);
        Self {
            lower: text.to_ascii_lowercase(),
            numbers: all.iter().filter_map(|word| number(word)).collect(),
            words: all.into_iter().filter(|word| !is_filler(word)).collect(),
            places: places(&text),
            quoted,
            paths,
            urls,
            text,
        }
    }

    /// What follows the first of `phrases` that occurs, up to the end of the question.
    pub(crate) fn after(&self, phrases: &[&str]) -> Option<&str> {
        let start = phrases
            .iter()
            .find_map(|phrase| Some(find_words(&self.lower, phrase)? + phrase.len()))?;
        self.text.get(start..).map(bare)
    }

    /// What stands between the first of `before` and the last of `after` that follows it.
    pub(crate) fn between(&self, before: &[&str], after: &[&str]) -> Option<&str> {
        before.iter().find_map(|phrase| {
            let start = find_words(&self.lower, phrase)? + phrase.len();
            let rest = self.lower.get(start..)?;
            let end = after
                .iter()
                .filter_map(|phrase| all_words(rest, phrase).last())
                .max()?;
            self.text.get(start..start + end).map(bare)
        })
    }

    /// Whether any of these words, or a form of it, occurs.
    pub(crate) fn mentions(&self, any: &[&str]) -> bool {
        self.words
            .iter()
            .any(|word| super::words::any_alike(any, word))
    }
}

/// Where `phrase` first begins in `text`.
fn find_words(text: &str, phrase: &str) -> Option<usize> {
    all_words(text, phrase).next()
}

/// Where `phrase` begins in `text` with word boundaries around it.
fn all_words(text: &str, phrase: &str) -> impl Iterator<Item = usize> {
    let places = text.match_indices(phrase).map(|(at, _)| at);
    places.filter(|at| {
        let before = text.get(..*at).and_then(|t| t.chars().next_back());
        let after = text.get(at + phrase.len()..).and_then(|t| t.chars().next());
        let boundary = |c: Option<char>| !c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        boundary(before) && boundary(after)
    })
}

/// The text without the punctuation and quotes around it.
pub(crate) fn bare(text: &str) -> &str {
    const QUOTES: &[char] = &['"', '\'', '`', '“', '”', '‘', '’', '«', '»'];
    let text = text.trim();
    let text = text.trim_end_matches(['?', '!', '.', ',', ';', ':']);
    text.trim().trim_matches(QUOTES).trim()
}

fn quoted(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (open, close) in [('`', '`'), ('"', '"'), ('“', '”'), ('«', '»')] {
        let mut rest = text;
        while let Some((_, tail)) = rest.split_once(open) {
            let Some((inside, tail)) = tail.split_once(close) else {
                break;
            };
            if !inside.trim().is_empty() {
                found.push(inside.trim().to_owned());
            }
            rest = tail;
        }
    }
    found
}

/// The names behind words that a place follows, `the` and such passed over.
fn places(text: &str) -> Vec<String> {
    const BEFORE: &[&str] = &[
        "in",
        "inside",
        "under",
        "below",
        "folder",
        "directory",
        "dir",
    ];
    const GENERAL: &[&str] = &[
        "directory",
        "files",
        "folder",
        "here",
        "project",
        "repo",
        "repository",
        "root",
        "tree",
        "wiki",
        "working",
    ];
    let pieces: Vec<&str> = text.split(' ').map(bare).collect();
    let behind = pieces.iter().enumerate().filter_map(|(at, piece)| {
        let is_before = BEFORE.contains(&piece.to_ascii_lowercase().as_str());
        let mut after = pieces.iter().skip(at + 1).copied();
        let name = after.find(|piece| !is_filler(&piece.to_ascii_lowercase()))?;
        let is_name = name
            .chars()
            .all(|c| c.is_alphanumeric() || "._-".contains(c));
        let is_special = !name.is_empty() && !GENERAL.contains(&name.to_ascii_lowercase().as_str());
        (is_before && is_name && is_special).then(|| name.to_owned())
    });
    behind.collect()
}

fn looks_like_a_path(piece: &str) -> bool {
    let extension = piece.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && (1..=5).contains(&extension.len())
            && extension.chars().all(|c| c.is_ascii_alphanumeric())
            && !stem.chars().all(|c| c.is_ascii_digit() || c == '.')
    });
    let slash = piece.contains('/') && piece.chars().any(char::is_alphanumeric);
    piece == "." || slash || extension
}

fn number(word: &str) -> Option<u64> {
    const WRITTEN: &[&str] = &[
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        "eleven", "twelve",
    ];
    let written = WRITTEN.iter().zip(0..).find(|(name, _)| **name == word);
    word.parse().ok().or_else(|| written.map(|(_, n)| n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_taken_apart() {
        let q = Question::read("Read `a b` and src/lib.rs,\n the last three of 2.5 https://x.y/z?");
        assert_eq!(q.quoted, ["a b"]);
        assert_eq!(q.paths, ["src/lib.rs"]);
        assert_eq!(q.urls, ["https://x.y/z"]);
        assert_eq!(q.numbers, [3, 2, 5]);
        for (text, place) in [("files in src?", "src"), ("in the folder docs", "docs")] {
            assert_eq!(
                Question::read(text).places.first().map(String::as_str),
                Some(place)
            );
        }
        assert!(Question::read("files in this repository").places.is_empty());
        assert_eq!(
            q.after(&["and"]).unwrap().split(' ').next(),
            Some("src/lib.rs,")
        );
    }

    #[test]
    fn phrases_end_at_words() {
        let q = Question::read("Where is \"defined_name\" defined?");
        assert_eq!(q.between(&["where is"], &["defined"]), Some("defined_name"));
        assert!(
            Question::read("nowhere is it defined")
                .between(&["where is"], &["defined"])
                .is_none()
        );
    }
}
