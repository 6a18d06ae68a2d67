//! What Python source defines.

use std::sync::Arc;

use super::token::{Tokens, is_name};
use super::{Definition, path_below};

/// An enclosing class or function.
struct Scope {
    indent: usize,
    name: String,
    /// All that encloses what is in it.
    path: Arc<str>,
    is_class: bool,
}

/// Finds the functions, classes and module variables of masked Python source.
pub(super) fn scan(masked: &str) -> Vec<Definition> {
    let mut found = Vec::new();
    let mut scopes: Vec<Scope> = Vec::new();
    // Brackets and backslashes carry a statement over line ends.
    let mut depth = 0_usize;
    let mut continued = false;
    let mut in_string = false;
    for (line, number) in masked.lines().zip(1..) {
        let starts = depth == 0 && !continued && !in_string && !line.trim().is_empty();
        if starts {
            let indent = indent(line);
            while scopes.last().is_some_and(|scope| scope.indent >= indent) {
                scopes.pop();
            }
            let defined = statement(line, &scopes);
            if let Some((kind, name)) = &defined {
                found.push(definition(kind, name, &scopes, number));
            }
            if let Some((kind, name)) = defined.filter(|(kind, _)| *kind != "variable") {
                scopes.push(Scope {
                    indent,
                    path: path_below(&path(&scopes), ".", &name),
                    name,
                    is_class: kind == "class",
                });
            }
        }
        for byte in line.bytes() {
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        continued = line.trim_end().ends_with('\\');
        in_string ^= turns(line);
    }
    found
}

/// Whether a triple-quoted string begins or ends in a masked line, but not both.
fn turns(line: &str) -> bool {
    (line.matches("\"\"\"").count() + line.matches("'''").count()) % 2 == 1
}

fn indent(line: &str) -> usize {
    let mut width = 0;
    for c in line.chars() {
        match c {
            ' ' => width += 1,
            '\t' => width = (width / 8 + 1) * 8,
            _ => break,
        }
    }
    width
}

/// What a line defines: kind and name.
fn statement(line: &str, scopes: &[Scope]) -> Option<(&'static str, String)> {
    let tokens = Tokens::of(line);
    let (keyword, name_at) = match tokens.text(0) {
        "async" => (tokens.text(1), 2),
        other => (other, 1),
    };
    let name = tokens.text(name_at);
    match keyword {
        "def" if is_name(name) => {
            let method = scopes.last().is_some_and(|scope| scope.is_class);
            Some((if method { "method" } else { "function" }, name.to_owned()))
        }
        "class" if is_name(name) => Some(("class", name.to_owned())),
        "type" if is_name(name) && matches!(tokens.text(2), "=" | "[") => {
            Some(("variable", name.to_owned()))
        }
        variable
            if is_name(variable)
                && !is_keyword(variable)
                && scopes.iter().all(|scope| scope.is_class) =>
        {
            let assigned = match tokens.text(1) {
                "=" => tokens.text(2) != "=",
                ":" => (2..tokens.len()).any(|at| tokens.text(at) == "="),
                _ => false,
            };
            assigned.then(|| ("variable", variable.to_owned()))
        }
        _ => None,
    }
}

/// Words that a colon or an assignment may follow, but that are no names.
fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "else" | "try" | "finally" | "except" | "lambda" | "if" | "while" | "with"
    )
}

fn definition(kind: &'static str, name: &str, scopes: &[Scope], line: u32) -> Definition {
    let owner = scopes.last().filter(|scope| scope.is_class);
    Definition {
        kind,
        name: name.to_owned(),
        owner: owner.map(|scope| scope.name.clone()),
        scope: path(scopes),
        line,
    }
}

fn path(scopes: &[Scope]) -> Arc<str> {
    let last = scopes.last();
    last.map_or_else(Arc::default, |scope| Arc::clone(&scope.path))
}
