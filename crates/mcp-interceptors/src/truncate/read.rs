//! The tool with which a model reads what was cut.

use mcp_protocol::{ContentBlock, Tool};
use serde::Deserialize;
use serde_json::{Value, json};

use super::cut::offset;
use crate::{JsonMap, ToolMessage};

/// The name of the tool with which a model reads what was cut.
pub const READ_TOOL_RESULT: &str = "read_tool_result";

/// How many characters are read at once.
const PAGE: usize = 4_000;

/// How many matching lines a search shows.
const MAX_MATCHES: usize = 50;

/// The tool with which a model reads what was cut: in parts of at most 4,000 characters, or the
/// lines that contain a text, at most 50.
#[must_use]
pub fn read_tool_result_tool() -> Tool {
    let schema = json!({
        "type": "object",
        "properties": {
            "tool_call_id": {
                "type": "string",
                "description": "The id in the marker of the shortened result."
            },
            "offset": {
                "type": "integer", "minimum": 0, "default": 0,
                "description": "The character to begin with."
            },
            "limit": {
                "type": "integer", "minimum": 1, "maximum": PAGE, "default": PAGE,
                "description": "How many characters to read."
            },
            "grep": {
                "type": "string",
                "description": "Instead of a part, the lines that contain this text, with the \
                                offset of each."
            }
        },
        "required": ["tool_call_id"]
    });
    Tool::new(READ_TOOL_RESULT, schema).with_description(
        "Reads an earlier tool result that was shortened, part by part, or finds lines in it.",
    )
}

#[derive(Deserialize)]
struct Args {
    tool_call_id: String,
    #[serde(default)]
    offset: usize,
    #[serde(default = "page")]
    limit: usize,
    grep: Option<String>,
}

const fn page() -> usize {
    PAGE
}

/// Carries out a call of the tool; `find` gives the whole text that is kept under an id.
pub fn read_tool_result(args: JsonMap, find: impl FnOnce(&str) -> Option<String>) -> ToolMessage {
    let args: Args = match serde_json::from_value(Value::Object(args)) {
        Ok(args) => args,
        Err(error) => return ToolMessage::error(format!("{READ_TOOL_RESULT}: {error}")),
    };
    let Some(text) = find(&args.tool_call_id) else {
        let id = &args.tool_call_id;
        return ToolMessage::error(format!("there is no result of a call {id}"));
    };
    match &args.grep {
        Some(needle) => matches(&text, needle),
        None => part(&text, args.offset, args.limit.clamp(1, PAGE)),
    }
}

/// The part as a block of its own, exactly, then where it is.
fn part(text: &str, from: usize, limit: usize) -> ToolMessage {
    let total = text.chars().count();
    if from >= total && total > 0 {
        return ToolMessage::error(format!("the result has {total} characters, none at {from}"));
    }
    let rest = text.get(offset(text, from)..).unwrap_or_default();
    let slice = rest.get(..offset(rest, limit)).unwrap_or(rest);
    let end = from + slice.chars().count();
    let note = match total.saturating_sub(end) {
        0 => format!("[characters {from} to {end} of {total}; this is the end]"),
        left => format!("[characters {from} to {end} of {total}; {left} more from offset {end}]"),
    };
    ToolMessage::new(vec![ContentBlock::text(slice), ContentBlock::text(note)])
}

fn matches(text: &str, needle: &str) -> ToolMessage {
    let mut at = 0;
    let mut lines = Vec::new();
    let mut found = 0_usize;
    for line in text.split('\n') {
        if line.contains(needle) {
            found += 1;
            let shown = || line.chars().take(300).collect::<String>();
            lines.extend((found <= MAX_MATCHES).then(|| format!("{at}: {}", shown())));
        }
        at += line.chars().count() + 1;
    }
    if found == 0 {
        return ToolMessage::text(format!("no line contains {needle:?}"));
    }
    if found > MAX_MATCHES {
        lines.push(format!("[{} more lines]", found - MAX_MATCHES));
    }
    ToolMessage::text(lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(text: &str, args: &Value) -> ToolMessage {
        let find = |id: &str| (id == "c1").then(|| text.to_owned());
        read_tool_result(args.as_object().cloned().unwrap(), find)
    }

    #[test]
    fn a23_the_parts_put_together_are_the_exact_original() {
        let letters = ('a'..='z').cycle().take(9_000);
        let text: String = letters.chain("数据🙂".chars()).collect();
        let mut whole = String::new();
        for from in [0, 4_000, 8_000] {
            let part = call(&text, &json!({"tool_call_id": "c1", "offset": from}));
            whole.push_str(part.content[0].as_text().unwrap());
        }
        assert_eq!(whole, text);
        let last = json!({"tool_call_id": "c1", "offset": 9_002, "limit": 9});
        let last = call(&text, &last);
        assert_eq!(last.content[0].as_text(), Some("🙂"));
        let note = last.content[1].as_text().unwrap();
        assert!(note.contains("9002 to 9003 of 9003"), "{note}");
    }

    #[test]
    fn a_search_shows_lines_with_their_offsets() {
        let text = "数据\nfind me\nno\nfind me too";
        let found = call(text, &json!({"tool_call_id": "c1", "grep": "find"}));
        let lines = found.content[0].as_text();
        assert_eq!(lines, Some("3: find me\n14: find me too"));
        let none = call(text, &json!({"tool_call_id": "c1", "grep": "xyz"}));
        assert!(!none.is_error());
    }

    #[test]
    fn what_cannot_be_read_is_an_error_for_the_model() {
        for bad in [
            json!({}),
            json!({"tool_call_id": "c2"}),
            json!({"tool_call_id": "c1", "offset": 3}),
            json!({"tool_call_id": "c1", "offset": u64::MAX}),
            json!({"tool_call_id": "c1", "offset": -1}),
        ] {
            assert!(call("abc", &bad).is_error());
        }
    }
}
