//! What JavaScript and TypeScript define.

use std::sync::Arc;

use super::token::{Token, Tokens, is_name};
use super::{Definition, path_below};

/// Finds the functions, methods, classes and variables of masked source.
pub(super) fn scan(masked: &str) -> Vec<Definition> {
    let mut scanner = Scanner {
        tokens: Tokens::of(masked),
        found: Vec::new(),
        open: Vec::new(),
        pending: None,
    };
    for at in 0..scanner.tokens.len() {
        scanner.step(at);
    }
    scanner.found
}

/// The longest class header and type that is looked at, in tokens.
const HEADER: usize = 150;

/// What an open bracket belongs to.
#[derive(Clone, Debug, PartialEq)]
enum Scope {
    Class(String),
    Function(String),
    Object,
    /// A block, or parentheses.
    Other,
}

struct Scanner<'t> {
    tokens: Tokens<'t>,
    found: Vec<Definition>,
    /// The open brackets, outermost first, each with all that encloses what is in it.
    open: Vec<(Scope, Arc<str>)>,
    /// What the brace at this place belongs to, once it comes.
    pending: Option<(usize, Scope)>,
}

impl<'t> Scanner<'t> {
    fn step(&mut self, at: usize) {
        match self.tokens.text(at) {
            "(" | "[" => self.open(Scope::Other),
            ")" | "]" | "}" => {
                self.open.pop();
            }
            "{" => self.open_brace(at),
            "function" => self.function(at),
            "class" => self.class(at),
            "const" | "let" | "var" => self.variable(at),
            "interface" | "enum" | "namespace" | "type" => self.typed(at),
            "=" => self.member_assignment(at),
            _ => self.member(at),
        }
    }

    fn open_brace(&mut self, at: usize) {
        if let Some((_, scope)) = self.pending.take_if(|(place, _)| *place == at) {
            return self.open(scope);
        }
        let value = matches!(
            self.tokens.before(at),
            "=" | "(" | "," | ":" | "[" | "return" | "?" | "default" | "&" | "|" | "yield"
        );
        let value = value && self.tokens.before(at.saturating_sub(1)) != "case";
        self.open(if value { Scope::Object } else { Scope::Other });
    }

    fn open(&mut self, scope: Scope) {
        let path = match &scope {
            Scope::Class(name) | Scope::Function(name) => path_below(&self.path(), ".", name),
            Scope::Object | Scope::Other => self.path(),
        };
        self.open.push((scope, path));
    }

    /// All that encloses what comes next.
    fn path(&self) -> Arc<str> {
        let last = self.open.last();
        last.map_or_else(Arc::default, |(_, path)| Arc::clone(path))
    }

    fn add(&mut self, kind: &'static str, name: Token<'t>, owner: Option<String>) {
        let mut scope = self.path();
        if let (Some(owner), true) = (&owner, scope.is_empty()) {
            scope = owner.as_str().into();
        }
        self.found.push(Definition {
            kind,
            name: name.text.to_owned(),
            owner,
            scope,
            line: name.line,
        });
    }

    /// Remembers what the body of the function belongs to whose parameters open at `open`.
    fn expect_body(&mut self, open: usize, name: &str) {
        if let Some(body) = self.body(open) {
            self.pending = Some((body, Scope::Function(name.to_owned())));
        }
    }

    /// `function name(`, also with a star.
    fn function(&mut self, at: usize) {
        let star = usize::from(self.tokens.text(at + 1) == "*");
        let name_at = at + 1 + star;
        let Some(name) = self.tokens.get(name_at).filter(|token| token.is_name()) else {
            return;
        };
        let open = self.parameters(name_at + 1);
        if self.tokens.text(open) == "(" && self.tokens.before(at) != "." {
            self.add("function", name, None);
            self.expect_body(open, name.text);
        }
    }

    fn class(&mut self, at: usize) {
        if matches!(self.tokens.before(at), ".") || self.tokens.text(at + 1) == ":" {
            return;
        }
        let own = self
            .tokens
            .get(at + 1)
            .filter(|token| token.is_name() && token.text != "extends");
        // `const Name = class {`
        let given = (self.tokens.before(at) == "=").then(|| self.tokens.before(at - 1));
        let name = own.map_or_else(|| given.unwrap_or_default(), |token| token.text);
        let body = (at..at + HEADER).find(|place| matches!(self.tokens.text(*place), "{" | ";"));
        if let Some(body) = body {
            self.pending = Some((body, Scope::Class(name.to_owned())));
        }
        if let Some(token) = own {
            self.add("class", token, None);
        }
    }

    /// `const name = value`: a function if the value is one.
    fn variable(&mut self, at: usize) {
        let Some(name) = self.tokens.get(at + 1).filter(|token| token.is_name()) else {
            return;
        };
        let value = match self.tokens.text(at + 2) {
            "=" => Some(at + 3),
            ":" => self.after_type(at + 3, "=").map(|place| place + 1),
            _ => None,
        };
        match value.and_then(|value| self.function_value(value)) {
            Some(open) => {
                self.add("function", name, None);
                self.expect_body(open, name.text);
            }
            None if self.open.is_empty() => self.add("variable", name, None),
            None => {}
        }
    }

    fn typed(&mut self, at: usize) {
        let name = self.tokens.get(at + 1).filter(|token| token.is_name());
        let before = self.tokens.before(at);
        let (Some(name), false) = (name, matches!(before, "." | "import")) else {
            return self.member(at);
        };
        let after = self.tokens.text(at + 2);
        match self.tokens.text(at) {
            "type" if matches!(after, "=" | "<") => self.add("type", name, None),
            "interface" if matches!(after, "{" | "<" | "extends") => {
                self.add("interface", name, None);
            }
            "enum" if after == "{" => self.add("enum", name, None),
            "namespace" if matches!(after, "{" | ".") => self.add("namespace", name, None),
            _ => self.member(at),
        }
    }

