//! Results that reached the conversation cut, put together again.
//!
//! A long result is cut to its beginning and its end with a marker between them:
//! `...[truncated: kept 2000+1000 of 7000 chars; full result: read_tool_result(...)]...`. Where
//! the tool that the marker names is on offer, the planner reads the rest with it.

use serde_json::{Map, Value};

use super::desk::Seen;

/// The tool that reads the rest.
pub(super) const READER: &str = "read_tool_result";
/// How many characters are asked for at once.
const PAGE: usize = 4_000;
/// Results of more pages than this stay cut.
const MAX_PAGES: usize = 500;

/// A result with a marker in it.
#[derive(Debug, PartialEq, Eq)]
struct Cut<'t> {
    head: &'t str,
    tail: &'t str,
    head_chars: usize,
    tail_chars: usize,
    total_chars: usize,
}

impl<'t> Cut<'t> {
    /// Finds the marker. A text that only quotes one is whole: the numbers do not fit then.
    fn find(text: &'t str) -> Option<Self> {
        const START: &str = "\n...[truncated: kept ";
        const END: &str = "]...\n";
        text.match_indices(START).find_map(|(at, _)| {
            let head = text.get(..at)?;
            let (marker, tail) = text.get(at + START.len()..)?.split_once(END)?;
            let (kept, rest) = marker.split_once(" of ")?;
            let (first, last) = kept.split_once('+')?;
            let cut = Self {
                head,
                tail,
                head_chars: first.parse().ok()?,
                tail_chars: last.parse().ok()?,
                total_chars: rest.split(' ').next()?.parse().ok()?,
            };
            let fits = head.chars().count() == cut.head_chars
                && tail.chars().count() == cut.tail_chars
                && cut.head_chars + cut.tail_chars < cut.total_chars;
            fits.then_some(cut)
        })
    }

    /// Offset and length of each page of what is missing.
    fn pages(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let end = self.total_chars - self.tail_chars;
        (self.head_chars..end)
            .step_by(PAGE)
            .map(move |offset| (offset, PAGE.min(end - offset)))
    }
}

/// Puts cut results together from the pages that were read, and takes those pages out of the
/// list. Gives back the calls that would read what is still missing.
pub(super) fn complete(seen: &mut Vec<Seen>) -> Vec<Map<String, Value>> {
    let (pages, mut results): (Vec<Seen>, Vec<Seen>) = std::mem::take(seen)
        .into_iter()
        .partition(|seen| seen.tool == READER);
    let mut wanted = Vec::new();
    for result in &mut results {
        let Some(cut) = Cut::find(&result.text) else {
            continue;
        };
        let mut whole = cut.head.to_owned();
        let mut missing = Vec::new();
        let mut failed = cut.pages().count() > MAX_PAGES;
        for (offset, length) in cut.pages().take(MAX_PAGES) {
            let page = pages.iter().find(|page| is_page(page, &result.id, offset));
            match page.map(|page| slice(page, length)) {
                Some(Some(text)) => whole.push_str(&text),
                Some(None) => failed = true,
                None => missing.push((offset, length)),
            }
        }
        whole.push_str(cut.tail);
        if failed || !missing.is_empty() {
            result.is_cut = true;
        } else {
            result.text = whole;
        }
        if !failed {
            let calls = missing.iter().map(|page| call(&result.id, *page));
            wanted.extend(calls);
        }
    }
    *seen = results;
    wanted
}

fn call(id: &str, (offset, length): (usize, usize)) -> Map<String, Value> {
    let mut arguments = Map::new();
    arguments.insert("tool_call_id".to_owned(), id.into());
    arguments.insert("offset".to_owned(), offset.into());
    arguments.insert("limit".to_owned(), length.into());
    arguments
}

fn is_page(seen: &Seen, id: &str, offset: usize) -> bool {
    let argument = |name: &str| seen.arguments.get(name);
    argument("tool_call_id").and_then(Value::as_str) == Some(id)
        && argument("offset").and_then(Value::as_u64) == Some(offset as u64)
}

/// The text of a page, which has so many characters: the first block, or a member of it.
fn slice(page: &Seen, length: usize) -> Option<String> {
    let fits = |text: &str| text.chars().count() == length;
    if page.is_error {
        return None;
    }
    if fits(&page.first) {
        return Some(page.first.clone());
    }
    let value: Value = serde_json::from_str(&page.first).ok()?;
    let members = value.as_object()?.values().filter_map(Value::as_str);
    members
        .into_iter()
        .find(|text| fits(text))
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(id: &str, tool: &str, text: &str) -> Seen {
        Seen {
            id: id.to_owned(),
            tool: tool.to_owned(),
            arguments: Map::new(),
            first: text.to_owned(),
            text: text.to_owned(),
            is_error: false,
            is_cut: false,
        }
    }

    fn cut(text: &str, id: &str) -> String {
        let chars: Vec<char> = text.chars().collect();
        let head: String = chars[..2000].iter().collect();
        let tail: String = chars[chars.len() - 1000..].iter().collect();
        let n = chars.len();
        format!(
            "{head}\n...[truncated: kept 2000+1000 of {n} chars; full result: \
             read_tool_result(tool_call_id=\"{id}\")]...\n{tail}"
        )
    }

    #[test]
    fn a_cut_result_is_read_to_its_end() {
        let text: String = "aé\n...[truncated: kept 1+1 of 9 chars]...\n".repeat(300);
        let mut seen = vec![result("7", "t", &cut(&text, "7"))];
        let wanted = complete(&mut seen);
        assert!(wanted.len() >= 2 && seen[0].is_cut);
        seen[0].is_cut = false;
        for (n, arguments) in wanted.into_iter().enumerate() {
            let number = |name: &str| usize::try_from(arguments[name].as_u64().unwrap()).unwrap();
            let page: String = text
                .chars()
                .skip(number("offset"))
                .take(number("limit"))
                .collect();
            let mut answer = result("x", READER, &page);
            if n == 0 {
                answer.first = serde_json::json!({"text": page, "total": 9}).to_string();
            }
            answer.arguments = arguments;
            seen.push(answer);
        }
        assert!(complete(&mut seen).is_empty());
        assert_eq!(seen.len(), 1);
        assert!(seen[0].text == text && !seen[0].is_cut);
    }

    #[test]
    fn a_page_that_fails_leaves_the_result_cut() {
        let mut seen = vec![result("7", "t", &cut(&"x".repeat(6000), "7"))];
        let mut page = result("8", READER, "gone");
        page.arguments = complete(&mut seen).remove(0);
        page.is_error = true;
        seen.push(page);
        assert!(complete(&mut seen).is_empty());
        assert!(seen.len() == 1 && seen[0].is_cut);
        let mut whole = vec![result(
            "7",
            "t",
            "\n...[truncated: kept 2000+1000 of 7000 chars]...\n",
        )];
        assert!(complete(&mut whole).is_empty() && !whole[0].is_cut);
    }
}
