//! Any other question: the tool whose words fit best, then what it answered.

use serde_json::Value;

use super::{count, line};
use crate::ToolSpec;
use crate::planner::desk::{Action, Desk, Seen};
use crate::planner::effects::{is_asked_for, only_reads};
use crate::planner::fill::fill;
use crate::planner::score::rank;
use crate::planner::whole::READER;

/// Fewer points than this are chance.
const THRESHOLD: u32 = 3;
/// Calls that one question may take.
const MAX_CALLS: usize = 8;
/// The most tools that are named where none fits.
const NAMES: usize = 20;
/// The longest result that an answer repeats, in characters.
const RESULT: usize = 6_000;

pub(super) fn plan(desk: &Desk<'_>) -> Action {
    let mut ranked = rank(desk.tools, &desk.question.words);
    ranked.retain(|(score, tool)| *score >= THRESHOLD && tool.name != READER);
    ranked.retain(|(_, tool)| only_reads(tool) || is_asked_for(tool, &desk.question));
    let Some((_, best)) = ranked.first().copied() else {
        return Action::Answer(nothing_fits(desk));
    };
    if desk.result_of(&best.name).is_some() || desk.seen.len() >= MAX_CALLS {
        return Action::Answer(report(desk));
    }
    let earlier: Vec<Value> = desk
        .seen
        .iter()
        .filter(|seen| !seen.is_error)
        .filter_map(Seen::json)
        .collect();
    let missing = match fill(best, &desk.question, &[], &earlier) {
        Ok(arguments) => return Action::Call(vec![(best.name.clone(), arguments)]),
        Err(missing) => missing,
    };
    // Something else may know the missing argument: the next best tool that can be called.
    let others = ranked.iter().skip(1).map(|(_, tool)| *tool);
    for tool in others.filter(|tool| desk.result_of(&tool.name).is_none()) {
        if let Ok(arguments) = fill(tool, &desk.question, &[], &earlier) {
            return Action::Call(vec![(tool.name.clone(), arguments)]);
        }
    }
    if desk.seen.is_empty() {
        let name = &best.name;
        return Action::Answer(format!(
            "The tool {name} fits best, but the question does not say what its argument \
             \"{missing}\" should be."
        ));
    }
    Action::Answer(report(desk))
}

fn nothing_fits(desk: &Desk<'_>) -> String {
    if desk.tools.is_empty() {
        return "There are no tools to answer this with.".to_owned();
    }
    let names: Vec<&str> = desk
        .tools
        .iter()
        .filter(|tool| tool.name != READER)
        .map(|tool: &ToolSpec| tool.name.as_str())
        .collect();
    let shown: Vec<&str> = names.iter().take(NAMES).copied().collect();
    let more = match names.len() - shown.len() {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    format!(
        "None of the {} on offer fits the words of this question: {}{more}.",
        count(names.len(), "tool"),
        line(&shown.join(", "), 2_000)
    )
}

/// What the tools answered; failures are told only where nothing else is there to tell.
fn report(desk: &Desk<'_>) -> String {
    let good: Vec<String> = desk
        .seen
        .iter()
        .filter(|seen| !seen.is_error)
        .map(quote)
        .collect();
    if !good.is_empty() {
        return good.join("\n\n");
    }
    let failures: Vec<String> = desk.seen.iter().map(failure).collect();
    failures.join("\n")
}

/// What a tool answered, as it answered it.
pub(super) fn quote(seen: &Seen) -> String {
    let shown = match seen.json() {
        Some(value) => outline(&value, 0),
        None => seen.text.clone(),
    };
    let cut: String = shown.trim().chars().take(RESULT).collect();
    let more = if cut.len() < shown.trim().len() || seen.is_cut {
        "\n(The result is longer; this is not all of it.)"
    } else {
        ""
    };
    if cut.is_empty() {
        return format!("{} answered with nothing.", seen.tool);
    }
    format!("{} answered:\n{}{more}", seen.tool, visible(&cut))
}

/// That a tool failed, and how.
pub(super) fn failure(seen: &Seen) -> String {
    format!("The tool {} failed: {}", seen.tool, line(&seen.text, 1_000))
}

/// JSON as an indented list; objects and lists without further ones in them on one line.
fn outline(value: &Value, depth: usize) -> String {
    let pad = "  ".repeat(depth);
    if depth >= 6 || is_flat(value) {
        return format!("{pad}{}", flat(value));
    }
    let lines: Vec<String> = match value {
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| member(&pad, key, value, depth))
            .collect(),
        Value::Array(list) => list.iter().map(|value| item(&pad, value, depth)).collect(),
        other => vec![format!("{pad}{}", scalar(other))],
    };
    lines.join("\n")
}

fn member(pad: &str, key: &str, value: &Value, depth: usize) -> String {
    match value {
        Value::Array(list) if list.is_empty() => format!("{pad}{key}: none"),
        Value::Object(_) | Value::Array(_) => format!("{pad}{key}:\n{}", outline(value, depth + 1)),
        _ => format!("{pad}{key}: {}", scalar(value)),
    }
}

fn item(pad: &str, value: &Value, depth: usize) -> String {
    if is_flat(value) {
        format!("{pad}- {}", flat(value))
    } else {
        format!("{pad}-\n{}", outline(value, depth + 1))
    }
}

/// Whether a value fits on one line: a scalar, or an object of at most six scalars.
fn is_flat(value: &Value) -> bool {
    match value {
        Value::Object(map) => {
            map.len() <= 6
                && map
                    .values()
                    .all(|value| !value.is_object() && !value.is_array())
        }
        Value::Array(_) => false,
        _ => true,
    }
}

fn flat(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let members = map
                .iter()
                .map(|(key, value)| format!("{key}: {}", scalar(value)));
            members.collect::<Vec<_>>().join(", ")
        }
        other => scalar(other),
    }
}

fn scalar(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// The text without control characters that a terminal would obey.
fn visible(text: &str) -> String {
    text.chars()
        .map(|c| {
            if c.is_control() && c != '\n' && c != '\t' {
                '\u{fffd}'
            } else {
                c
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn json_becomes_an_indented_list() {
        let value = json!({"total": 2, "none": [], "list": [{"a": 1, "b": "x"}, {"c": [1, 2]}, 3]});
        let mut lines: Vec<String> = outline(&value, 0).lines().map(str::to_owned).collect();
        lines.sort();
        let want = [
            "    - 1",
            "    - 2",
            "  - 3",
            "  - a: 1, b: x",
            "  -",
            "    c:",
            "list:",
            "none: none",
            "total: 2",
        ];
        for line in want {
            assert!(
                lines.iter().any(|l| l.trim() == line.trim()),
                "{line} in {lines:#?}"
            );
        }
    }
}