    /// `exports.name = function`, `Type.prototype.name = () =>`.
    fn member_assignment(&mut self, at: usize) {
        if at < 3 || self.tokens.text(at - 2) != "." {
            return self.field(at);
        }
        let Some(open) = self.function_value(at + 1) else {
            return;
        };
        let Some(name) = self.tokens.get(at - 1).filter(|token| token.is_name()) else {
            return;
        };
        match self.tokens.text(at - 3) {
            "exports" => self.add("function", name, None),
            "prototype" if !self.tokens.before(at - 4).is_empty() => {
                let owner = self.tokens.text(at - 5).to_owned();
                self.add("method", name, Some(owner));
            }
            _ => return,
        }
        self.expect_body(open, name.text);
    }

    /// `name = () =>` in a class.
    fn field(&mut self, at: usize) {
        let Some((Scope::Class(class), _)) = self.open.last() else {
            return;
        };
        let class = class.clone();
        let name = at.checked_sub(1).and_then(|at| self.tokens.get(at));
        let name = name.filter(|token| token.is_name());
        if let (Some(name), Some(open)) = (name, self.function_value(at + 1)) {
            self.add("method", name, Some(class));
            self.expect_body(open, name.text);
        }
    }

    /// `name(...) {` in a class or an object, `name: function` in an object.
    fn member(&mut self, at: usize) {
        let owner = match self.open.last() {
            Some((Scope::Class(name), _)) => Some(name.clone()),
            Some((Scope::Object, _)) => None,
            _ => return,
        };
        let before = self.tokens.before(at);
        let Some(name) = self.tokens.get(at).filter(|token| is_member(token.text)) else {
            return;
        };
        if matches!(
            before,
            "=" | "." | ":" | "?" | "=>" | "+" | "-" | "!" | "&" | "|" | "<" | "new"
        ) {
            return;
        }
        let open = match self.tokens.text(at + 1) {
            "(" | "<" => Some(self.parameters(at + 1)).filter(|open| self.body(*open).is_some()),
            ":" if owner.is_none() && matches!(before, "{" | ",") => self.function_value(at + 2),
            _ => None,
        };
        if let Some(open) = open {
            self.add("method", name, owner);
            self.expect_body(open, name.text);
        }
    }

    /// Where the parameters open, behind the type parameters that may stand at `at`.
    fn parameters(&self, at: usize) -> usize {
        if self.tokens.text(at) == "<" {
            self.tokens.closing(at) + 1
        } else {
            at
        }
    }

    /// If a function begins at `at`: where its parameters are. `x => ...` counts, too.
    fn function_value(&self, at: usize) -> Option<usize> {
        let at = if self.tokens.text(at) == "async" {
            at + 1
        } else {
            at
        };
        match self.tokens.text(at) {
            "function" => (at..at + 4).find(|place| self.tokens.text(*place) == "("),
            "(" | "<" => {
                let open = self.parameters(at);
                let close = self.tokens.closing(open);
                let after = self.tokens.text(close + 1);
                let arrow = match after {
                    ":" => self.after_type(close + 2, "=>").is_some(),
                    other => other == "=>",
                };
                (arrow && self.tokens.text(open) == "(").then_some(open)
            }
            name if is_name(name) && self.tokens.text(at + 1) == "=>" => Some(at),
            _ => None,
        }
    }

    /// Where the body of a function opens whose parameters are at `open`; `None` without braces.
    fn body(&self, open: usize) -> Option<usize> {
        let close = self.tokens.closing(open);
        let mut at = close + 1;
        if self.tokens.text(at) == ":" {
            at = self.after_type(at + 1, "{")?;
            if self.tokens.text(at) == "=>" {
                at += 1;
            }
        } else if self.tokens.text(at) == "=>" {
            at += 1;
        }
        (self.tokens.text(at) == "{").then_some(at)
    }

    /// Skips a type that begins at `at`, up to `end` (a brace, `=` or `=>`) behind it.
    fn after_type(&self, at: usize, end: &str) -> Option<usize> {
        let limit = at + HEADER;
        let mut at = at;
        let mut in_type = true;
        while at < limit {
            let text = self.tokens.text(at);
            match text {
                "" | ";" | "," | ")" | "]" | "}" => return None,
                // Between `=>` or an operator and what follows the type still goes on.
                "(" | "[" | "<" => {
                    at = self.tokens.closing(at);
                    in_type = false;
                }
                "{" if in_type => {
                    at = self.tokens.closing(at);
                    in_type = false;
                }
                "|" | "&" | "?" | ":" | "." | "is" | "extends" | "keyof" => in_type = true,
                "=>" if end != "=>" && self.continues(at) => in_type = true,
                _ if text == end || (end == "{" && text == "=>") => return Some(at),
                "{" | "=" => return None,
                _ => in_type = false,
            }
            at += 1;
        }
        None
    }

    /// Whether the arrow at `at` belongs to a function type: parentheses and a result around it.
    fn continues(&self, at: usize) -> bool {
        self.tokens.before(at) == ")" && self.tokens.text(at + 1) != "{"
    }
}

/// Whether a token can name a member: no word that has parentheses and a block as a statement.
fn is_member(text: &str) -> bool {
    is_name(text)
        && !matches!(
            text,
            "if" | "for" | "while" | "switch" | "catch" | "with" | "function"
        )
}
