//! How well the tools on offer fit a question.

use serde_json::Value;

use super::words::{alike, is_filler, words};
use crate::ToolSpec;

/// A hit in the tool's name says most, one in its description little.
const NAME: u32 = 4;
const DESCRIPTION: u32 = 2;
const PROPERTY: u32 = 1;
/// Words that stand in the names of tools of all kinds, and say next to nothing.
const WEAK: &[&str] = &["get", "give", "return", "show", "use"];

/// The words of a tool, by where they stand.
#[derive(Debug)]
pub(crate) struct ToolWords {
    name: Vec<String>,
    description: Vec<String>,
    properties: Vec<String>,
}

impl ToolWords {
    /// Collects the words of a tool.
    pub(crate) fn of(tool: &ToolSpec) -> Self {
        let mut description = words(tool.description.as_deref().unwrap_or_default());
        description.retain(|word| !is_filler(word));
        let properties = properties(tool).map(|(name, _)| words(name));
        Self {
            name: words(&tool.name),
            description,
            properties: properties.flatten().collect(),
        }
    }

    /// The points that one word brings.
    pub(crate) fn points(&self, word: &str) -> u32 {
        let has = |set: &[String]| set.iter().any(|own| alike(own, word));
        let name = if has(&self.name) { NAME } else { 0 };
        let description = if has(&self.description) {
            DESCRIPTION
        } else {
            0
        };
        let property = if has(&self.properties) { PROPERTY } else { 0 };
        let points = name + description + property;
        if WEAK.contains(&word) {
            points.min(PROPERTY)
        } else {
            points
        }
    }

    /// The points that all words bring, each word counted once.
    pub(crate) fn score<S: AsRef<str>>(&self, asked: &[S]) -> u32 {
        let mut seen: Vec<&str> = Vec::new();
        let mut sum = 0;
        for word in asked.iter().map(AsRef::as_ref) {
            if !seen.iter().any(|other| alike(other, word)) {
                seen.push(word);
                sum += self.points(word);
            }
        }
        sum
    }
}

/// The tools that fit at all, the best first; among equals in the order of the offer.
pub(crate) fn rank<'a, S: AsRef<str>>(
    tools: &'a [ToolSpec],
    asked: &[S],
) -> Vec<(u32, &'a ToolSpec)> {
    let mut ranked: Vec<_> = tools
        .iter()
        .map(|tool| (ToolWords::of(tool).score(asked), tool))
        .filter(|(score, _)| *score > 0)
        .collect();
    ranked.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    ranked
}

/// The properties of a tool's input schema.
pub(crate) fn properties(tool: &ToolSpec) -> impl Iterator<Item = (&String, &Value)> {
    let map = tool
        .input_schema
        .get("properties")
        .and_then(Value::as_object);
    map.into_iter().flatten()
}

/// Whether the input schema requires a property.
pub(crate) fn is_required(tool: &ToolSpec, property: &str) -> bool {
    let list = tool.input_schema.get("required").and_then(Value::as_array);
    list.is_some_and(|names| names.iter().any(|name| name == property))
}
