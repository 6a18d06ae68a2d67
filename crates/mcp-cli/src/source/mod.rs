//! What source text defines: functions, types, constants, by name and line.
//!
//! Names in comments and strings do not count, so the text is lexed before it is searched. Four
//! languages are read closely (Rust, Python, JavaScript with TypeScript, Go), others by the
//! keywords that most languages share.

mod generic;
mod go;
mod language;
mod mask;
mod python;
mod rust;
mod script;
#[cfg(test)]
mod tests;
mod token;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

pub(crate) use language::Language;

/// What is kept of a path of scopes, in bytes: source nests as deep as whoever wrote it likes.
const MAX_PATH: usize = 200;
/// The longest text that is looked at, in bytes.
pub(crate) const MAX_SOURCE: usize = 2 * 1024 * 1024;

/// A name and where it is defined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Definition {
    /// What it is, such as `function` or `struct`.
    pub(crate) kind: &'static str,
    /// The bare name.
    pub(crate) name: String,
    /// The type or class that it belongs to.
    pub(crate) owner: Option<String>,
    /// All that encloses it, for telling equal names apart; of much the innermost.
    pub(crate) scope: Arc<str>,
    /// Its line, from 1.
    pub(crate) line: u32,
}

impl Definition {
    /// Whether it can be called: a function or a method.
    pub(crate) fn is_function(&self) -> bool {
        matches!(self.kind, "function" | "method")
    }

    /// The name as people write it: `Type::name` in Rust, `Type.name` elsewhere.
    pub(crate) fn full_name(&self, language: Language) -> String {
        let between = if language == Language::Rust {
            "::"
        } else {
            "."
        };
        match &self.owner {
            Some(owner) => format!("{owner}{between}{}", self.name),
            None => self.name.clone(),
        }
    }
}

/// What `text` defines, in the order of its lines.
pub(crate) fn definitions(language: Language, text: &str) -> Vec<Definition> {
    let masked = mask::mask(language, text);
    match language {
        Language::Rust => rust::scan(&masked),
        Language::Python => python::scan(&masked),
        Language::Script => script::scan(&masked),
        Language::Go => go::scan(&masked),
        Language::CLike | Language::Hash | Language::Dash | Language::Text => {
            generic::scan(language, &masked)
        }
    }
}

/// The functions that `new` has and `old` has not, in the order of `new`, each name once.
///
/// A function that only changed is in both; a second one of the same name counts as added.
pub(crate) fn added_functions(language: Language, old: &str, new: &str) -> Vec<String> {
    let functions = |text| {
        let mut all = definitions(language, text);
        all.retain(Definition::is_function);
        all
    };
    let mut before: HashMap<(Arc<str>, String), usize> = HashMap::new();
    for function in functions(old) {
        *before.entry((function.scope, function.name)).or_default() += 1;
    }
    let mut added: Vec<String> = Vec::new();
    let mut names = HashSet::new();
    for function in functions(new) {
        let name = function.full_name(language);
        match before.get_mut(&(function.scope, function.name)) {
            Some(left) if *left > 0 => *left -= 1,
            _ if names.insert(name.clone()) => added.push(name),
            _ => {}
        }
    }
    added
}

/// The path of what is in the scope `name` below `outer`.
fn path_below(outer: &Arc<str>, between: &str, name: &str) -> Arc<str> {
    if name.is_empty() {
        return Arc::clone(outer);
    }
    if outer.is_empty() {
        return name.into();
    }
    let path = format!("{outer}{between}{name}");
    let cut = path.len().saturating_sub(MAX_PATH);
    let cut = (cut..).find(|at| path.is_char_boundary(*at));
    path.get(cut.unwrap_or_default()..)
        .unwrap_or_default()
        .into()
}
