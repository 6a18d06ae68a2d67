//! Which tools may be called just because they fit: those that change nothing.

use super::question::Question;
use super::words::{alike, words};
use crate::ToolSpec;

/// Verbs in tool names that say that something is read.
const READS: &[&str] = &[
    "check",
    "count",
    "describe",
    "diff",
    "echo",
    "explain",
    "fetch",
    "find",
    "get",
    "grep",
    "inspect",
    "list",
    "log",
    "lookup",
    "look",
    "query",
    "read",
    "resolve",
    "search",
    "select",
    "show",
    "stat",
    "status",
    "summarise",
    "summarize",
    "tell",
    "view",
];

/// Verbs in tool names that say that something is changed.
const CHANGES: &[&str] = &[
    "add",
    "apply",
    "approve",
    "archive",
    "assign",
    "book",
    "buy",
    "cancel",
    "checkout",
    "close",
    "commit",
    "copy",
    "create",
    "delete",
    "deploy",
    "disable",
    "drop",
    "edit",
    "enable",
    "execute",
    "exec",
    "insert",
    "install",
    "kill",
    "merge",
    "move",
    "order",
    "patch",
    "pay",
    "post",
    "publish",
    "push",
    "put",
    "rebase",
    "remove",
    "rename",
    "replace",
    "reset",
    "restart",
    "revert",
    "run",
    "save",
    "send",
    "set",
    "start",
    "stop",
    "submit",
    "transfer",
    "trigger",
    "uninstall",
    "update",
    "upload",
    "write",
];

/// Whether a tool only reads, as far as its server's hint or its name tells. A name without any
/// known verb is taken for one that reads.
pub(crate) fn only_reads(tool: &ToolSpec) -> bool {
    let hint = tool
        .annotations
        .as_ref()
        .and_then(|hints| hints.read_only_hint);
    hint.unwrap_or_else(|| verb(tool).is_none_or(|verb| READS.contains(&verb.as_str())))
}

/// Whether a question asks for what a tool does, so that it may be called though it changes
/// something: its first word that matters is the tool's verb.
pub(crate) fn is_asked_for(tool: &ToolSpec, question: &Question) -> bool {
    let Some(first) = question.words.first() else {
        return false;
    };
    words(&tool.name).iter().any(|word| alike(word, first))
}

/// The first word of a tool's name that is a known verb.
fn verb(tool: &ToolSpec) -> Option<String> {
    let is_verb =
        |word: &String| READS.contains(&word.as_str()) || CHANGES.contains(&word.as_str());
    words(&tool.name).into_iter().find(is_verb)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_and_hints_tell_what_changes_something() {
        let tool = |name: &str| ToolSpec::new(name, json!({}));
        for name in [
            "git__git_log",
            "github__list_commits",
            "fs__read_file",
            "wiki__pages",
        ] {
            assert!(only_reads(&tool(name)), "{name}");
        }
        for name in [
            "git__git_commit",
            "git__git_reset",
            "fs__write_file",
            "math__add",
        ] {
            assert!(!only_reads(&tool(name)), "{name}");
        }
        assert!(is_asked_for(
            &tool("math__add"),
            &Question::read("Please add 2 and 3")
        ));
        assert!(!is_asked_for(
            &tool("git__commit"),
            &Question::read("What is the last commit?")
        ));
    }
}
