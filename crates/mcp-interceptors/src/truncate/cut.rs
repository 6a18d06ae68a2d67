//! Where a long text is cut.

use std::borrow::Cow;

use mcp_protocol::ContentBlock;

use super::whole::text_of;

/// When and how the text of a result is cut before the model sees it. Lengths are in Unicode
/// scalar values.
///
/// The default cuts texts of more than 5,000 to their first 2,000 and last 1,000.
///
/// ```
/// use mcp_interceptors::Truncate;
/// let cut = Truncate::new(10, 3, 2).text("a long story", "call-1").unwrap();
/// assert_eq!(
///     cut,
///     "a l\n...[truncated: kept 3+2 of 12 chars; full result: \
///      read_tool_result(tool_call_id=\"call-1\")]...\nry"
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Truncate {
    /// Texts of more are cut.
    pub threshold: usize,
    /// How much of the beginning stays.
    pub head: usize,
    /// How much of the end stays.
    pub tail: usize,
}

impl Default for Truncate {
    fn default() -> Self {
        Self {
            threshold: 5_000,
            head: 2_000,
            tail: 1_000,
        }
    }
}

impl Truncate {
    /// Cuts texts of more than `threshold` to the first `head` and the last `tail`. What stays
    /// is never more than what was there.
    #[must_use]
    pub const fn new(threshold: usize, head: usize, tail: usize) -> Self {
        Self {
            threshold,
            head,
            tail,
        }
    }

    /// Cuts a text; the marker says that the whole is read with `read_tool_result` under this
    /// id. `None` if it is short enough.
    #[must_use]
    pub fn text(&self, text: &str, call_id: &str) -> Option<String> {
        let total = self.too_long(text)?;
        let head_end = offset(text, self.head);
        let tail_start = offset(text, total - self.tail);
        let (head, tail) = (text.get(..head_end)?, text.get(tail_start..)?);
        Some(format!(
            "{head}\n...[truncated: kept {}+{} of {total} chars; full result: \
             read_tool_result(tool_call_id=\"{call_id}\")]...\n{tail}",
            self.head, self.tail
        ))
    }

    /// Cuts the texts of a result, taken together, those of resources in it too; other blocks
    /// stay. `None` if they are short enough.
    #[must_use]
    pub fn content(&self, content: &[ContentBlock], call_id: &str) -> Option<Vec<ContentBlock>> {
        let cut = self.text(&texts(content), call_id)?;
        let others = content.iter().filter(|block| text_of(block).is_none());
        let first = std::iter::once(ContentBlock::text(cut));
        Some(first.chain(others.cloned()).collect())
    }

    /// Whether [`content`](Self::content) would cut these blocks.
    #[must_use]
    pub fn is_too_long(&self, content: &[ContentBlock]) -> bool {
        // Cheap for what cannot be too long: a scalar value has at least one byte.
        let bytes = content.iter().filter_map(text_of);
        let bytes = bytes.map(|text| text.len() + 1).sum::<usize>();
        bytes > self.threshold && self.too_long(&texts(content)).is_some()
    }

    /// How long a text is that is too long.
    fn too_long(&self, text: &str) -> Option<usize> {
        if text.len() <= self.threshold {
            return None;
        }
        let total = text.chars().count();
        let gains = total > self.head.saturating_add(self.tail);
        (total > self.threshold && gains).then_some(total)
    }
}

/// The texts with line breaks between them.
pub(super) fn joined(content: &[ContentBlock]) -> String {
    texts(content).into_owned()
}

fn texts(content: &[ContentBlock]) -> Cow<'_, str> {
    if let [ContentBlock::Text(only)] = content {
        return Cow::Borrowed(&only.text);
    }
    let texts: Vec<&str> = content.iter().filter_map(text_of).collect();
    Cow::Owned(texts.join("\n"))
}

/// The byte at which the `index`-th scalar value begins.
fn offset(text: &str, index: usize) -> usize {
    text.char_indices()
        .nth(index)
        .map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a23_more_than_5000_characters_are_cut_and_5000_are_not() {
        let cut = |n: usize| Truncate::default().text(&"x".repeat(n), "c1");
        assert_eq!(cut(5_000), None);
        let cut = cut(5_001).unwrap();
        let marker = "\n...[truncated: kept 2000+1000 of 5001 chars; full result: \
                      read_tool_result(tool_call_id=\"c1\")]...\n";
        assert_eq!(
            cut,
            format!("{}{marker}{}", "x".repeat(2_000), "x".repeat(1_000))
        );
    }

    #[test]
    fn a23_a_cut_never_splits_a_character() {
        let text = "数据库🙂".repeat(3_000);
        let cut = Truncate::default().text(&text, "c").unwrap();
        assert!(cut.starts_with("数据库🙂") && cut.ends_with("数据库🙂"));
        let (head, rest) = cut.split_once("\n...[").unwrap();
        let (_, tail) = rest.split_once("]...\n").unwrap();
        assert_eq!((head.chars().count(), tail.chars().count()), (2_000, 1_000));
    }

    #[test]
    fn text_blocks_are_cut_together_and_other_blocks_stay() {
        let image = ContentBlock::image([1], "image/png");
        let blocks = [
            "x".repeat(3_000).into(),
            image.clone(),
            "y".repeat(3_000).into(),
        ];
        assert!(Truncate::default().is_too_long(&blocks));
        let cut = Truncate::default().content(&blocks, "c").unwrap();
        assert_eq!(cut.len(), 2);
        assert_eq!(cut[1], image);
        assert!(cut[0].as_text().unwrap().contains("of 6001 chars"));
        let nothing_to_gain = Truncate::new(1, 5, 5);
        assert!(nothing_to_gain.text("short", "c").is_none());
        assert!(!nothing_to_gain.is_too_long(&["short".into()]));
    }
}
