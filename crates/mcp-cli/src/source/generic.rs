//! What source in any other language defines, by the keywords that most languages share.

use std::sync::Arc;

use super::token::{Tokens, is_name};
use super::{Definition, Language};

/// Keywords with what the name behind them is.
const KEYWORDS: &[(&str, &str)] = &[
    ("class", "class"),
    ("interface", "interface"),
    ("struct", "struct"),
    ("union", "union"),
    ("enum", "enum"),
    ("trait", "trait"),
    ("protocol", "protocol"),
    ("object", "object"),
    ("record", "record"),
    ("module", "module"),
    ("defmodule", "module"),
    ("namespace", "namespace"),
    ("package", "package"),
    ("message", "message"),
    ("service", "service"),
    ("type", "type"),
    ("typealias", "type"),
    ("data", "type"),
    ("newtype", "type"),
    ("def", "function"),
    ("defp", "function"),
    ("fun", "function"),
    ("func", "function"),
    ("fn", "function"),
    ("function", "function"),
    ("sub", "function"),
    ("rpc", "function"),
    ("procedure", "function"),
    ("macro", "macro"),
    ("defmacro", "macro"),
    ("define", "macro"),
    ("const", "constant"),
    ("val", "variable"),
    ("let", "variable"),
    ("var", "variable"),
    ("local", "variable"),
    ("export", "variable"),
    ("readonly", "variable"),
    ("table", "table"),
    ("view", "view"),
];

/// Finds what the lines of masked source seem to define.
pub(super) fn scan(language: Language, masked: &str) -> Vec<Definition> {
    if language == Language::Text {
        return Vec::new();
    }
    let lines: Vec<&str> = masked.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let tokens = Tokens::of(line);
        let next = lines.get(at + 1).map_or("", |line| line.trim());
        let definition = by_keyword(&tokens)
            .or_else(|| c_function(language, &tokens, next))
            .or_else(|| assignment(language, line, &tokens))
            .or_else(|| shell_function(language, &tokens));
        if let Some((kind, name)) = definition {
            found.push(Definition {
                kind,
                name: name.to_owned(),
                owner: None,
                scope: Arc::default(),
                line: u32::try_from(at + 1).unwrap_or(u32::MAX),
            });
        }
    }
    found
}

/// `keyword Name`, where only modifiers stand before the keyword.
fn by_keyword<'t>(tokens: &Tokens<'t>) -> Option<(&'static str, &'t str)> {
    for at in 0..tokens.len().min(8) {
        let word = tokens.text(at);
        let Some((_, kind)) = KEYWORDS.iter().find(|(keyword, _)| *keyword == word) else {
            if is_name(word) || matches!(word, "#" | "@") {
                continue;
            }
            return None;
        };
        let mut name_at = at + 1;
        // `def self.name`, `enum class Name`, `local function name`
        while matches!(tokens.text(name_at), "self" | ".") || is_keyword(tokens.text(name_at)) {
            name_at += 1;
        }
        let name = tokens.text(name_at);
        let after = tokens.text(name_at + 1);
        let declared = !matches!(word, "struct" | "union" | "enum" | "class")
            || matches!(
                after,
                "" | "{" | ":" | "<" | "(" | "extends" | "implements" | "final" | "where"
            );
        return (is_name(name) && declared).then_some((*kind, name));
    }
    None
}

fn is_keyword(word: &str) -> bool {
    KEYWORDS.iter().any(|(keyword, _)| *keyword == word)
}

/// `type name(...) {` with the brace on this line or the next.
fn c_function<'t>(
    language: Language,
    tokens: &Tokens<'t>,
    next: &str,
) -> Option<(&'static str, &'t str)> {
    const STATEMENTS: &[&str] = &[
        "if", "for", "while", "switch", "return", "else", "catch", "case", "new", "throw", "do",
        "goto", "using", "await", "delete", "sizeof",
    ];
    if language != Language::CLike {
        return None;
    }
    let open = (0..tokens.len()).find(|at| tokens.text(*at) == "(")?;
    let name_at = open.checked_sub(1)?;
    let name = tokens.text(name_at);
    let head = (0..name_at).map(|at| tokens.text(at));
    let mut typed = false;
    for word in head {
        if STATEMENTS.contains(&word) || matches!(word, "=" | "." | "->" | ";" | "," | "\"") {
            return None;
        }
        typed |= is_name(word);
    }
    let last = tokens.text(tokens.len().saturating_sub(1));
    let has_body = last == "{"
        || (last == ")" && next.starts_with('{'))
        || tokens.text(tokens.closing(open) + 1) == "{";
    (typed && has_body && is_name(name) && !STATEMENTS.contains(&name))
        .then_some(("function", name))
}

/// `NAME = value` at the beginning of a line; `name: value` in configuration.
fn assignment<'t>(
    language: Language,
    line: &str,
    tokens: &Tokens<'t>,
) -> Option<(&'static str, &'t str)> {
    let name = tokens.text(0);
    let at_start = line.starts_with(name);
    let assigns = match tokens.text(1) {
        "=" => tokens.text(2) != "=",
        ":" | ":=" | "?" | "+" => language == Language::Hash,
        _ => false,
    };
    (is_name(name) && at_start && assigns && language != Language::CLike)
        .then_some(("variable", name))
}

/// `name() {` in a shell.
fn shell_function<'t>(language: Language, tokens: &Tokens<'t>) -> Option<(&'static str, &'t str)> {
    let name = tokens.text(0);
    let fits = language == Language::Hash
        && is_name(name)
        && tokens.text(1) == "("
        && tokens.text(2) == ")";
    fits.then_some(("function", name))
}
