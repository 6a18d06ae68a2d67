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

pub(crate) use language::Language;

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
    /// All that encloses it, for telling equal names apart.
    pub(crate) scope: String,
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
    let mut before: Vec<(String, String)> = functions(old)
        .into_iter()
        .map(|function| (function.scope, function.name))
        .collect();
    let mut added: Vec<String> = Vec::new();
    for function in functions(new) {
        let same = |key: &(String, String)| key.0 == function.scope && key.1 == function.name;
        if let Some(at) = before.iter().position(same) {
            before.swap_remove(at);
            continue;
        }
        let name = function.full_name(language);
        if !added.contains(&name) {
            added.push(name);
        }
    }
    added
}
