//! Histories that no provider would take, made whole before a model sees them.

use std::collections::HashSet;

use mcp_model::{AssistantMessage, ChatMessage, ToolAnswer, ToolUse};
use mcp_protocol::ContentBlock;

use crate::hash::Hash;
use crate::state::{MessageUpdate, Messages, MessagesUpdate};

/// What has to be written so that each call has exactly one answer right behind it: answers for
/// calls without one, and the removal of answers without a call.
pub(crate) fn repair(messages: &Messages) -> MessagesUpdate {
    let mut fixes = Vec::new();
    let mut open: Vec<&ToolUse> = Vec::new();
    for (message, id) in messages.iter().zip(messages.ids()) {
        match &**message {
            ChatMessage::Tool(answer) => {
                match open.iter().position(|call| call.id == answer.tool_call_id) {
                    Some(at) => {
                        open.remove(at);
                    }
                    None => fixes.push(MessageUpdate::Remove(id.clone())),
                }
            }
            other => {
                fixes.extend(open.drain(..).map(unanswered));
                if let ChatMessage::Assistant(asking) = other {
                    open.extend(&asking.tool_calls);
                }
            }
        }
    }
    fixes.extend(open.into_iter().map(unanswered));
    fixes.into_iter().collect()
}

fn unanswered(call: &ToolUse) -> MessageUpdate {
    let text = "This call was not carried out: the run ended before it had a result.";
    ChatMessage::Tool(ToolAnswer::new(call, vec![ContentBlock::text(text)], true)).into()
}

/// Gives every call an id of its own and a name that providers take, whatever the model wrote.
pub(crate) fn name_calls(message: &mut AssistantMessage, seed: u64, taken: impl Fn(&str) -> bool) {
    let mut seen: HashSet<String> = HashSet::new();
    let alone = message.tool_calls.len() == 1;
    for (call, index) in message.tool_calls.iter_mut().zip(0_u64..) {
        if call.id.is_empty() || seen.contains(&call.id) || taken(&call.id) {
            let made = Hash::new(seed).text("call").number(index).finish();
            call.id = format!("call_{made:016x}");
        }
        if !alone {
            seen.insert(call.id.clone());
        }
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if call.name.is_empty() || call.name.len() > 64 || !call.name.chars().all(fits) {
            let name = call.name.chars().take(64);
            call.name = name.map(|c| if fits(c) { c } else { '_' }).collect();
            if call.name.is_empty() {
                call.name.push('_');
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::{Field, Write};

    fn call(id: &str) -> ToolUse {
        ToolUse::new(id, "t", "{}")
    }

    fn asks(ids: &[&str]) -> ChatMessage {
        let calls = ids.iter().map(|id| call(id)).collect();
        ChatMessage::Assistant(AssistantMessage::new(Vec::new(), calls))
    }

    fn answers(id: &str) -> ChatMessage {
        ChatMessage::Tool(ToolAnswer::new(
            &call(id),
            vec![ContentBlock::text(id)],
            false,
        ))
    }

    fn repaired(history: Vec<ChatMessage>) -> Vec<String> {
        let mut messages = Messages::new();
        messages
            .apply(history.into(), &Write::new("in", 0, 1))
            .unwrap();
        let fixes = repair(&messages);
        messages.apply(fixes, &Write::new("fix", 1, 2)).unwrap();
        assert_eq!(repair(&messages), MessagesUpdate::default());
        let shown = messages.iter().map(|message| match &**message {
            ChatMessage::Tool(answer) if answer.is_error => format!("!{}", answer.tool_call_id),
            ChatMessage::Tool(answer) => answer.tool_call_id.clone(),
            ChatMessage::Assistant(asking) => format!("{} calls", asking.tool_calls.len()),
            other => other.text(),
        });
        shown.collect()
    }

    #[test]
    fn a01_dangling_calls_and_stray_answers_are_repaired() {
        let history = vec![
            ChatMessage::user("hi"),
            answers("stray"),
            asks(&["a", "b"]),
            answers("b"),
            ChatMessage::user("go on"),
            asks(&["c"]),
        ];
        assert_eq!(
            repaired(history),
            ["hi", "2 calls", "b", "!a", "go on", "1 calls", "!c"]
        );
        assert_eq!(repaired(vec![asks(&["a"]), answers("a")]), ["1 calls", "a"]);
    }

    #[test]
    fn a01_missing_duplicate_and_used_ids_are_made_safe() {
        let mut message = AssistantMessage::new(
            Vec::new(),
            vec![
                call(""),
                call("x"),
                call("x"),
                call("used"),
                ToolUse::new("y", "a/b数", ""),
            ],
        );
        name_calls(&mut message, 7, |id| id == "used");
        let ids: HashSet<_> = message.tool_calls.iter().map(|call| &call.id).collect();
        assert_eq!(ids.len(), 5);
        assert!(!ids.contains(&String::new()));
        assert_eq!(message.tool_calls[1].id, "x");
        assert_eq!(message.tool_calls[4].name, "a_b_");
    }
}
