//! Arguments for a tool, from its schema, the question and earlier results.

use serde_json::{Map, Value};

use super::question::Question;
use super::score::{is_required, properties};
use super::words::{alike, any_alike, is_filler, words};
use crate::ToolSpec;

/// A value for properties that are named by one of these words.
pub(crate) type Given<'a> = (&'a [&'a str], Value);

/// Names of properties, by what they usually take.
const COUNTS: &[&str] = &[
    "limit", "count", "n", "max", "number", "num", "last", "first", "top",
];
const PATHS: &[&str] = &["path", "file", "filename", "uri", "repo"];
const HERE: &[&str] = &["repo", "repository", "root", "cwd", "workspace"];
const FOLDERS: &[&str] = &["dir", "directory", "folder", "repo", "root", "path"];
const TEXTS: &[&str] = &[
    "query", "q", "text", "search", "pattern", "term", "keyword", "topic", "message", "input",
    "question", "prompt", "content", "name", "symbol",
];

/// The arguments of one call.
///
/// # Errors
/// The name of a required property for which nothing fits.
pub(crate) fn fill(
    tool: &ToolSpec,
    question: &Question,
    given: &[Given<'_>],
    earlier: &[Value],
) -> Result<Map<String, Value>, String> {
    let mut filler = Filler {
        guesses: given.is_empty(),
        question,
        earlier,
        own: words(&tool.name),
        number: 0,
    };
    let mut arguments = Map::new();
    for (name, schema) in properties(tool) {
        let parts = words(name);
        let known = given
            .iter()
            .find(|(names, _)| parts.iter().any(|part| names.contains(&part.as_str())));
        let required = is_required(tool, name);
        let value = match known {
            Some((_, value)) if takes(schema, value) => Some(value.clone()),
            _ => filler.value(&parts, name, schema, required),
        };
        match value {
            Some(value) => {
                arguments.insert(name.clone(), value);
            }
            None if required => return Err(name.clone()),
            None => {}
        }
    }
    Ok(arguments)
}

/// Whether a schema takes values of this type. One that names no type takes all.
pub(crate) fn takes(schema: &Value, value: &Value) -> bool {
    let name = match value {
        Value::String(_) => "string",
        Value::Number(_) => "number",
        Value::Bool(_) => "boolean",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
        Value::Null => "null",
    };
    let fits = |t: &str| t == name || (t == "integer" && name == "number");
    match schema.get("type") {
        Some(Value::String(t)) => fits(t),
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).any(fits),
        _ => true,
    }
}

struct Filler<'a> {
    question: &'a Question,
    /// Whether a bare word may be taken for a folder. Where the question was understood, it is
    /// rather something else.
    guesses: bool,
    earlier: &'a [Value],
    /// The words of the tool's own name: they chose the tool and are no topic.
    own: Vec<String>,
    /// How many of the question's numbers are used up.
    number: usize,
}

