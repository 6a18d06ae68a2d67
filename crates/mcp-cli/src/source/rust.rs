//! What Rust source defines.

use std::sync::Arc;

use super::token::{Token, Tokens};
use super::{Definition, path_below};

/// Finds the items of masked Rust source.
pub(super) fn scan(masked: &str) -> Vec<Definition> {
    let mut scanner = Scanner {
        tokens: Tokens::of(masked),
        found: Vec::new(),
        open: Vec::new(),
        pending: None,
        nest: 0,
    };
    for at in 0..scanner.tokens.len() {
        scanner.step(at);
    }
    scanner.found
}

/// The longest header of an `impl` that is looked at, in tokens.
const HEADER: usize = 300;

/// What an open brace belongs to.
#[derive(Clone, Debug, Default)]
struct Scope {
    name: String,
    /// All that encloses what is in it.
    path: Arc<str>,
    /// Whether functions in it are methods of `name`.
    is_type: bool,
}

struct Scanner<'t> {
    tokens: Tokens<'t>,
    found: Vec<Definition>,
    /// The open braces, outermost first.
    open: Vec<Scope>,
    /// The header that the next brace at `nest` 0 belongs to.
    pending: Option<Scope>,
    /// Parentheses and brackets open since the header.
    nest: usize,
}

impl<'t> Scanner<'t> {
    fn step(&mut self, at: usize) {
        match self.tokens.text(at) {
            "(" | "[" => self.nest += 1,
            ")" | "]" => self.nest = self.nest.saturating_sub(1),
            "{" => self.open_brace(),
            "}" => {
                self.open.pop();
            }
            ";" if self.nest == 0 => self.pending = None,
            "impl" if self.at_item(at) => self.header(impl_name(&self.tokens, at), true),
            word => {
                if let Some(kind) = kind(word) {
                    self.item(at, kind);
                }
            }
        }
    }

    fn open_brace(&mut self) {
        let header = if self.nest == 0 {
            self.pending.take()
        } else {
            None
        };
        let mut scope = header.unwrap_or_default();
        scope.path = path_below(&self.path(), "::", &scope.name);
        self.open.push(scope);
    }

    /// All that encloses what comes next.
    fn path(&self) -> Arc<str> {
        let last = self.open.last();
        last.map_or_else(Arc::default, |scope| Arc::clone(&scope.path))
    }

    fn header(&mut self, name: String, is_type: bool) {
        self.pending = Some(Scope {
            name,
            is_type,
            ..Scope::default()
        });
        self.nest = 0;
    }

    /// Whether an item may begin here: at the start, behind another item or an attribute.
    fn at_item(&self, at: usize) -> bool {
        matches!(
            self.tokens.before(at),
            "" | "{" | "}" | ";" | "]" | "unsafe" | "default"
        )
    }

    fn item(&mut self, at: usize, kind: &'static str) {
        let Some(name) = self.name_of(at) else {
            return;
        };
        let owner = self.open.last().filter(|scope| scope.is_type);
        let owner = owner.map(|scope| scope.name.clone());
        let kind = match kind {
            "function" if owner.is_some() => "method",
            kind => kind,
        };
        let text = name.text.to_owned();
        self.found.push(Definition {
            kind,
            name: text.clone(),
            owner,
            scope: self.path(),
            line: name.line,
        });
        if matches!(
            kind,
            "function" | "method" | "module" | "trait" | "struct" | "enum" | "union"
        ) {
            self.header(text, kind == "trait");
        }
    }

    /// The name behind a keyword, if this is a definition and no other use of the word.
    fn name_of(&self, at: usize) -> Option<Token<'t>> {
        let tokens = &self.tokens;
        let mut next = at + 1;
        match tokens.text(at) {
            "macro_rules" if tokens.text(next) == "!" => next += 1,
            "macro_rules" => return None,
            "static" | "const" if tokens.text(next) == "mut" => next += 1,
            "type" | "struct" | "enum" | "trait" | "mod" | "union" | "macro" => {
                let before = tokens.before(at);
                // `r#type`, `x.type`, and names that only look like keywords.
                if matches!(before, "." | "#" | "$" | "::") {
                    return None;
                }
            }
            _ => {}
        }
        if tokens.text(next) == "r" && tokens.text(next + 1) == "#" {
            next += 2;
        }
        let name = tokens.get(next)?;
        // `$name` is a hole in a macro.
        if !name.is_name() || name.text.starts_with('$') {
            return None;
        }
        let after = tokens.text(next + 1);
        let fits = match tokens.text(at) {
            "fn" => matches!(after, "(" | "<"),
            "const" | "static" => after == ":" && name.text != "_",
            "union" => matches!(after, "{" | "<" | "where"),
            "macro" => matches!(after, "(" | "{"),
            _ => true,
        };
        fits.then_some(name)
    }
}

fn kind(keyword: &str) -> Option<&'static str> {
    Some(match keyword {
        "fn" => "function",
        "struct" => "struct",
        "enum" => "enum",
        "union" => "union",
        "trait" => "trait",
        "type" => "type",
        "mod" => "module",
        "const" => "constant",
        "static" => "static",
        "macro_rules" | "macro" => "macro",
        _ => return None,
    })
}

/// The type that an `impl` is for: the last name of its path.
fn impl_name(tokens: &Tokens<'_>, at: usize) -> String {
    let mut at = at + 1;
    if tokens.text(at) == "<" {
        at = tokens.closing(at).max(at) + 1;
    }
    let end = at + HEADER;
    let mut name = "";
    while at < end {
        match tokens.text(at) {
            "" | "{" | ";" | "where" => break,
            "<" => at = tokens.closing(at).max(at),
            "for" => name = "",
            "'" => at += 1, // a lifetime
            "mut" | "dyn" | "const" | "impl" => {}
            text if tokens.get(at).is_some_and(Token::is_name) && name_ends(tokens, at, name) => {
                name = text;
            }
            _ => {}
        }
        at += 1;
    }
    if name.is_empty() { "impl" } else { name }.to_owned()
}

/// Whether the name at `at` replaces what was found so far: it is the first, or goes on a path.
fn name_ends(tokens: &Tokens<'_>, at: usize, found: &str) -> bool {
    found.is_empty() || tokens.before(at) == "::"
}
