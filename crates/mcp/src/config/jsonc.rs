//! JSON with comments and trailing commas, made JSON of.

/// The text with spaces for what JSON does not know, so that lines and columns stay as they are.
pub(super) fn to_json(text: &str) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    // Where the last comma stands in `out`, while nothing but space has come since.
    let mut comma = None;
    while let Some(first) = rest.chars().next() {
        let (length, is_comment) = token(rest, first);
        let (token, behind) = rest.split_at(length);
        rest = behind;
        if is_comment {
            out.extend(token.bytes().map(|b| if b == b'\n' { b } else { b' ' }));
            continue;
        }
        match first {
            ',' => comma = Some(out.len()),
            ']' | '}' => {
                if let Some(trailing) = comma.take().and_then(|at: usize| out.get_mut(at)) {
                    *trailing = b' ';
                }
            }
            _ if first.is_whitespace() => {}
            _ => comma = None,
        }
        out.extend_from_slice(token.as_bytes());
    }
    // Only whole characters were replaced.
    String::from_utf8(out).unwrap_or_default()
}

/// How long the token is that `rest` begins with, and whether it is a comment.
fn token(rest: &str, first: char) -> (usize, bool) {
    if first == '"' {
        return (string(rest), false);
    }
    if rest.starts_with("//") {
        return (rest.find('\n').unwrap_or(rest.len()), true);
    }
    if let Some(comment) = rest.strip_prefix("/*") {
        let length = comment.find("*/").map_or(rest.len(), |end| end + 4);
        return (length, true);
    }
    (first.len_utf8(), false)
}

/// The length of a string with its quotes.
fn string(rest: &str) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::to_json;

    #[test]
    fn comments_and_trailing_commas_turn_into_space() {
        assert_eq!(
            to_json("[1, // one\n 2, /* x\ny */ ]"),
            "[1,       \n 2      \n     ]"
        );
        assert_eq!(to_json("{\"a\":1,}"), "{\"a\":1 }");
        assert_eq!(to_json("[[1,],],"), "[[1 ] ],");
    }

    #[test]
    fn strings_stay_as_they_are() {
        let text = r#"{"url":"http://x/,]","q":"\"//,}\\"}"#;
        assert_eq!(to_json(text), text);
    }

    #[test]
    fn what_is_cut_off_is_left_to_the_parser() {
        for text in ["\"abc", "[1,", "{\"a\\"] {
            assert_eq!(to_json(text), text);
        }
        assert_eq!(to_json("[/*"), "[  ");
    }
}
