//! `mcp agent` with the planner and our own three servers.

use crate::scratch::{Ended, Scratch};

const CHANGES: &str =
    "Which files changed in the working tree, and which functions do the changes add?";

/// A Rust, a Python and a text file, committed.
fn repository() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("src/a.rs", "fn main() {}\n");
    scratch.write("b.py", "def main():\n    pass\n");
    scratch.write("old.txt", "gone soon\n");
    scratch.commit("first");
    scratch
}

#[test]
fn changed_files_and_added_functions_are_named_and_nothing_else() {
    let scratch = repository();
    scratch.write("src/a.rs", "fn main() {}\n\nfn alpha() {\n    main()\n}\n");
    scratch.write(
        "b.py",
        "def main():\n    pass\n\n\ndef beta():\n    return 1\n",
    );
    scratch.write("c.ts", "function gamma() {}\nconst delta = () => 1;\n");
    std::fs::remove_file(scratch.path().join("old.txt")).unwrap();
    assert_eq!(
        scratch.ask(CHANGES),
        "4 files changed in the working tree:\n\
         - b.py: modified, +4 -0; adds the function beta\n\
         - c.ts: new (untracked), +2 -0; adds the functions gamma, delta\n\
         - old.txt: deleted, +0 -1\n\
         - src/a.rs: modified, +4 -0; adds the function alpha"
    );
}

#[test]
fn a_clean_tree_gets_a_plain_answer() {
    let scratch = repository();
    assert_eq!(scratch.ask(CHANGES), "Nothing changed in the working tree.");
}

#[test]
fn one_question_is_answered_by_several_servers() {
    let scratch = repository();
    scratch.write("docs/ice.md", "# Ice\n\nIce is cold.\n");
    scratch.commit("ice");
    scratch.write("b.py", "def main():\n    return 1\n");
    let question = "Which files changed in the working tree, what does the wiki say about ice, \
        and where is main defined?";
    let answer = scratch.ask(question);
    for part in [
        "1 file changed in the working tree:\n- b.py: modified, +1 -1\n\n",
        "The wiki page \"Ice\" (ice.md)",
        "> Ice is cold.\n\nmain is defined in 2 places:\n- ",
    ] {
        assert!(answer.contains(part), "{part} is missing in: {answer}");
    }
}

#[test]
fn many_changes_are_all_named_though_the_result_is_long() {
    let scratch = repository();
    for n in 0..400 {
        scratch.write(
            &format!("new/file-{n:03}.py"),
            &format!("def function_{n}():\n    pass\n"),
        );
    }
    let answer = scratch.ask(CHANGES);
    assert!(
        answer.starts_with("400 files changed in the working tree:"),
        "{answer}"
    );
    for n in 0..400 {
        let line =
            format!("- new/file-{n:03}.py: new (untracked), +2 -0; adds the function function_{n}");
        assert!(answer.lines().any(|l| l == line), "{line} is missing");
    }
    assert_eq!(answer.lines().count(), 401);
}

#[test]
fn text_that_looks_like_a_function_is_none() {
    let scratch = repository();
    scratch.write(
        "src/a.rs",
        "fn main() {}\n/* fn no() {} */\nconst TEXT: &str = \"\nfn no() {}\n\";\nfn yes() {}\n",
    );
    scratch.write("...[truncated: kept 1+1 of 3 chars]...", "fn no() {}\n");
    let answer = scratch.ask(CHANGES);
    assert!(
        answer.contains("src/a.rs: modified, +5 -0; adds the function yes"),
        "{answer}"
    );
    assert!(!answer.contains("function no"), "{answer}");
}

#[test]
fn the_wiki_is_quoted_with_page_and_passage() {
    let scratch = repository();
    scratch.write(
        "docs/deploy.md",
        "# Deploying\n\nShip it.\n\n## Rollback\n\nRun `undo` twice.\n",
    );
    scratch.write("docs/other.md", "# Other\n\nNothing to see.\n");
    assert_eq!(
        scratch.ask("What does the wiki say about rollback?"),
        "The wiki page \"Deploying\" (deploy.md), under \"Rollback\", says about rollback:\n\n\
         > Run `undo` twice."
    );
    let answer = scratch.ask("What does the wiki say about purple zebras?");
    assert_eq!(
        answer,
        "The wiki says nothing about purple zebras: no page was found."
    );
}

#[test]
fn a_repository_without_a_wiki_has_its_markdown_files_or_nothing() {
    let scratch = repository();
    let nothing = "The wiki says nothing about zebras: no page was found.";
    assert_eq!(scratch.ask("What does the wiki say about zebras?"), nothing);
    scratch.write("notes/README.md", "# Zoo\n\nZebras live here.\n");
    let answer = scratch.ask("What does the wiki say about zebras?");
    assert!(answer.contains("(notes/README.md)") && answer.contains("> Zebras live here."));
}

#[test]
fn the_last_commits_are_listed() {
    let scratch = Scratch::new();
    assert_eq!(
        scratch.ask("Show the last 3 commits"),
        "There are no commits yet."
    );
    for n in 1..=5 {
        scratch.commit(&format!("commit number {n}"));
    }
    let answer = scratch.ask("Show the last 3 commits");
    let lines: Vec<&str> = answer.lines().collect();
    assert_eq!(lines[0], "The last 3 commits, the newest first:");
    assert_eq!(lines.len(), 4);
    for (line, n) in lines[1..].iter().zip([5, 4, 3]) {
        assert!(line.ends_with(&format!("Ada: commit number {n}")), "{line}");
    }
    let all = scratch.ask("Show the last 100 commits");
    assert!(all.starts_with("There are only 5 commits"), "{all}");
}

