//! Whole texts of which parts are read: a part costs what it is long, wherever it is.

use std::sync::Arc;

use mcp_protocol::{ContentBlock, ResourceContents};

/// The text of a block: its own, or that of a resource in it.
pub(super) fn text_of(block: &ContentBlock) -> Option<&str> {
    match block {
        ContentBlock::Resource(embedded) => match &embedded.resource {
            ResourceContents::Text(contents) => Some(&contents.text),
            _ => None,
        },
        other => other.as_text(),
    }
}

/// A result that is kept whole: its texts, joined with line breaks, are one text.
pub trait WholeText {
    /// All of it.
    fn content(&self) -> &[ContentBlock];

    /// Where its characters are. To be made once.
    fn index(&self) -> &TextIndex;
}

impl<T: WholeText + ?Sized> WholeText for Arc<T> {
    fn content(&self) -> &[ContentBlock] {
        (**self).content()
    }

    fn index(&self) -> &TextIndex {
        (**self).index()
    }
}

/// Where the characters of a result are, so that a part of it is found without looking through
/// all that comes before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextIndex {
    chars: usize,
    marks: Vec<Mark>,
}

/// A place in the content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Mark {
    /// How many characters are before it.
    chars: usize,
    block: usize,
    byte: usize,
}

/// About how many bytes are between two marks.
const STRIDE: usize = 16 << 10;

impl TextIndex {
    /// Looks through the content once.
    #[must_use]
    pub fn of(content: &[ContentBlock]) -> Self {
        let mut index = Self::default();
        let mut since = STRIDE;
        let texts = content.iter().enumerate();
        let texts = texts.filter_map(|(block, one)| Some((block, text_of(one)?)));
        for (nth, (block, text)) in texts.enumerate() {
            index.chars += usize::from(nth > 0);
            index.add(block, text, &mut since);
        }
        index
    }

    /// Counts a text, and sets a mark where the last one is a stride back.
    fn add(&mut self, block: usize, text: &str, since: &mut usize) {
        let mut byte = 0;
        while byte < text.len() {
            if *since >= STRIDE {
                let chars = self.chars;
                self.marks.push(Mark { chars, block, byte });
                *since = 0;
            }
            let end = boundary(text, byte + (STRIDE - *since));
            self.chars += text.get(byte..end).map_or(0, |part| part.chars().count());
            *since += end - byte;
            byte = end;
        }
    }

    /// How many characters the text has.
    #[must_use]
    pub const fn chars(&self) -> usize {
        self.chars
    }

    /// At most `limit` characters from the one at `from` on, of the content that the index was
    /// made of.
    #[must_use]
    pub fn part(&self, content: &[ContentBlock], from: usize, limit: usize) -> String {
        let mark = self.before(from);
        let (mut skip, mut left) = (from - mark.chars, limit);
        let mut part = String::new();
        for piece in pieces(content, mark) {
            let (skipped, start) = walk(piece, skip);
            skip -= skipped;
            let rest = piece.get(start..).unwrap_or_default();
            let (taken, end) = walk(rest, left);
            left -= taken;
            part.push_str(rest.get(..end).unwrap_or_default());
            if left == 0 {
                break;
            }
        }
        part
    }

    /// The text from the character at `from` on, in pieces that no line break is lost between.
    pub(super) fn rest<'a>(
        &self,
        content: &'a [ContentBlock],
        from: usize,
    ) -> impl Iterator<Item = &'a str> {
        let mark = self.before(from);
        let mut skip = from - mark.chars;
        pieces(content, mark).map(move |piece| {
            let (skipped, start) = walk(piece, skip);
            skip -= skipped;
            piece.get(start..).unwrap_or_default()
        })
    }

    fn before(&self, from: usize) -> Mark {
        let at = self.marks.partition_point(|mark| mark.chars <= from);
        let mark = at.checked_sub(1).and_then(|at| self.marks.get(at));
        mark.copied().unwrap_or_default()
    }
}

/// The texts from a place on, with the line breaks between them.
fn pieces(content: &[ContentBlock], from: Mark) -> impl Iterator<Item = &str> {
    let texts = content.iter().enumerate().skip(from.block);
    let texts = texts.filter_map(move |(block, one)| {
        let start = if block == from.block { from.byte } else { 0 };
        text_of(one)?.get(start..)
    });
    texts.enumerate().flat_map(|(nth, text)| {
        let between = if nth == 0 { "" } else { "\n" };
        [between, text]
    })
}

/// Goes over at most `chars` characters: over how many, and how many bytes they are.
fn walk(text: &str, chars: usize) -> (usize, usize) {
    let mut walked = 0;
    for (at, _) in text.char_indices() {
        if walked == chars {
            return (walked, at);
        }
        walked += 1;
    }
    (walked, text.len())
}

/// The first end of a character at `byte` or behind it.
fn boundary(text: &str, byte: usize) -> usize {
    let ends = byte..text.len();
    ends.into_iter()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(texts: &[&str]) -> Vec<ContentBlock> {
        let image = ContentBlock::image([1], "image/png");
        let mut blocks = vec![image.clone()];
        for text in texts {
            blocks.push((*text).into());
            blocks.push(image.clone());
        }
        blocks
    }

    #[test]
    fn every_part_is_what_the_joined_text_has_there() {
        let long = "数a据🙂".repeat(STRIDE / 3);
        let plain = "x".repeat(2 * STRIDE + 1);
        let cases: [&[&str]; 6] = [
            &[],
            &[""],
            &["", "", "a", ""],
            &["ab", "c"],
            &[&long, "", "end"],
            &["s", &plain, &long, &plain],
        ];
        for texts in cases {
            let content = blocks(texts);
            let index = TextIndex::of(&content);
            let whole: Vec<char> = texts.join("\n").chars().collect();
            assert_eq!(index.chars(), whole.len());
            let step = whole.len() / 97 + 1;
            for from in (0..=whole.len()).step_by(step) {
                let rest: String = index.rest(&content, from).collect();
                assert!(rest.chars().eq(whole.iter().skip(from).copied()));
                let part = |limit| index.part(&content, from, limit);
                let expected = |limit| whole.iter().skip(from).take(limit).collect::<String>();
                assert!(
                    [1, 2, 5_000].iter().all(|n| part(*n) == expected(*n)),
                    "{from}"
                );
            }
        }
    }

    #[test]
    fn marks_are_a_stride_apart_however_small_the_blocks_are() {
        let small = vec![ContentBlock::text("abc"); 100_000];
        let marks = TextIndex::of(&small).marks.len();
        assert!(marks <= 300_000 / STRIDE + 2, "{marks}");
        let one = [ContentBlock::text("数".repeat(1_000_000))];
        assert!(TextIndex::of(&one).marks.len() <= 3_000_000 / STRIDE + 2);
    }

    #[test]
    fn the_text_of_a_resource_counts() {
        let resource = ResourceContents::text("file:///a", "inside");
        let content = ["before".into(), ContentBlock::resource(resource)];
        let index = TextIndex::of(&content);
        assert_eq!(index.part(&content, 0, 99), "before\ninside");
    }
}
