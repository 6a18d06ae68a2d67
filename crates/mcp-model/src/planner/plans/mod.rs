//! The kinds of question that the planner knows, and what it does with each.

mod changes;
mod definition;
mod general;
mod history;
mod lookup;

use serde_json::{Map, Value};

use super::desk::{Action, Desk, Seen};
use super::effects::only_reads;
use super::fill::{Given, fill};
use super::parts::parts;
use super::question::Question;
use super::score::ToolWords;
use super::whole::READER;
use crate::ToolSpec;

/// What to do next about a question, if it is of this kind.
type Kind = fn(&Desk<'_>, &Question) -> Option<Action>;

/// The kinds that are recognised by how a question begins come first: what they ask about may
/// contain the words of the others. And whether all questions of the kind are about the same.
const KINDS: [(Kind, bool); 4] = [
    (lookup::plan, false),
    (definition::plan, false),
    (history::plan, true),
    (changes::plan, true),
];

/// Decides what to do next: about each part of a question that asks for several things.
pub(crate) fn plan(desk: &Desk<'_>) -> Action {
    let kind = |part: &Question| {
        KINDS
            .iter()
            .position(|(kind, _)| kind(desk, part).is_some())
    };
    let is_one = |a: usize, b: usize| a == b && KINDS.get(a).is_some_and(|(_, same)| *same);
    let parts = parts(&desk.question, kind, is_one);
    let known = |part| KINDS.iter().find_map(|(kind, _)| kind(desk, part));
    let plans: Option<Vec<Action>> = parts.iter().map(known).collect();
    plans.map_or_else(|| general::plan(desk), together)
}

/// All calls of several plans at once; or their answers, when nothing is left to call.
fn together(plans: Vec<Action>) -> Action {
    let (mut calls, mut answers) = (Vec::new(), Vec::new());
    for plan in plans {
        match plan {
            Action::Call(more) => calls.extend(more),
            Action::Answer(text) => answers.push(text),
        }
    }
    match calls.is_empty() {
        true => Action::Answer(answers.join("\n\n")),
        false => Action::Call(calls),
    }
}

/// What a kind of question wants of a tool.
#[derive(Debug)]
struct Skill<'a> {
    /// Words of which the tool's name or description must have one.
    must: &'a [&'a str],
    /// Words that make it fit better, beside `must`.
    should: &'a [&'a str],
    /// Arguments, by words of their names.
    given: Vec<Given<'a>>,
    /// Whether the tool has to take the first of `given`.
    takes_first: bool,
}

impl Skill<'_> {
    /// The tool that fits best, with arguments.
    fn pick<'t>(
        &self,
        desk: &Desk<'t>,
        question: &Question,
    ) -> Option<(&'t ToolSpec, Map<String, Value>)> {
        let mut best: Option<(u32, &ToolSpec, Map<String, Value>)> = None;
        for tool in desk
            .tools
            .iter()
            .filter(|tool| only_reads(tool) && tool.name != READER)
        {
            let words = ToolWords::of(tool);
            let must = words.score(self.must);
            let Ok(arguments) = fill(tool, question, &self.given, &[]) else {
                continue;
            };
            let takes = !self.takes_first
                || self
                    .given
                    .first()
                    .is_some_and(|(_, value)| arguments.values().any(|argument| argument == value));
            let score = must * 2 + words.score(self.should);
            if must > 0 && takes && best.as_ref().is_none_or(|(top, ..)| score > *top) {
                best = Some((score, tool, arguments));
            }
        }
        best.map(|(_, tool, arguments)| (tool, arguments))
    }

    /// Calls the tool, or hands over its result once it is there. `None` if no tool fits.
    fn result<'d>(
        &self,
        desk: &'d Desk<'_>,
        question: &Question,
    ) -> Option<Result<&'d Seen, Action>> {
        let (tool, arguments) = self.pick(desk, question)?;
        Some(match desk.result_with(&tool.name, &arguments) {
            None => Err(Action::Call(vec![(tool.name.clone(), arguments)])),
            Some(seen) if seen.is_error => Err(Action::Answer(general::failure(seen))),
            Some(seen) => Ok(seen),
        })
    }
}

/// The question is understood, but no tool on offer knows about it. Any other tool would give
/// the wrong answer.
fn nobody_can_tell(what: &str) -> Action {
    Action::Answer(format!("None of the tools on offer can tell {what}."))
}

/// One line without control characters, at most `limit` characters.
fn line(text: &str, limit: usize) -> String {
    let mut shown = String::new();
    for c in text.trim().chars().take(limit) {
        if c.is_control() {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    if text.trim().chars().count() > limit {
        shown.push('…');
    }
    shown
}

/// `1 file`, `2 files`.
fn count(n: usize, one: &str) -> String {
    if n == 1 {
        format!("1 {one}")
    } else {
        format!("{n} {one}s")
    }
}

fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}
