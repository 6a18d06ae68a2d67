//! What Go source defines.

use super::Definition;
use super::token::{Token, Tokens};

/// Finds the top-level declarations of masked Go source.
pub(super) fn scan(masked: &str) -> Vec<Definition> {
    let tokens = Tokens::of(masked);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match tokens.text(at) {
            // Nothing inside a body is a top-level declaration.
            "{" => at = tokens.closing(at),
            "func" => found.extend(function(&tokens, at)),
            keyword @ ("type" | "const" | "var") => {
                at = declarations(&tokens, at, kind(keyword), &mut found);
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    found
}

fn kind(keyword: &str) -> &'static str {
    match keyword {
        "type" => "type",
        "const" => "constant",
        _ => "variable",
    }
}

fn function(tokens: &Tokens<'_>, at: usize) -> Option<Definition> {
    let mut name_at = at + 1;
    let mut owner = None;
    if tokens.text(name_at) == "(" {
        let end = tokens.closing(name_at);
        owner = receiver(tokens, name_at, end);
        name_at = end + 1;
    }
    let name = tokens.get(name_at).filter(|token| token.is_name())?;
    let kind = if owner.is_some() {
        "method"
    } else {
        "function"
    };
    matches!(tokens.text(name_at + 1), "(" | "[").then(|| definition(kind, name, owner))
}

/// The longest receiver that is looked at, in tokens.
const RECEIVER: usize = 50;

/// The type of a receiver: `Stack` in `(s *Stack[T])`.
fn receiver(tokens: &Tokens<'_>, open: usize, close: usize) -> Option<String> {
    let close = close.min(open + RECEIVER);
    let names = (open..close).filter(|at| tokens.get(*at).is_some_and(Token::is_name));
    let mut last = None;
    for at in names {
        last = Some(tokens.text(at));
        if tokens.text(at + 1) == "[" {
            break;
        }
    }
    last.map(str::to_owned)
}

/// One declaration, or a group in parentheses. Gives back where to go on.
fn declarations(
    tokens: &Tokens<'_>,
    at: usize,
    kind: &'static str,
    found: &mut Vec<Definition>,
) -> usize {
    let first = at + 1;
    if tokens.text(first) != "(" {
        found.extend(declaration(tokens, first, kind));
        return first + 1;
    }
    let end = tokens.closing(first);
    let mut place = first + 1;
    let mut line = 0;
    while place < end {
        let Some(token) = tokens.get(place) else {
            break;
        };
        if token.line != line {
            found.extend(declaration(tokens, place, kind));
        }
        line = token.line;
        if matches!(token.text, "{" | "(" | "[") {
            place = tokens.closing(place).max(place);
            line = tokens.get(place).map_or(line, |token| token.line);
        }
        place += 1;
    }
    end + 1
}

fn declaration(tokens: &Tokens<'_>, at: usize, kind: &'static str) -> Option<Definition> {
    let name = tokens
        .get(at)
        .filter(|token| token.is_name() && token.text != "_")?;
    let is_function =
        kind == "variable" && tokens.text(at + 1) == "=" && tokens.text(at + 2) == "func";
    Some(definition(
        if is_function { "function" } else { kind },
        name,
        None,
    ))
}

fn definition(kind: &'static str, name: Token<'_>, owner: Option<String>) -> Definition {
    Definition {
        kind,
        name: name.text.to_owned(),
        scope: owner.as_deref().unwrap_or_default().into(),
        owner,
        line: name.line,
    }
}