impl Filler<'_> {
    fn value(
        &mut self,
        parts: &[String],
        name: &str,
        schema: &Value,
        required: bool,
    ) -> Option<Value> {
        if let Some(value) = schema.get("const") {
            return Some(value.clone());
        }
        if let Some(options) = schema.get("enum").and_then(Value::as_array) {
            return self.option(options).or_else(|| default(schema, required));
        }
        let kind = Value::String(String::new());
        let number = Value::from(0);
        if takes(schema, &kind) {
            let text = self.text(parts, name, required);
            return text.map(Value::from).or_else(|| default(schema, required));
        }
        if takes(schema, &number) {
            let wanted = required || parts.iter().any(|part| COUNTS.contains(&part.as_str()));
            let value = wanted.then(|| self.next_number()).flatten();
            return value
                .or_else(|| required.then(|| self.found_earlier(name)).flatten())
                .or_else(|| default(schema, required));
        }
        if takes(schema, &Value::Bool(true)) {
            let asked = parts.iter().any(|part| self.question.words.contains(part));
            return (required || asked).then_some(Value::Bool(asked));
        }
        if takes(schema, &Value::Array(Vec::new())) && required {
            let text = self.text(parts, name, true)?;
            return Some(Value::Array(vec![Value::from(text)]));
        }
        default(schema, required)
    }

    /// The choice that the question names.
    fn option(&self, options: &[Value]) -> Option<Value> {
        let named = |option: &&Value| {
            let parts = words(option.as_str().unwrap_or_default());
            !parts.is_empty()
                && parts
                    .iter()
                    .all(|part| any_alike(&self.question.words, part))
        };
        options.iter().find(named).cloned()
    }

    fn next_number(&mut self) -> Option<Value> {
        let value = self.question.numbers.get(self.number).copied()?;
        self.number += 1;
        Some(Value::from(value))
    }

    fn text(&self, parts: &[String], name: &str, required: bool) -> Option<String> {
        let is = |kinds: &[&str]| parts.iter().any(|part| kinds.contains(&part.as_str()));
        let urls = if is(&["url", "uri"]) {
            self.question.urls.first()
        } else {
            None
        };
        let paths = if is(PATHS) {
            self.question.paths.first()
        } else {
            None
        };
        let places = if self.guesses && is(FOLDERS) {
            self.question.places.first()
        } else {
            None
        };
        if let Some(found) = urls.or(paths).or(places) {
            return Some(found.clone());
        }
        if !required {
            return None;
        }
        if let Some(found) = self.found_earlier(name) {
            return found.as_str().map(str::to_owned);
        }
        if is(HERE) {
            return Some(".".to_owned());
        }
        if is(FOLDERS)
            && self
                .question
                .mentions(&["list", "files", "directory", "folder"])
        {
            return Some(".".to_owned());
        }
        if is(PATHS) {
            return self.question.quoted.first().cloned();
        }
        let quoted = self.question.quoted.first().cloned();
        quoted
            .or_else(|| {
                if is(TEXTS) {
                    None
                } else {
                    self.name_in_question()
                }
            })
            .or_else(|| self.topic())
    }

    /// A value that an earlier result holds under this name.
    fn found_earlier(&self, name: &str) -> Option<Value> {
        self.earlier
            .iter()
            .rev()
            .find_map(|result| find(result, name, 0))
    }

    /// A word with a capital letter inside the question: a place, a person, a product.
    fn name_in_question(&self) -> Option<String> {
        let mut pieces = self
            .question
            .text
            .split(' ')
            .skip(1)
            .map(super::question::bare);
        pieces
            .find(|piece| piece.chars().next().is_some_and(char::is_uppercase) && piece.len() > 1)
            .map(str::to_owned)
    }

    /// The words of the question that did not choose the tool.
    fn topic(&self) -> Option<String> {
        let topic: Vec<&str> = self
            .question
            .text
            .split(' ')
            .map(super::question::bare)
            .filter(|piece| {
                let parts = words(piece);
                !parts.is_empty()
                    && !parts
                        .iter()
                        .all(|part| is_filler(part) || self.own.iter().any(|own| alike(own, part)))
            })
            .collect();
        (!topic.is_empty()).then(|| topic.join(" "))
    }
}

fn default(schema: &Value, required: bool) -> Option<Value> {
    if !required {
        return None;
    }
    schema.get("default").cloned()
}

/// The first scalar under `name` (or a form of it), looking at most six levels deep.
fn find(value: &Value, name: &str, depth: usize) -> Option<Value> {
    if depth > 6 {
        return None;
    }
    match value {
        Value::Object(map) => {
            let own = map.iter().find(|(key, value)| {
                (value.is_string() || value.is_number()) && words(key) == words(name)
            });
            own.map(|(_, value)| value.clone())
                .or_else(|| map.values().find_map(|inner| find(inner, name, depth + 1)))
        }
        Value::Array(list) => list.iter().find_map(|inner| find(inner, name, depth + 1)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn filled(schema: Value, question: &str, earlier: &[Value]) -> Result<Value, String> {
        let tool = ToolSpec::new("srv__search_notes", schema);
        fill(&tool, &Question::read(question), &[], earlier).map(Value::Object)
    }

    #[test]
    fn strings_numbers_and_choices_come_from_the_question() {
        let schema = json!({"type": "object", "required": ["query"], "properties": {
            "query": {"type": "string"},
            "limit": {"type": "integer"},
            "order": {"enum": ["newest", "oldest"]},
            "offset": {"type": "integer"},
            "path": {"type": "string"},
        }});
        let got = filled(
            schema,
            "Search the 3 oldest notes for \"red fox\" in a/b.md",
            &[],
        );
        let want = json!({"query": "red fox", "limit": 3, "order": "oldest", "path": "a/b.md"});
        assert_eq!(got.unwrap(), want);
    }

    #[test]
    fn a_required_value_comes_from_earlier_results_or_is_missed_by_name() {
        let schema = json!({"required": ["project_id"],
            "properties": {"project_id": {"type": "integer"}}});
        let earlier = [json!({"projects": [{"projectId": 7}]})];
        let got = filled(schema.clone(), "show the project", &earlier);
        assert_eq!(got.unwrap(), json!({"project_id": 7}));
        assert_eq!(
            filled(schema, "show the project", &[]),
            Err("project_id".to_owned())
        );
    }
}
