//! Words of others, as a terminal may be given them.
//!
//! Names, descriptions, results, errors and log lines of servers are theirs. A terminal would obey
//! the control characters in them, and a reader would be misled by what changes the order of
//! letters, or cannot be seen.

use std::borrow::Cow;

use serde::Serialize;

use crate::exit::Failure;

/// The longest message of a failure that is shown, in characters.
const MESSAGE: usize = 1000;

/// Text of one or more lines: what must not reach a terminal is replaced.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| matches!(c, '\n' | '\t') || !is_hidden(c);
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\r' => {}
            c if is_plain(c) => shown.push(c),
            _ => shown.push(char::REPLACEMENT_CHARACTER),
        }
    }
    Cow::Owned(shown)
}

/// Text on one line, with single spaces.
pub(crate) fn line(text: &str) -> String {
    visible(&text.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned()
}

/// Text on one line, cut to so many characters.
pub(crate) fn cut(text: &str, length: usize) -> String {
    let text = line(text);
    match text.char_indices().nth(length) {
        Some((end, _)) => format!("{}…", text.split_at(end).0),
        None => text,
    }
}

/// A message on one line. A long one is cut, and says how long it is.
pub(crate) fn message(text: &str) -> String {
    let shown = cut(text, MESSAGE);
    match shown.chars().count() > MESSAGE {
        true => format!("{shown} ({} bytes in all)", text.len()),
        false => shown,
    }
}

/// A value as JSON, in lines.
///
/// # Errors
/// When it cannot be written as JSON.
pub(crate) fn json(value: &impl Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(value).map_err(Failure::failed)?;
    Ok(escaped(text))
}

/// JSON that means the same, with escapes for what must not reach a terminal.
pub(crate) fn escaped(text: String) -> String {
    let is_shown = |c: char| c == '\n' || !is_hidden(c);
    if text.chars().all(is_shown) {
        return text;
    }
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if is_shown(c) {
            escaped.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            escaped.push_str(&format!("\\u{unit:04x}"));
        }
    }
    escaped
}

/// Whether a terminal would obey it, or a reader not see it for what it is.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            // Marks, embeddings, overrides and isolates of the direction of writing.
            '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}'
            // Ends of lines and paragraphs.
            | '\u{2028}'..='\u{2029}'
            // Without width.
            | '\u{200b}' | '\u{2060}'..='\u{2065}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVIL: &str = "a\x1b[2J\u{9b}31m\u{202e}b\r\n\tc\u{2028}\u{200b}\u{7f}\0d\u{e0041}";

    #[test]
    fn nothing_that_a_terminal_obeys_is_shown() {
        assert_eq!(
            visible(EVIL),
            "a\u{fffd}[2J\u{fffd}31m\u{fffd}b\n\tc\u{fffd}\u{fffd}\u{fffd}\u{fffd}d\u{fffd}"
        );
        // A separator of lines is a space as any other.
        assert_eq!(
            line(EVIL),
            "a\u{fffd}[2J\u{fffd}31m\u{fffd}b c \u{fffd}\u{fffd}\u{fffd}d\u{fffd}"
        );
        let plain = "Grüße, 世界, שלום, a\u{200d}b 👩‍🚀";
        assert_eq!((&*visible(plain), &*line(plain)), (plain, plain));
    }

    #[test]
    fn a_long_message_is_cut_and_says_how_long_it_is() {
        assert_eq!(
            (message("a\n b"), cut(" ab \n", 1)),
            ("a b".into(), "a…".into())
        );
        assert_eq!(message(&"ä".repeat(MESSAGE)), "ä".repeat(MESSAGE));
        let long = "ä".repeat(1 << 20);
        let shown = message(&long);
        assert!(shown.ends_with("ä… (2097152 bytes in all)"));
        assert_eq!(shown.chars().filter(|c| *c == 'ä').count(), MESSAGE);
    }

    #[test]
    fn json_means_the_same() {
        let value = serde_json::json!({ EVIL: [EVIL, "plain"] });
        let text = json(&value).unwrap();
        assert!(text.chars().all(|c| c == '\n' || !is_hidden(c)), "{text}");
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text).unwrap(),
            value
        );
    }
}
