//! Source text without what it only says: comments and strings become blanks.

use super::Language;

/// A copy of `text` in which comments and the inside of strings are blank. Lengths and line
/// breaks are those of `text`; quotes stay.
pub(super) fn mask(language: Language, text: &str) -> String {
    let mut masker = Masker {
        language,
        text: text.as_bytes(),
        out: text.as_bytes().to_vec(),
        at: 0,
        last: 0,
        word: None,
        templates: Vec::new(),
        not_closed: (0, 0),
    };
    while masker.at < masker.text.len() {
        masker.step();
    }
    String::from_utf8(masker.out).unwrap_or_default()
}

struct Masker<'t> {
    language: Language,
    text: &'t [u8],
    out: Vec<u8>,
    at: usize,
    /// The last byte of code that was not a blank.
    last: u8,
    /// Where the word began that `last` ends.
    word: Option<usize>,
    /// JavaScript templates that the code stands in: the open braces of each.
    templates: Vec<usize>,
    /// Slashes that no other one closes: where their line ends, how many there were in it.
    not_closed: (usize, usize),
}

/// Where so many slashes of a line begin no regular expression, the others do not either.
const MAX_SLASHES: usize = 32;

impl Masker<'_> {
    fn step(&mut self) {
        if let Some(open) = self.comment() {
            self.blank_comment(open);
        } else if self.raw_string() || self.quote() || self.regex() {
            self.last = b'"';
            self.word = None;
        } else {
            self.code();
        }
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn starts(&self, with: &str) -> bool {
        let rest = self.text.get(self.at..).unwrap_or_default();
        rest.starts_with(with.as_bytes())
    }

    /// Blanks the bytes up to `end`, line breaks aside, and goes there.
    fn blank(&mut self, end: usize) {
        let end = end.min(self.text.len());
        for byte in self.out.get_mut(self.at..end).into_iter().flatten() {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        self.at = end;
    }

    /// One byte of code.
    fn code(&mut self) {
        let byte = self.peek(0);
        if let Some(braces) = self.templates.last_mut() {
            match byte {
                b'{' => *braces += 1,
                b'}' if *braces == 0 => {
                    self.templates.pop();
                    self.blank(self.at + 1);
                    self.template();
                    return;
                }
                b'}' => *braces -= 1,
                _ => {}
            }
        }
        if is_word(byte) {
            let goes_on = self.at > 0 && self.text.get(self.at - 1).is_some_and(|b| is_word(*b));
            if !goes_on || self.word.is_none() {
                self.word = Some(self.at);
            }
            self.last = byte;
        } else if !byte.is_ascii_whitespace() {
            self.word = None;
            self.last = byte;
        }
        self.at += 1;
    }

    /// What opens a comment here, if something does.
    fn comment(&self) -> Option<&'static str> {
        use Language::{CLike, Dash, Go, Hash, Python, Rust, Script, Text};
        let opens: &[&'static str] = match self.language {
            Rust | Script | Go | CLike => &["//", "/*"],
            Python | Hash => &["#"],
            Dash => &["--"],
            Text => &[],
        };
        let open = opens.iter().copied().find(|open| self.starts(open))?;
        let before = self.at.checked_sub(1).and_then(|at| self.text.get(at));
        let inside_a_word = before.is_some_and(|byte| !byte.is_ascii_whitespace());
        // In a shell `$#` and `a#b` are no comments.
        if self.language == Hash && inside_a_word {
            return None;
        }
        Some(open)
    }

    fn blank_comment(&mut self, open: &str) {
        if open != "/*" {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let length = rest.iter().position(|byte| *byte == b'\n');
            self.blank(self.at + length.unwrap_or(rest.len()));
            return;
        }
        let nests = self.language == Language::Rust;
        let mut depth = 1;
        let mut end = self.at + 2;
        while depth > 0 && end < self.text.len() {
            match self.text.get(end..end + 2) {
                Some(b"*/") => {
                    depth -= 1;
                    end += 2;
                }
                Some(b"/*") if nests => {
                    depth += 1;
                    end += 2;
                }
                _ => end += 1,
            }
        }
        self.blank(end);
    }

    /// Strings without escapes: Rust's `r#""#`, Go's backquotes.
    fn raw_string(&mut self) -> bool {
        if self.language == Language::Go && self.peek(0) == b'`' {
            self.at += 1;
            self.until("`", false, true);
            return true;
        }
        if self.language != Language::Rust || self.after_word() {
            return false;
        }
        let prefix = ["r", "br", "cr"]
            .into_iter()
            .find(|prefix| self.starts(prefix) && matches!(self.peek(prefix.len()), b'"' | b'#'));
        let Some(prefix) = prefix else {
            return false;
        };
        let mut hashes = 0;
        while self.peek(prefix.len() + hashes) == b'#' {
            hashes += 1;
        }
        if self.peek(prefix.len() + hashes) != b'"' {
            return false; // a raw identifier
        }
        self.at += prefix.len() + hashes + 1;
        let close = format!("\"{}", "#".repeat(hashes));
        self.until(&close, false, true);
        true
    }

    /// Whether the byte before belongs to a word.
    fn after_word(&self) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.text.get(at));
        before.is_some_and(|byte| is_word(*byte))
    }

    fn quote(&mut self) -> bool {
        let byte = self.peek(0);
        if byte == b'`' && self.language == Language::Script {
            self.at += 1;
            self.template();
            return true;
        }
        if byte != b'"' && byte != b'\'' {
            return false;
        }
        match self.language {
            Language::Text => return false,
            Language::Rust if byte == b'\'' => return self.char_literal(),
            _ => {}
        }
        let quote = if byte == b'"' { "\"" } else { "'" };
        let triple = quote.repeat(3);
        if matches!(self.language, Language::Python | Language::CLike) && self.starts(&triple) {
            self.at += 3;
            self.until(&triple, true, true);
        } else {
            self.at += 1;
            // Only Rust lets a plain string go on over lines; elsewhere a stray apostrophe must
            // not swallow the rest of the file.
            self.until(quote, true, self.language == Language::Rust);
        }
        true
    }

    /// `'x'` and `'\n'`, but not the lifetime `'a`.
    fn char_literal(&mut self) -> bool {
        let escaped = self.peek(1) == b'\\';
        let width = match self.peek(1) {
            0..0x80 => 1,
            0x80..0xe0 => 2,
            0xe0..0xf0 => 3,
            _ => 4,
        };
        if !escaped && self.peek(1 + width) != b'\'' {
            return false;
        }
        self.at += 1;
        self.until("'", true, false);
        true
    }

    /// Blanks up to `close` and steps over it. Without `lines`, the end of the line ends it too.
    fn until(&mut self, close: &str, escapes: bool, lines: bool) {
        let mut end = self.at;
        while let Some(byte) = self.text.get(end) {
            let rest = self.text.get(end..).unwrap_or_default();
            if rest.starts_with(close.as_bytes()) {
                self.blank(end);
                self.at = end + close.len();
                return;
            }
            if *byte == b'\n' && !lines {
                break;
            }
            end += if escapes && *byte == b'\\' { 2 } else { 1 };
        }
        self.blank(end);
    }

    /// The text of a template, up to its end or to the code in it.
    fn template(&mut self) {
        let mut end = self.at;
        loop {
            match self.text.get(end..) {
                None | Some([]) => return self.blank(end),
                Some([b'\\', ..]) => end += 2,
                Some([b'`', ..]) => {
                    self.blank(end);
                    self.at = end + 1;
                    return;
                }
                Some([b'$', b'{', ..]) => {
                    self.blank(end + 1);
                    self.blank(end + 2);
                    self.templates.push(0);
                    return;
                }
                Some(_) => end += 1,
            }
        }
    }

    /// A JavaScript regular expression: a slash where no division can stand.
    fn regex(&mut self) -> bool {
        if self.language != Language::Script || self.peek(0) != b'/' || !self.takes_value() {
            return false;
        }
        let (line_end, slashes) = self.not_closed;
        if self.at < line_end && slashes >= MAX_SLASHES {
            return false;
        }
        let mut end = self.at + 1;
        let mut in_class = false;
        loop {
            match self.text.get(end) {
                None | Some(b'\n') => return self.found_unclosed(end),
                Some(b'\\') => end += 1,
                Some(b'[') => in_class = true,
                Some(b']') => in_class = false,
                Some(b'/') if !in_class => break,
                Some(_) => {}
            }
            end += 1;
        }
        self.at += 1;
        self.blank(end);
        self.at = end + 1;
        true
    }

    /// Notes a slash that no other one closes before the end of its line.
    fn found_unclosed(&mut self, end: usize) -> bool {
        let (line_end, slashes) = self.not_closed;
        let before = if end == line_end { slashes } else { 0 };
        self.not_closed = (end, before + 1);
        false
    }

    /// Whether a value may begin here, rather than an operator.
    fn takes_value(&self) -> bool {
        const BEFORE_VALUES: &[&[u8]] = &[
            b"return", b"typeof", b"case", b"in", b"of", b"delete", b"void", b"throw", b"new",
            b"else", b"do", b"await", b"yield",
        ];
        match self.last {
            0 => true,
            b')' | b']' | b'"' => false,
            last if is_word(last) => self.word.is_some_and(|start| {
                let word = self.text.get(start..self.at).unwrap_or_default();
                BEFORE_VALUES.contains(&word.trim_ascii_end())
            }),
            _ => true,
        }
    }
}