#[test]
fn a_long_history_is_listed_whole() {
    let scratch = Scratch::new();
    for n in 0..60 {
        scratch.commit(&format!("{n:02} {}", "a subject of some length ".repeat(4)));
    }
    let answer = scratch.ask("Show the last 60 commits");
    assert_eq!(answer.lines().count(), 61, "{answer}");
    assert!(answer.contains("Ada: 00 a subject"), "{answer}");
}

#[test]
fn definitions_are_found() {
    let scratch = repository();
    scratch.write(
        "src/b.rs",
        "// alpha\npub struct Foo;\nimpl Foo {\n    fn alpha(&self) {}\n}\n",
    );
    assert_eq!(
        scratch.ask("Where is alpha defined?"),
        "alpha is defined in src/b.rs:4 (method Foo::alpha): fn alpha(&self) {}"
    );
    assert_eq!(
        scratch.ask("Where is `Foo` defined?"),
        "Foo is defined in src/b.rs:2 (struct Foo): pub struct Foo;"
    );
    assert_eq!(
        scratch.ask("Where is nothing_at_all defined?"),
        "No definition of nothing_at_all was found."
    );
}

#[test]
fn a_question_that_no_tool_answers_ends_with_one() {
    let dir = tempfile::tempdir().unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_mcp"))
        .args(["agent", "Show the last 3 commits"])
        .current_dir(dir.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(
        out.starts_with("None of the tools on offer can tell what was committed."),
        "{out}"
    );
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(err.contains("git  failed in handshake"), "{err}");
    assert!(err.contains("see mcp agent --help"), "{err}");
    // What the server said last is told once.
    let said = "not in the working tree of a git repository";
    assert_eq!(err.matches(said).count(), 1, "{err}");
}

#[test]
fn events_are_one_json_object_per_line() {
    let scratch = repository();
    let ended = scratch.mcp(&["agent", CHANGES, "--json"]);
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{ended:?}");
    let events: Vec<serde_json::Value> = ended
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let names: Vec<&str> = events
        .iter()
        .map(|event| event["event"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        ["started", "said", "tool_started", "tool_ended", "answer"]
    );
    assert_eq!(events[2]["server"], "git");
    assert_eq!(events[3]["ok"], true);
    assert!(events[1]["text"].as_str().unwrap().contains("not an LLM"));
}

#[test]
fn progress_goes_to_standard_error_as_plain_lines() {
    let scratch = repository();
    let ended = scratch.mcp(&["agent", CHANGES]);
    assert!(
        ended.err.contains("git  changes  {}") && ended.err.contains("ok"),
        "{}",
        ended.err
    );
    assert!(!ended.err.contains('\u{1b}'), "{}", ended.err);
}

#[test]
fn revisions_that_a_question_names_are_compared() {
    let scratch = repository();
    scratch.write("src/a.rs", "fn main() {}\nfn alpha() {}\n");
    scratch.commit("second");
    scratch.write("new.txt", "1\n");
    assert_eq!(
        scratch.ask("What changed since HEAD~1?"),
        "2 files changed since HEAD~1:\n- new.txt: new (untracked), +1 -0\n\
         - src/a.rs: modified, +1 -0"
    );
    assert_eq!(
        scratch.ask("Which functions do the changes from HEAD~1 to HEAD add?"),
        "1 file changed from HEAD~1 to HEAD:\n\
         - src/a.rs: modified, +1 -0; adds the function alpha"
    );
    let ended = scratch.mcp(&["agent", "What changed since v9.9?"]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.out.contains("v9.9"), "{ended:?}");
}

#[test]
fn odd_states_of_a_repository_are_told_as_they_are() {
    let scratch = repository();
    scratch.git(&["checkout", "-q", "--detach"]);
    scratch.write("a b.py", "def one():\n    pass\n");
    scratch.write("ünï.js", "function zwei() {}\n");
    std::fs::write(scratch.path().join("data.rs"), b"\0fn no() {}\n").unwrap();
    let answer = scratch.ask(CHANGES);
    for line in [
        "- a b.py: new (untracked), +2 -0; adds the function one",
        "- ünï.js: new (untracked), +1 -0; adds the function zwei",
        "- data.rs: new (untracked), binary",
    ] {
        assert!(
            answer.lines().any(|told| told == line),
            "{line} in {answer}"
        );
    }
    let bare = scratch.path().join("bare");
    scratch.git(&["init", "-q", "--bare", bare.to_str().unwrap()]);
    let mut command = scratch.command(&["agent", CHANGES]);
    let ended = Ended::of(command.current_dir(&bare).output().unwrap());
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.err.contains("git  failed in handshake"), "{ended:?}");
}

#[cfg(unix)]
#[test]
fn without_git_the_other_servers_answer() {
    let scratch = repository();
    let mut command = scratch.command(&["agent", "Where is main defined?"]);
    command.env("PATH", scratch.path()).env_remove("HOME");
    let ended = Ended::of(command.output().unwrap());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.out.contains("src/a.rs:1"), "{ended:?}");
    assert!(ended.err.contains("git is not installed"), "{ended:?}");
}
