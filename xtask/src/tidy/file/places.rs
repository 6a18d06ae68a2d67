//! What only a few places of the libraries may do.

/// Something in the code that has its place.
struct Rule {
    what: &'static str,
    finds: fn(&str) -> bool,
    /// Files it holds for, by how their paths begin.
    within: &'static [&'static str],
    /// Files it does not hold for.
    except: &'static [&'static str],
}

const RULES: [Rule; 5] = [
    Rule {
        what: "spawns a task",
        finds: spawns,
        within: &["crates/"],
        except: &[
            "crates/mcp-peer/src/",
            "crates/mcp-transport-stdio/src/",
            "crates/mcp-transport-http/src/",
            "crates/mcp-agent/src/graph/run.rs",
            "crates/mcp-cli/",
        ],
    },
    Rule {
        what: "makes an unbounded channel",
        finds: is_unbounded,
        within: &["crates/"],
        except: &[],
    },
    Rule {
        what: "touches standard input or output",
        finds: |line| has_any(line, &["stdout()", "stdin()", "io::stderr()"]),
        within: &["crates/"],
        except: &["crates/mcp-transport-stdio/src/own/", "crates/mcp-cli/"],
    },
    Rule {
        what: "waits, or asks the system, in a crate without I/O",
        finds: does_io,
        within: &["crates/mcp-jsonrpc/", "crates/mcp-protocol/"],
        except: &[],
    },
    Rule {
        what: "compares revisions",
        finds: compares_revisions,
        within: &["crates/"],
        except: &[
            "crates/mcp-protocol/src/revision.rs",
            "crates/mcp-protocol/src/version.rs",
        ],
    },
];

pub(super) fn check<'a>(path: &'a str, body: &'a str) -> impl Iterator<Item = String> + 'a {
    let begins = |starts: &[&str]| starts.iter().any(|start| path.starts_with(start));
    RULES
        .iter()
        .filter(move |rule| begins(rule.within) && !begins(rule.except))
        .filter_map(|rule| {
            let line = code(body).find(|line| (rule.finds)(line))?;
            Some(format!("{}: {}", rule.what, line.trim()))
        })
}

/// The lines that are code.
fn code(body: &str) -> impl Iterator<Item = &str> {
    body.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
}

fn has_any(line: &str, words: &[&str]) -> bool {
    words.iter().any(|word| line.contains(word))
}

/// A task is given to what spawns it; `spawn()` without argument starts a process, and a
/// function of that name is none of them.
fn spawns(line: &str) -> bool {
    ["spawn(", "spawn_on(", "spawn_blocking(", "spawn_local("]
        .iter()
        .flat_map(|word| line.split_once(word))
        .any(|(before, after)| !before.ends_with("fn ") && !after.starts_with(')'))
}

fn is_unbounded(line: &str) -> bool {
    has_any(
        line,
        &[
            "unbounded",
            "Unbounded",
            "mpsc::channel()",
            "mpsc::channel;",
        ],
    )
}

fn does_io(line: &str) -> bool {
    has_any(
        line,
        &[
            "async ",
            ".await",
            "std::{",
            "std::net",
            "std::fs",
            "std::io",
            "std::env",
            "std::process",
            "std::thread",
            "thread::",
            "::now()",
            ".elapsed()",
        ],
    )
}

/// One revision is named only where revisions are compared, or as a constant with a name of its
/// own; the newest ones have names, which may be used but not compared with.
fn compares_revisions(line: &str) -> bool {
    const OPERATORS: [&str; 7] = [" < ", " > ", " <= ", " >= ", "==", "!=", "matches!("];
    let names_one = line.contains("V20") && !line.trim_start().starts_with("const ");
    let is_compared = line.contains("::LATEST") && has_any(line, &OPERATORS);
    names_one || is_compared
}
