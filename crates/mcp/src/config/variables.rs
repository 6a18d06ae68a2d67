//! `${...}` in the values of a configuration.

use std::collections::HashMap;
use std::fmt;
use std::path::{MAIN_SEPARATOR_STR, Path, PathBuf};
use std::sync::Arc;

use super::error::{ConfigErrorKind, Mistakes, Place};
use super::node::Node;

type Lookup = dyn Fn(&str) -> Option<String> + Send + Sync;

/// What `${...}` stands for in a configuration.
///
/// `${VAR}` and `${env:VAR}` are variables, `${VAR:-default}` has a default for one that is not
/// set or empty, `${input:id}` is an input. What looks otherwise stays as it is, as does `$VAR`.
/// Values are not expanded again.
#[derive(Clone)]
pub struct Variables {
    lookup: Arc<Lookup>,
    inputs: HashMap<String, String>,
    folder: PathBuf,
}

impl Variables {
    /// Our environment.
    #[must_use]
    pub fn from_env() -> Self {
        Self::new(|name| std::env::var(name).ok())
    }

    /// No variables at all.
    #[must_use]
    pub fn none() -> Self {
        Self::new(|_| None)
    }

    /// Variables that `lookup` knows.
    pub fn new(lookup: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self {
            lookup: Arc::new(lookup),
            inputs: HashMap::new(),
            folder: PathBuf::from("."),
        }
    }

    /// The same variables and an input: what `${input:id}` stands for.
    #[must_use]
    pub fn with_input(mut self, id: impl Into<String>, value: impl Into<String>) -> Self {
        self.inputs.insert(id.into(), value.into());
        self
    }

    /// The same with the folder of a file as `${workspaceFolder}`; of a file in `.vscode` or
    /// `.cursor` it is the folder around that.
    pub(super) fn for_file(&self, path: &Path) -> Self {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        let folder = path.parent().unwrap_or(&path);
        let of_editor = [".vscode", ".cursor"]
            .iter()
            .any(|name| folder.ends_with(name));
        let folder = match folder.parent() {
            Some(around) if of_editor => around,
            _ => folder,
        };
        Self {
            folder: folder.to_path_buf(),
            ..self.clone()
        }
    }

    /// The same with the defaults of the inputs that a file declares.
    pub(super) fn for_inputs(
        &self,
        place: Place<'_>,
        declared: Option<Node>,
        mistakes: &Mistakes,
    ) -> Self {
        let mut variables = self.clone();
        let declared = match declared {
            None => Vec::new(),
            Some(Node::Array(declared)) => declared,
            Some(_) => {
                mistakes.expected(place.key("inputs"), "a list");
                Vec::new()
            }
        };
        for (n, input) in declared.into_iter().enumerate() {
            let Node::Object(mut members) = input else {
                let key = format!("inputs[{n}]");
                mistakes.expected(place.key(&key), "an object");
                continue;
            };
            if let (Some(Node::String(id)), Some(Node::String(default))) =
                (members.swap_remove("id"), members.swap_remove("default"))
            {
                variables.inputs.entry(id).or_insert(default);
            }
        }
        variables
    }

    /// The text with everything replaced; `None` where something has no value, which is noted.
    pub(super) fn expand(
        &self,
        place: Place<'_>,
        text: &str,
        mistakes: &Mistakes,
    ) -> Option<String> {
        let mut out = String::with_capacity(text.len());
        let mut complete = true;
        let mut rest = text;
        while let Some((before, from)) = rest.split_once("${") {
            let Some((inner, behind)) = from.split_once('}') else {
                break;
            };
            out.push_str(before);
            match self.value(inner) {
                Value::Text(value) => out.push_str(&value),
                Value::Literal => out.extend(["${", inner, "}"]),
                Value::Unset(reason) => {
                    mistakes.note(place, ConfigErrorKind::Variable, reason);
                    complete = false;
                }
            }
            rest = behind;
        }
        out.push_str(rest);
        complete.then_some(out)
    }

    fn value(&self, inner: &str) -> Value {
        if let Some(id) = inner.strip_prefix("input:") {
            return match self.inputs.get(id) {
                Some(value) => Value::Text(value.clone()),
                None => Value::Unset(format!("the input {id:?} has no value")),
            };
        }
        match inner {
            "workspaceFolder" => return Value::Text(self.folder.display().to_string()),
            "userHome" => return self.variable(if cfg!(windows) { "USERPROFILE" } else { "HOME" }),
            "pathSeparator" | "/" => return Value::Text(MAIN_SEPARATOR_STR.to_owned()),
            _ => {}
        }
        let inner = inner.strip_prefix("env:").unwrap_or(inner);
        match inner.split_once(":-") {
            Some((name, default)) if is_name(name) => {
                let value = (self.lookup)(name).filter(|value| !value.is_empty());
                Value::Text(value.unwrap_or_else(|| default.to_owned()))
            }
            None if is_name(inner) => self.variable(inner),
            _ => Value::Literal,
        }
    }

    fn variable(&self, name: &str) -> Value {
        match (self.lookup)(name) {
            Some(value) => Value::Text(value),
            None => Value::Unset(format!(
                "the variable {name} is not set; set it, or give a default as in \
                 ${{{name}:-default}}"
            )),
        }
    }
}

/// Shows no values; they may be secrets.
impl fmt::Debug for Variables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Variables")
            .field("inputs", &self.inputs.keys().collect::<Vec<_>>())
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

enum Value {
    Text(String),
    Literal,
    Unset(String),
}

fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    let starts = chars
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    starts && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}