/// Whether a byte can be part of a name.
const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_become_blank_and_nothing_else() {
        for (language, text, want) in [
            (
                Language::Rust,
                "a /* /* x */ y */ b // c\nd",
                "a                 b     \nd",
            ),
            (
                Language::Rust,
                "f(\"fn x\\\"\", 'y', &'a b)",
                "f(\"      \", ' ', &'a b)",
            ),
            (
                Language::Rust,
                "r#\"a\"b\"#; r#fn; br\"c\"",
                "r#\"   \"#; r#fn; br\" \"",
            ),
            (Language::Rust, "'\\'' 'é' 'x: &'y", "'  ' '  ' 'x: &'y"),
            (
                Language::Python,
                "a = '''d\ne''' # f\ng'h\ni",
                "a = ''' \n '''    \ng' \ni",
            ),
            (
                Language::Script,
                "`a${b({c:`d`})}e` + f",
                "`   b({c:` `})  ` + f",
            ),
            (
                Language::Script,
                "x = /a\"[/]/g; y / 2 / \"z\"",
                "x = /     /g; y / 2 / \" \"",
            ),
            (
                Language::Script,
                "return /'/; a[0] / b",
                "return / /; a[0] / b",
            ),
            (
                Language::Go,
                "a := `b\n\\`; c := 'd'",
                "a := ` \n `; c := ' '",
            ),
            (Language::Hash, "a$# b#c # d", "a$# b#c    "),
            (Language::Text, "it's \"so\"", "it's \"so\""),
        ] {
            assert_eq!(mask(language, text), want, "{text}");
        }
    }

    #[test]
    fn any_text_keeps_its_length_and_lines() {
        let nasty = "`${`${'\"\\\n/*é//'''\"\"\"r##\"#\n}`/[\\]'\\";
        for start in (0..nasty.len()).filter(|at| nasty.is_char_boundary(*at)) {
            let text = &nasty[start..];
            for language in [
                Language::Rust,
                Language::Python,
                Language::Script,
                Language::Go,
                Language::CLike,
            ] {
                let masked = mask(language, text);
                assert_eq!(masked.len(), text.len());
                assert_eq!(masked.matches('\n').count(), text.matches('\n').count());
            }
        }
    }
}
