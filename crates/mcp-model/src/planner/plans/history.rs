//! "Show the last N commits."

use serde_json::Value;

use super::{Skill, count, general, line, nobody_can_tell, text};
use crate::planner::desk::{Action, Desk};
use crate::planner::question::Question;

/// How many commits are shown when the question names no number.
const DEFAULT: u64 = 10;

pub(super) fn plan(desk: &Desk<'_>, question: &Question) -> Option<Action> {
    let commits = question.mentions(&["commit", "commits"]);
    let recent = question.mentions(&["last", "latest", "recent", "newest", "show", "list", "log"]);
    if !(commits && recent) {
        return None;
    }
    let wanted = wanted(question);
    let skill = Skill {
        must: &["log", "commits", "history"],
        should: &["newest", "list", "limit"],
        given: vec![(
            &["limit", "count", "max", "n", "number"],
            Value::from(wanted),
        )],
        takes_first: true,
    };
    let seen = match skill.result(desk, question) {
        Some(Ok(seen)) => seen,
        Some(Err(action)) => return Some(action),
        None => return Some(nobody_can_tell("what was committed")),
    };
    let answer = seen
        .json()
        .and_then(|result| answer(&result, wanted, seen.arguments.contains_key("path")))
        .unwrap_or_else(|| general::quote(seen));
    Some(Action::Answer(answer))
}

fn wanted(question: &Question) -> u64 {
    let one = question.words.iter().any(|word| word == "commit");
    match question.numbers.first() {
        Some(&n) => n.max(1),
        None if one => 1,
        None => DEFAULT,
    }
}

fn answer(result: &Value, wanted: u64, of_path: bool) -> Option<String> {
    let commits = result.get("commits")?.as_array()?;
    let found = commits.len();
    if found == 0 {
        let none = if of_path {
            "No commit touches that path."
        } else {
            "There are no commits yet."
        };
        return Some(none.to_owned());
    }
    let mut answer = match found {
        1 if wanted == 1 => "The last commit:".to_owned(),
        1 if wanted > 1 => "There is only 1 commit:".to_owned(),
        _ if (found as u64) < wanted => {
            format!(
                "There are only {}, the newest first:",
                count(found, "commit")
            )
        }
        _ => format!("The last {}, the newest first:", count(found, "commit")),
    };
    for commit in commits {
        let hash: String = text(commit, "hash")?.chars().take(10).collect();
        let date: String = text(commit, "date")
            .unwrap_or_default()
            .chars()
            .take(10)
            .collect();
        let author = line(text(commit, "author").unwrap_or_default(), 80);
        let subject = line(text(commit, "subject").unwrap_or_default(), 300);
        answer.push_str(&format!("\n- {hash} {date} {author}: {subject}"));
    }
    Some(answer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_number_wanted_is_read() {
        for (question, n) in [
            ("Show the last 5 commits", 5),
            ("show the last three commits", 3),
            ("Show the last commit", 1),
            ("recent commits?", 10),
            ("Show the last 0 commits", 1),
        ] {
            assert_eq!(wanted(&Question::read(question)), n, "{question}");
        }
    }

    #[test]
    fn commits_are_listed_and_a_short_history_is_said() {
        let commit = |n: u32| {
            json!({"hash": format!("{n:040}"), "author": "A",
            "date": "2026-01-02T03:04:05+00:00", "subject": format!("s{n}")})
        };
        let result = json!({"commits": [commit(2), commit(1)]});
        let full = answer(&result, 2, false).unwrap();
        assert!(
            full.starts_with(
                "The last 2 commits, the newest first:\n- 0000000000 2026-01-02 A: s2"
            )
        );
        let few = answer(&result, 5, false).unwrap();
        assert!(few.starts_with("There are only 2 commits"));
        assert_eq!(
            answer(&json!({"commits": []}), 5, false).unwrap(),
            "There are no commits yet."
        );
    }
}
