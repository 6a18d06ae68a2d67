//! Masked text as tokens.

/// A name, a number, or one mark of punctuation. `=>`, `->`, `:=` and `::` are one mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'t> {
    pub(super) text: &'t str,
    /// Its line, from 1.
    pub(super) line: u32,
}

impl Token<'_> {
    /// Whether it is a name.
    pub(super) fn is_name(self) -> bool {
        is_name(self.text)
    }
}

/// Whether a token's text is a name: no punctuation, no number, not longer than names are.
pub(super) fn is_name(text: &str) -> bool {
    let first = text.chars().next();
    text.len() <= MAX_NAME && first.is_some_and(|c| c.is_alphabetic() || c == '_' || c == '$')
}

/// Words longer than this, in bytes, are no names that anybody wrote.
const MAX_NAME: usize = 250;

/// Lists of types longer than this, in tokens, are taken for comparisons.
const MAX_ANGLE: usize = 200;

/// The tokens of a text, with look-around that never fails and takes no time.
#[derive(Debug)]
pub(super) struct Tokens<'t> {
    tokens: Vec<Token<'t>>,
    /// For each opening bracket where it closes, for all else its own place.
    closings: Vec<usize>,
}

impl<'t> Tokens<'t> {
    /// Splits masked text.
    pub(super) fn of(text: &'t str) -> Self {
        let mut tokens = Vec::new();
        let mut line = 1;
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let length = match c {
                '\n' => {
                    line += 1;
                    1
                }
                c if c.is_whitespace() => c.len_utf8(),
                c => {
                    let length = token_length(rest, c);
                    let text = rest.get(..length).unwrap_or(rest);
                    tokens.push(Token { text, line });
                    length
                }
            };
            rest = rest.get(length..).unwrap_or_default();
        }
        let closings = closings(&tokens);
        Self { tokens, closings }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// The token at `at`, if there is one.
    pub(super) fn get(&self, at: usize) -> Option<Token<'t>> {
        self.tokens.get(at).copied()
    }

    /// The text of the token at `at`; empty beyond the ends.
    pub(super) fn text(&self, at: usize) -> &'t str {
        self.tokens.get(at).map_or("", |token| token.text)
    }

    /// The text of the token before `at`; empty at the beginning.
    pub(super) fn before(&self, at: usize) -> &'t str {
        at.checked_sub(1).map_or("", |at| self.text(at))
    }

    /// Where the bracket that opens at `at` closes: the place of the closing one, or the end.
    /// `at` itself where no bracket opens, or where `<` is a comparison after all.
    pub(super) fn closing(&self, at: usize) -> usize {
        self.closings.get(at).copied().unwrap_or(at)
    }
}

/// For each opening bracket the place of its closing one, or the end; for all else its own place.
fn closings(tokens: &[Token<'_>]) -> Vec<usize> {
    let mut closings: Vec<usize> = (0..tokens.len()).collect();
    let mut close = |start: usize, at: usize| {
        if let Some(closing) = closings.get_mut(start) {
            *closing = at;
        }
    };
    let mut open: Vec<(&str, usize)> = Vec::new();
    // The lists of types that are open, each with how many brackets are open around it.
    let mut angles: Vec<(usize, usize)> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let opens = match token.text {
            "(" | "[" | "{" => {
                open.push((token.text, at));
                continue;
            }
            "<" => {
                angles.push((open.len(), at));
                continue;
            }
            ">" => {
                let start = angles.pop_if(|(level, _)| *level == open.len());
                if let Some((_, start)) = start.filter(|(_, start)| at - start < MAX_ANGLE) {
                    close(start, at);
                }
                continue;
            }
            ")" => "(",
            "]" => "[",
            "}" => "{",
            ";" => "",
            _ => continue,
        };
        while angles.pop_if(|(level, _)| *level >= open.len()).is_some() {}
        if let Some((_, start)) = open.pop_if(|(text, _)| *text == opens) {
            close(start, at);
        }
    }
    for (_, start) in open {
        close(start, tokens.len());
    }
    closings
}

fn token_length(rest: &str, first: char) -> usize {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    if is_word(first) {
        return rest.find(|c| !is_word(c)).unwrap_or(rest.len());
    }
    let double = ["=>", "->", ":=", "::"]
        .iter()
        .any(|mark| rest.starts_with(mark));
    if double { 2 } else { first.len_utf8() }
}
