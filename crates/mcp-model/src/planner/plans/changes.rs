//! "Which files changed in the working tree, and which functions do the changes add?"

use serde_json::Value;

use super::{Skill, count, general, line, nobody_can_tell, text};
use crate::planner::desk::{Action, Desk};
use crate::planner::question::{Question, bare};

/// A question of so few words about changes means those of the working tree.
const SHORT: usize = 3;

/// Arguments for the older side of a comparison, and for the newer one.
const OLDER: &[&str] = &["from", "since", "base", "old"];
const NEWER: &[&str] = &["to", "until", "head", "new"];

/// The revisions that a question names, at most two: what is compared with what.
fn sides(text: &str) -> Vec<String> {
    let words = text.split([' ', ',']).map(bare);
    let ends = words.flat_map(|word| word.split("..").map(|end| end.trim_matches('.')));
    let revisions = ends.filter(|word| is_revision(word));
    revisions.take(2).map(str::to_owned).collect()
}

/// Whether a word is a revision, as far as its looks tell: `HEAD~2`, `main^`, `1a2b3c4`, `v1.0`.
fn is_revision(word: &str) -> bool {
    let is_hash = (7..=64).contains(&word.len())
        && word.bytes().all(|b| b.is_ascii_hexdigit())
        && word.bytes().any(|b| b.is_ascii_digit());
    let is_version = word
        .strip_prefix('v')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()) && rest.contains('.'));
    let name = word.split(['~', '^']).next().unwrap_or_default();
    let has_steps = name.len() < word.len() && !name.is_empty();
    is_hash || is_version || has_steps || name == "HEAD"
}

pub(super) fn plan(desk: &Desk<'_>, question: &Question) -> Option<Action> {
    let about_changes =
        question.mentions(&["changed", "changes", "modified", "uncommitted", "diff"]);
    let about_files = question.mentions(&[
        "file",
        "files",
        "tree",
        "functions",
        "methods",
        "uncommitted",
        "diff",
    ]);
    let sides = sides(&question.text);
    let is_about = about_files || question.words.len() <= SHORT || !sides.is_empty();
    if !about_changes || !is_about {
        return None;
    }
    let skill = Skill {
        must: &["changes", "diff", "status"],
        should: &["working", "tree", "files", "functions", "lines", "added"],
        given: [OLDER, NEWER]
            .into_iter()
            .zip(sides.iter().map(|side| Value::from(side.as_str())))
            .collect(),
        takes_first: !sides.is_empty(),
    };
    let seen = match skill.result(desk, question) {
        Some(Ok(seen)) => seen,
        Some(Err(action)) => return Some(action),
        None if sides.is_empty() => {
            return Some(nobody_can_tell("what changed in a working tree"));
        }
        None => return Some(nobody_can_tell("what changed between revisions")),
    };
    let place = match sides.as_slice() {
        [] => "in the working tree".to_owned(),
        [from] => format!("since {}", line(from, 200)),
        [from, to, ..] => format!("from {} to {}", line(from, 200), line(to, 200)),
    };
    let with_functions = question.mentions(&["function", "functions", "method", "methods", "fn"]);
    let answer = seen
        .json()
        .and_then(|result| answer(&result, &place, with_functions))
        .unwrap_or_else(|| general::quote(seen));
    Some(Action::Answer(answer))
}

/// The answer, if the result has the shape of a list of changed files.
fn answer(result: &Value, place: &str, with_functions: bool) -> Option<String> {
    let files = result.get("files")?.as_array()?;
    if files.is_empty() {
        return Some(format!("Nothing changed {place}."));
    }
    let total = result.get("total").and_then(Value::as_u64);
    let total = total.and_then(|total| usize::try_from(total).ok());
    let total = total.unwrap_or_default().max(files.len());
    let mut answer = format!("{} changed {place}", count(total, "file"));
    if total > files.len() {
        answer.push_str(&format!("; {} of them", files.len()));
    }
    answer.push(':');
    let mut any = false;
    for file in files {
        answer.push_str("\n- ");
        answer.push_str(&file_line(file)?);
        let names = names(file);
        if with_functions && !names.is_empty() {
            any = true;
            let noun = if names.len() == 1 {
                "function"
            } else {
                "functions"
            };
            answer.push_str(&format!("; adds the {noun} {}", names.join(", ")));
        }
        if with_functions && let Some(reason) = text(file, "functions_unknown") {
            answer.push_str(&format!(
                "; its functions were not looked at: {}",
                line(reason, 200)
            ));
        }
    }
    if with_functions && !any {
        answer.push_str(
            "\nNo added functions were found (in Rust, Python, JavaScript, TypeScript and Go).",
        );
    }
    Some(answer)
}

fn file_line(file: &Value) -> Option<String> {
    let state = text(file, "state").unwrap_or("changed");
    let mut shown = line(text(file, "path")?, 4096);
    if let Some(old) = text(file, "old_path") {
        shown = format!("{shown} (from {})", line(old, 4096));
    }
    let number = |key| file.get(key).and_then(Value::as_u64);
    let lines = match (number("added"), number("removed")) {
        (Some(added), Some(removed)) => format!(", +{added} -{removed}"),
        _ if file.get("binary") == Some(&Value::Bool(true)) => ", binary".to_owned(),
        _ => String::new(),
    };
    Some(format!("{shown}: {state}{lines}"))
}

fn names(file: &Value) -> Vec<String> {
    let list = file.get("functions_added").and_then(Value::as_array);
    let names = list.into_iter().flatten().filter_map(Value::as_str);
    names.map(|name| line(name, 200)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const TREE: &str = "in the working tree";

    #[test]
    fn revisions_are_told_from_other_words() {
        for (text, expected) in [
            ("What changed since HEAD~1?", &["HEAD~1"][..]),
            (
                "files changed between v1.0 and main^2.",
                &["v1.0", "main^2"],
            ),
            ("changes in 1a2b3c4..HEAD", &["1a2b3c4", "HEAD"]),
            ("Which files changed in the working tree?", &[]),
            ("changes of defaced or 20261201x since yesterday", &[]),
        ] {
            assert_eq!(sides(text), expected, "{text}");
        }
    }

    #[test]
    fn files_counts_and_functions_are_named_and_nothing_else() {
        let result = json!({"total": 3, "files": [
            {"path": "a.rs", "state": "modified", "added": 3, "removed": 1,
             "functions_added": ["alpha", "T::beta"]},
            {"path": "x\ny.png", "state": "new", "binary": true},
            {"path": "gone.txt", "state": "deleted", "added": 0, "removed": 2},
        ]});
        assert_eq!(
            answer(&result, TREE, true).unwrap(),
            "3 files changed in the working tree:\n\
             - a.rs: modified, +3 -1; adds the functions alpha, T::beta\n\
             - x\\ny.png: new, binary\n\
             - gone.txt: deleted, +0 -2"
        );
        assert!(!answer(&result, TREE, false).unwrap().contains("alpha"));
        let page = json!({"total": 7, "files": [{"path": "a", "state": "new"}]});
        assert_eq!(
            answer(&page, TREE, false).unwrap(),
            "7 files changed in the working tree; 1 of them:\n- a: new"
        );
        let clean = answer(&json!({"files": []}), TREE, true).unwrap();
        assert_eq!(clean, "Nothing changed in the working tree.");
        assert!(answer(&json!({"lines": []}), TREE, true).is_none());
    }
}
