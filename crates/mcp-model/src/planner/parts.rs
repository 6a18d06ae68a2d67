//! A question that asks for several things.

use std::ops::Range;

use super::question::Question;

/// What stands between two parts of a question, the longer before what it begins with.
const BETWEEN: &[&str] = &[", and ", "; and ", " and ", ", ", "; ", "? ", ". "];
/// What a part of a question begins with.
const OPENERS: &[&str] = &[
    "what", "which", "where", "when", "who", "how", "show", "list", "find", "look", "search",
    "tell",
];

/// How many parts a question may have. What is beyond belongs to the last.
const MAX_PARTS: usize = 8;

/// Takes a question apart where a part of some kind follows on another. What is of no kind by
/// itself belongs to what stands before it, and so does what `is_one` with it.
pub(crate) fn parts(
    question: &Question,
    kind: impl Fn(&Question) -> Option<usize>,
    is_one: impl Fn(usize, usize) -> bool,
) -> Vec<Question> {
    let read = |range: &Range<usize>| {
        let text = question.text.get(range.clone()).unwrap_or_default();
        Question::read(text)
    };
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for piece in pieces(question) {
        let apart = ranges.last().is_none_or(|before| {
            let kinds = kind(&read(before)).zip(kind(&read(&piece)));
            kinds.is_some_and(|(before, this)| !is_one(before, this))
        });
        match ranges.last_mut().filter(|_| !apart) {
            Some(before) => before.end = piece.end,
            None => ranges.push(piece),
        }
    }
    ranges.iter().map(read).collect()
}

/// Where a part may stand: from an opener up to what stands before the next one.
fn pieces(question: &Question) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut begin = 0;
    for (at, _) in question.lower.match_indices([' ', ',', ';', '?', '.']) {
        let between = |between: &&&str| starts_with(&question.lower, at, between);
        let Some(between) = BETWEEN.iter().find(between) else {
            continue;
        };
        if pieces.len() + 1 == MAX_PARTS {
            break;
        }
        let next = at + between.len();
        if at >= begin && opens(&question.lower, next) && !is_quoted(&question.text, at) {
            pieces.push(begin..at);
            begin = next;
        }
    }
    pieces.push(begin..question.text.len());
    pieces
}

fn starts_with(text: &str, at: usize, what: &str) -> bool {
    text.get(at..).is_some_and(|rest| rest.starts_with(what))
}

fn opens(text: &str, at: usize) -> bool {
    let rest = text.get(at..).unwrap_or_default();
    let word = rest.split(|c: char| !c.is_ascii_alphabetic()).next();
    word.is_some_and(|word| OPENERS.contains(&word))
}

/// Whether a place lies between two quotation marks.
fn is_quoted(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let is_open = |mark| before.matches(mark).count() % 2 == 1;
    is_open('"') || is_open('`') || before.matches('“').count() > before.matches('”').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Kinds by a word each; those of the first are all about the same.
    fn taken_apart(text: &str) -> Vec<String> {
        let kind = |part: &Question| {
            let words = ["tree", "wiki", "defined"];
            words.iter().position(|word| part.lower.contains(word))
        };
        let parts = parts(&Question::read(text), kind, |a, b| a == b && a == 0);
        parts.into_iter().map(|part| part.text).collect()
    }

    #[test]
    fn a_question_is_taken_apart_where_another_begins() {
        for (text, expected) in [
            ("What is in the tree?", &["What is in the tree?"][..]),
            (
                "What is in the tree, what does the wiki say about a and b, and where is c defined?",
                &[
                    "What is in the tree",
                    "what does the wiki say about a and b",
                    "where is c defined?",
                ],
            ),
            (
                "Where is a defined and where is b defined?",
                &["Where is a defined", "where is b defined?"],
            ),
            (
                "Which trees are old? Show the wiki. Where is c defined?",
                &[
                    "Which trees are old",
                    "Show the wiki",
                    "Where is c defined?",
                ],
            ),
        ] {
            assert_eq!(taken_apart(text), expected, "{text}");
        }
    }

    #[test]
    fn a_question_has_eight_parts_at_most() {
        let text = ["where is a defined"; 100].join(" and ");
        let parts = taken_apart(&text);
        assert_eq!(parts.len(), MAX_PARTS);
        let last = ["where is a defined"; 93].join(" and ");
        assert_eq!(parts.last(), Some(&last));
    }

    #[test]
    fn what_is_no_question_by_itself_stays_where_it_stands() {
        for text in [
            "Which tree is old, and which tree is new?",
            "What does the wiki say about trees and how they grow?",
            "What does the wiki say about \"a, and where is it defined\"?",
            "Is it warm, and what does the wiki say about ice?",
        ] {
            assert_eq!(taken_apart(text), [text]);
        }
    }
}
