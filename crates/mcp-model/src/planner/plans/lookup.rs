//! "What does the wiki say about WORDS?"

use serde_json::Value;

use super::{Skill, general, line, text};
use crate::planner::desk::{Action, Desk};
use crate::planner::question::{Question, bare};

/// The longest passage that is quoted, in characters.
const PASSAGE: usize = 1200;

pub(super) fn plan(desk: &Desk<'_>, question: &Question) -> Option<Action> {
    let topic = topic(question)?;
    let skill = Skill {
        must: &["wiki", "docs", "documentation", "knowledge", "pages"],
        should: &["search", "find", "words", "query"],
        given: vec![(
            &[
                "query", "q", "words", "text", "search", "topic", "pattern", "term", "keywords",
            ],
            Value::from(topic.as_str()),
        )],
        takes_first: true,
    };
    let seen = match skill.result(desk, question)? {
        Ok(seen) => seen,
        Err(action) => return Some(action),
    };
    let answer = seen
        .json()
        .and_then(|result| answer(&result, &topic))
        .unwrap_or_else(|| general::quote(seen));
    Some(Action::Answer(answer))
}

/// What is to be looked up.
fn topic(question: &Question) -> Option<String> {
    const PLACES: &[&str] = &[
        "wiki",
        "docs",
        "documentation",
        "pages",
        "handbook",
        "manual",
    ];
    if !question.mentions(PLACES) || question.lower.starts_with("where") {
        return None;
    }
    let about = question
        .after(&[
            "say about",
            "says about",
            "said about",
            "tell about",
            "tell me about",
            "tell us about",
            "know about",
            "mention about",
            "written about",
            "documented about",
            "about",
            "wiki for",
            "docs for",
            "documentation for",
            "pages for",
            "wiki on",
            "docs on",
        ])
        .or_else(|| question.between(&["look up", "look for", "find", "search for"], &["in the"]));
    let topic = about.map(|text| bare(text.strip_prefix("the topic ").unwrap_or(text)));
    topic.filter(|topic| !topic.is_empty()).map(str::to_owned)
}

fn answer(result: &Value, topic: &str) -> Option<String> {
    let pages = result.get("pages")?.as_array()?;
    let topic = line(topic, 200);
    let Some(best) = pages.first() else {
        return Some(format!(
            "The wiki says nothing about {topic}: no page was found."
        ));
    };
    let name = line(text(best, "page").or_else(|| text(best, "path"))?, 400);
    let title = text(best, "title").map(|title| line(title, 200));
    let mut answer = match title {
        Some(title) if title != name => format!("The wiki page \"{title}\" ({name})"),
        _ => format!("The wiki page {name}"),
    };
    if let Some(heading) = text(best, "heading").map(|heading| line(heading, 200)) {
        answer.push_str(&format!(", under \"{heading}\","));
    }
    answer.push_str(&format!(
        " says about {topic}:\n\n{}",
        quoted(text(best, "passage")?)
    ));
    let missing: Vec<&str> = result
        .get("missing")
        .and_then(Value::as_array)
        .map(|words| words.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    if !missing.is_empty() {
        let words = line(&missing.join(", "), 200);
        answer.push_str(&format!("\n\nIt does not mention: {words}."));
    }
    Some(answer)
}

/// The passage as a quotation, line by line.
fn quoted(passage: &str) -> String {
    let cut: String = passage.chars().take(PASSAGE).collect();
    let mut lines: Vec<String> = cut
        .lines()
        .map(|text| format!("> {}", line(text, PASSAGE)).trim_end().to_owned())
        .collect();
    if cut.len() < passage.len() {
        lines.push("> …".to_owned());
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_topic_is_what_follows_about() {
        for (question, want) in [
            (
                "What does the wiki say about retry limits?",
                Some("retry limits"),
            ),
            (
                "What do the docs say about \"the last 3 commits\"?",
                Some("the last 3 commits"),
            ),
            ("Look up deployment in the wiki", Some("deployment")),
            (
                "What does the wiki say about changed files in the working tree?",
                Some("changed files in the working tree"),
            ),
            ("What about it?", None),
        ] {
            assert_eq!(
                topic(&Question::read(question)).as_deref(),
                want,
                "{question}"
            );
        }
    }

    #[test]
    fn the_best_page_is_quoted_or_nothing_is_said_to_be_found() {
        let page = json!({"page": "ops/deploy.md", "title": "Deploying", "heading": "Rollback",
            "passage": "Run it.\n\nTwice."});
        let got = answer(&json!({"pages": [page], "missing": []}), "rollback").unwrap();
        assert_eq!(
            got,
            "The wiki page \"Deploying\" (ops/deploy.md), under \"Rollback\", says about rollback:\
             \n\n> Run it.\n>\n> Twice."
        );
        let none = answer(&json!({"pages": []}), "zebras").unwrap();
        assert_eq!(
            none,
            "The wiki says nothing about zebras: no page was found."
        );
    }
}
