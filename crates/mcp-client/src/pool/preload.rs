//! Puts loaded resources into a system prompt, within a budget.

use super::load::{Body, Loaded, LoadedContent};

/// How much of a system prompt resources may take, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Budget {
    /// Each resource. Default: 8,000.
    pub each: usize,
    /// All together, with their headings. Default: 32,000.
    pub total: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            each: 8_000,
            total: 32_000,
        }
    }
}

impl Budget {
    /// The same limit for each and for all.
    #[must_use]
    pub const fn of(characters: usize) -> Self {
        Self {
            each: characters,
            total: characters,
        }
    }
}

impl Loaded {
    /// The text contents with a heading each, in order. What is longer than its share keeps its
    /// beginning and its end; what has no room any more is left out. Bytes are named, not shown.
    ///
    /// The result never has more characters than the budget.
    #[must_use]
    pub fn to_prompt(&self, budget: Budget) -> String {
        let mut prompt = String::new();
        let mut left = budget.total;
        for content in &self.contents {
            let section = section(content, budget.each, left);
            let length = section.chars().count();
            if length <= left {
                left -= length;
                prompt.push_str(&section);
            }
        }
        prompt
    }
}

fn section(content: &LoadedContent, each: usize, left: usize) -> String {
    let heading = format!("## {} (from {})\n", content.uri, content.server);
    let room = left.saturating_sub(heading.chars().count() + 2).min(each);
    let body = match &content.body {
        Body::Text(text) => shorten(text, room),
        Body::Blob(bytes) => {
            let kind = content.mime_type.as_deref().unwrap_or("unknown type");
            format!("[{kind}, {} bytes]", bytes.len())
        }
    };
    format!("{heading}{body}\n\n")
}

/// The text in at most `room` characters: whole, or two thirds of the room from its beginning
/// and the rest from its end.
fn shorten(text: &str, room: usize) -> String {
    let length = text.chars().count();
    if length <= room {
        return text.to_owned();
    }
    let marker = format!("\n...[{length} characters in all]...\n");
    let Some(room) = room.checked_sub(marker.chars().count()) else {
        return text.chars().take(room).collect();
    };
    let (head, tail) = (room - room / 3, room / 3);
    let mut short: String = text.chars().take(head).collect();
    short.push_str(&marker);
    short.extend(text.chars().skip(length - tail));
    short
}

#[cfg(test)]
mod tests {
    use super::shorten;

    #[test]
    fn a_text_is_cut_in_its_middle_and_never_in_a_character() {
        assert_eq!(shorten("short", 5), "short");
        let text = "äöü".repeat(100);
        for room in [0, 1, 20, 50, 100, 299] {
            let short = shorten(&text, room);
            assert!(short.chars().count() <= room, "{room}");
        }
        let short = shorten(&text, 100);
        assert!(
            short.starts_with("äöüäöü") && short.ends_with("äöü"),
            "{short}"
        );
        assert!(short.contains("[300 characters in all]"), "{short}");
    }
}
