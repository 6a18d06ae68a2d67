//! The tool with which a model reads what was cut.

use mcp_protocol::{ContentBlock, Tool};
use serde::Deserialize;
use serde_json::{Value, json};

use super::whole::WholeText;
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
                                offset of each, from offset on."
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

/// Carries out a call of the tool; `find` gives the result that is kept under an id. What a part
/// costs is for its own length; a search looks through all from `offset` on.
pub fn read_tool_result<W: WholeText>(
    args: JsonMap,
    find: impl FnOnce(&str) -> Option<W>,
) -> ToolMessage {
    let args: Args = match serde_json::from_value(Value::Object(args)) {
        Ok(args) => args,
        Err(error) => return ToolMessage::error(format!("{READ_TOOL_RESULT}: {error}")),
    };
    let Some(whole) = find(&args.tool_call_id) else {
        let id = shown(&args.tool_call_id);
        return ToolMessage::error(format!("there is no result of a call {id}"));
    };
    let total = whole.index().chars();
    if args.offset >= total && total > 0 {
        let from = args.offset;
        return ToolMessage::error(format!("the result has {total} characters, none at {from}"));
    }
    match args.grep.as_deref().filter(|needle| !needle.is_empty()) {
        Some(needle) => matches(&whole, args.offset, needle),
        None => part(&whole, args.offset, args.limit.clamp(1, PAGE)),
    }
}

/// What a model wrote, in short.
fn shown(text: &str) -> String {
    text.chars().take(100).collect()
}

/// The part as a block of its own, exactly, then where it is.
fn part(whole: &impl WholeText, from: usize, limit: usize) -> ToolMessage {
    let total = whole.index().chars();
    let part = whole.index().part(whole.content(), from, limit);
    let end = from + part.chars().count();
    let note = match total.saturating_sub(end) {
        0 => format!("[characters {from} to {end} of {total}; this is the end]"),
        left => format!("[characters {from} to {end} of {total}; {left} more from offset {end}]"),
    };
    ToolMessage::new(vec![ContentBlock::text(part), ContentBlock::text(note)])
}

fn matches(whole: &impl WholeText, from: usize, needle: &str) -> ToolMessage {
    let mut at = from;
    let mut lines = Vec::new();
    let (mut found, mut next) = (0_usize, None);
    for piece in whole.index().rest(whole.content(), from) {
        let mut ends = 0;
        for line in piece.split('\n') {
            at += std::mem::replace(&mut ends, 1);
            if line.contains(needle) {
                found += 1;
                let shown = || line.chars().take(300).collect::<String>();
                lines.extend((found <= MAX_MATCHES).then(|| format!("{at}: {}", shown())));
                next = next.or_else(|| (found > MAX_MATCHES).then_some(at));
            }
            at += line.chars().count();
        }
    }
    if found == 0 {
        return ToolMessage::text(format!("no line contains {:?}", shown(needle)));
    }
    if let Some(next) = next {
        let more = found - MAX_MATCHES;
        lines.push(format!("[{more} more lines, from offset {next}]"));
    }
    ToolMessage::text(lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::super::kept::Kept;
    use super::*;

    fn call(text: &str, args: &Value) -> ToolMessage {
        let find = |id: &str| (id == "c1").then(|| Kept::new(text.to_owned()));
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
        let many = "find\n".repeat(60);
        let found = call(&many, &json!({"tool_call_id": "c1", "grep": "find"}));
        let text = found.content[0].as_text().unwrap();
        assert!(text.ends_with("[10 more lines, from offset 250]"), "{text}");
        let rest = call(
            &many,
            &json!({"tool_call_id": "c1", "grep": "find", "offset": 250}),
        );
        let text = rest.content[0].as_text().unwrap();
        assert!(text.starts_with("250: find\n255: find"), "{text}");
        assert_eq!(text.lines().count(), 10);
    }

    #[test]
    fn what_is_read_of_a_long_result_costs_no_more_than_the_part() {
        let kept = std::sync::Arc::new(Kept::new("数a".repeat(10_000_000)));
        kept.index();
        let began = std::time::Instant::now();
        for n in 0..1_000 {
            let args = json!({"tool_call_id": "c1", "offset": n * 19_000, "limit": 10});
            let kept = std::sync::Arc::clone(&kept);
            let message = read_tool_result(args.as_object().cloned().unwrap(), |_| Some(kept));
            assert!(!message.is_error());
        }
        // Joined and counted each time they would take minutes.
        assert!(
            began.elapsed() < std::time::Duration::from_secs(5),
            "{:?}",
            began.elapsed()
        );
    }

    #[test]
    fn what_a_model_wrote_is_not_given_back_at_length() {
        let long = "x".repeat(1_000_000);
        let unknown = call("abc", &json!({"tool_call_id": long}));
        let absent = call("abc", &json!({"tool_call_id": "c1", "grep": long}));
        for message in [unknown, absent] {
            assert!(message.content[0].as_text().unwrap().len() < 300);
        }
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
