//! "Where is NAME defined?"

use serde_json::Value;

use super::{Skill, count, general, line, text};
use crate::planner::desk::{Action, Desk};
use crate::planner::question::Question;

pub(super) fn plan(desk: &Desk<'_>, question: &Question) -> Option<Action> {
    let name = name_asked(question)?;
    let skill = Skill {
        must: &["definition", "defined", "symbol", "search", "grep"],
        should: &["find", "name", "function", "type", "source", "files"],
        given: vec![(
            &["name", "symbol", "query", "pattern", "text"],
            Value::from(name.as_str()),
        )],
        takes_first: true,
    };
    let seen = match skill.result(desk, question)? {
        Ok(seen) => seen,
        Err(action) => return Some(action),
    };
    let answer = seen
        .json()
        .and_then(|result| answer(&result, &name))
        .unwrap_or_else(|| general::quote(seen));
    Some(Action::Answer(answer))
}

/// The name that the question is about.
fn name_asked(question: &Question) -> Option<String> {
    const DEFINED: &[&str] = &["defined", "declared", "implemented", "definition"];
    let phrase = question
        .between(
            &["where is", "where are", "where's", "where was", "where"],
            DEFINED,
        )
        .or_else(|| question.after(&["definition of", "declaration of", "defines", "declares"]))?;
    let mut parts: Vec<&str> = phrase.split(' ').collect();
    while parts.len() > 1 && parts.first().is_some_and(|part| is_kind(part)) {
        parts.remove(0);
    }
    while parts.len() > 1 && parts.last().is_some_and(|part| is_kind(part)) {
        parts.pop();
    }
    let name = super::super::question::bare(&parts.join(" ")).to_owned();
    let name = name
        .strip_suffix("()")
        .unwrap_or(&name)
        .trim_end_matches('!');
    (!name.is_empty()).then(|| name.to_owned())
}

/// Words around the name that say what it is.
fn is_kind(word: &str) -> bool {
    const KINDS: &[&str] = &[
        "a",
        "an",
        "class",
        "const",
        "constant",
        "enum",
        "field",
        "fn",
        "function",
        "interface",
        "macro",
        "method",
        "module",
        "named",
        "name",
        "struct",
        "symbol",
        "the",
        "trait",
        "type",
        "variable",
        "called",
        "is",
    ];
    KINDS.contains(&word.to_ascii_lowercase().as_str())
}

fn answer(result: &Value, name: &str) -> Option<String> {
    let found = result.get("definitions")?.as_array()?;
    let name = line(name, 200);
    let mut answer = match found.as_slice() {
        [] => return Some(not_found(result, &name)),
        [one] => return Some(format!("{name} is defined in {}", place(one)?)),
        many => format!("{name} is defined in {}:", count(many.len(), "place")),
    };
    for definition in found {
        answer.push_str(&format!("\n- {}", place(definition)?));
    }
    if result.get("complete") == Some(&Value::Bool(false)) {
        answer.push_str("\nThere are more: the search ended at its limit.");
    }
    Some(answer)
}

/// `src/a.rs:3 (function): fn alpha() {`
fn place(definition: &Value) -> Option<String> {
    let path = line(text(definition, "path")?, 4096);
    let at = definition.get("line").and_then(Value::as_u64);
    let mut shown = at.map_or_else(|| path.clone(), |at| format!("{path}:{at}"));
    let kind = text(definition, "kind").map(|kind| line(kind, 40));
    let full = text(definition, "name").map(|name| line(name, 200));
    if let (Some(kind), Some(full)) = (&kind, &full) {
        shown.push_str(&format!(" ({kind} {full})"));
    }
    if let Some(source) = text(definition, "text") {
        shown.push_str(&format!(": {}", line(source, 160)));
    }
    Some(shown)
}

fn not_found(result: &Value, name: &str) -> String {
    let mut answer = format!("No definition of {name} was found.");
    let mentions = result.get("mentions").and_then(Value::as_array);
    let places: Vec<String> = mentions.into_iter().flatten().filter_map(place).collect();
    if !places.is_empty() {
        answer.push_str(" It is mentioned in:");
    }
    for place in places.iter().take(10) {
        answer.push_str(&format!("\n- {place}"));
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_name_is_read_from_the_question() {
        for (question, name) in [
            ("Where is alpha defined?", "alpha"),
            ("Where is `Foo::bar` defined", "Foo::bar"),
            ("where is the function parse_it() defined?", "parse_it"),
            ("Where is the Config struct declared?", "Config"),
            ("Where's MAX defined?", "MAX"),
            ("Find the definition of \"git_diff\".", "git_diff"),
            ("Where is defined defined?", "defined"),
            ("Where is name defined?", "name"),
            ("Where is vec! defined?", "vec"),
        ] {
            assert_eq!(
                name_asked(&Question::read(question)).as_deref(),
                Some(name),
                "{question}"
            );
        }
        assert_eq!(name_asked(&Question::read("Where is the file?")), None);
    }

    #[test]
    fn one_place_many_places_and_none() {
        let one =
            json!({"path": "a.rs", "line": 3, "kind": "function", "name": "f", "text": "fn f() {"});
        let got = answer(&json!({"definitions": [&one]}), "f").unwrap();
        assert_eq!(got, "f is defined in a.rs:3 (function f): fn f() {");
        let got = answer(&json!({"definitions": [&one, &one]}), "f").unwrap();
        assert!(got.starts_with("f is defined in 2 places:\n- a.rs:3"));
        let mention = json!({"path": "b.md", "line": 1, "text": "use f"});
        let got = answer(&json!({"definitions": [], "mentions": [mention]}), "f").unwrap();
        assert_eq!(
            got,
            "No definition of f was found. It is mentioned in:\n- b.md:1: use f"
        );
    }
}
