//! Resources and prompts of servers that go into the system prompt.

use std::fmt;
use std::sync::Arc;

use futures_util::future::join_all;
use mcp_interceptors::BoxFuture;
use tokio::sync::OnceCell;

use super::truncate::offset;

/// One text for the system prompt, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Preloaded {
    /// Where it comes from, such as a server and the URI of a resource.
    pub name: String,
    /// The text, or why it cannot be had.
    pub text: Result<String, String>,
}

impl Preloaded {
    /// A text with where it comes from.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            text: Ok(text.into()),
        }
    }

    /// A text that cannot be had, and why.
    pub fn missing(name: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            text: Err(reason.into()),
        }
    }
}

/// How much of the texts goes into the system prompt, in Unicode scalar values.
///
/// By default 4,000 of each and 16,000 of all. A text that is longer is cut to its beginning and
/// its end with a marker between them; what does not fit into the whole is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Preload {
    /// Of each text.
    pub each: usize,
    /// Of all texts together.
    pub total: usize,
}

impl Default for Preload {
    fn default() -> Self {
        Self {
            each: 4_000,
            total: 16_000,
        }
    }
}

impl Preload {
    /// So much of each text and of all.
    #[must_use]
    pub const fn new(each: usize, total: usize) -> Self {
        Self { each, total }
    }

    /// Puts texts together in their order. The second part says what was left out or cut.
    #[must_use]
    pub fn format(&self, texts: &[Preloaded]) -> (String, Vec<String>) {
        let (mut whole, mut notes) = (String::new(), Vec::new());
        let mut left = self.total;
        for Preloaded { name, text } in texts {
            let text = match text {
                Ok(text) => text,
                Err(reason) => {
                    notes.push(format!("{name} was left out: {reason}"));
                    continue;
                }
            };
            let open = format!("<resource name=\"{}\">\n", name.replace('"', "'"));
            let frame = open.chars().count() + "\n</resource>\n".len();
            let room = self.each.min(left.saturating_sub(frame));
            let Some(part) = fit(text, room) else {
                notes.push(format!("{name} was left out: there is no room for it"));
                continue;
            };
            left -= frame + part.chars().count();
            if part.len() < text.len() {
                notes.push(format!("{name} was cut to {room} characters"));
            }
            whole.push_str(&open);
            whole.push_str(&part);
            whole.push_str("\n</resource>\n");
        }
        (whole, notes)
    }
}

/// The text in at most `room` characters; nothing if that is too little to be of use.
fn fit(text: &str, room: usize) -> Option<String> {
    const MARKER: &str = "\n...[cut]...\n";
    let total = text.chars().count();
    if total <= room {
        return Some(text.to_owned());
    }
    let kept = room.checked_sub(MARKER.len()).filter(|kept| *kept >= 100)?;
    let (head, tail) = (kept - kept / 3, kept / 3);
    let first = text.get(..offset(text, head))?;
    let last = text.get(offset(text, total - tail)..)?;
    Some(format!("{first}{MARKER}{last}"))
}

type Load = Arc<dyn Fn() -> BoxFuture<'static, Vec<Preloaded>> + Send + Sync>;

/// Texts that are loaded when an agent first runs, and kept.
#[derive(Clone)]
pub(crate) struct Part {
    load: Load,
    budget: Preload,
    text: Arc<OnceCell<(String, Vec<String>)>>,
}

impl Part {
    pub(crate) fn new<F, Fut>(budget: Preload, load: F) -> Self
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Vec<Preloaded>> + Send + 'static,
    {
        Self {
            load: Arc::new(move || Box::pin(load())),
            budget,
            text: Arc::new(OnceCell::new()),
        }
    }

    async fn get(&self) -> &(String, Vec<String>) {
        let load = || async { self.budget.format(&(self.load)().await) };
        self.text.get_or_init(load).await
    }
}

impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Part({:?})", self.budget)
    }
}

/// The texts of all parts, and what was left out or cut.
pub(crate) async fn load_all(parts: &[Part]) -> (String, Vec<String>) {
    let loaded = join_all(parts.iter().map(Part::get)).await;
    let texts: Vec<&str> = loaded.iter().map(|(text, _)| text.as_str()).collect();
    let notes = loaded.iter().flat_map(|(_, notes)| notes.iter().cloned());
    (texts.join("\n"), notes.collect())
}

/// Cuts nothing: where a part is used as it is.
pub(crate) const WHOLE: Preload = Preload::new(usize::MAX, usize::MAX);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a34_texts_stay_in_order_within_the_budget_and_what_is_missing_is_named() {
        let texts = [
            Preloaded::new("docs: a", "short"),
            Preloaded::missing("docs: b", "there is no such resource"),
            Preloaded::new("docs: c", "数".repeat(50_000)),
        ];
        let (whole, notes) = Preload::new(8_000, 8_000).format(&texts);
        assert!(whole.chars().count() <= 8_000);
        let (a, c) = (
            whole.find("docs: a").unwrap(),
            whole.find("docs: c").unwrap(),
        );
        assert!(a < c && whole.contains("...[cut]..."));
        assert_eq!(notes[0], "docs: b was left out: there is no such resource");
        assert!(notes[1].starts_with("docs: c was cut"), "{notes:?}");

        let (whole, notes) = Preload::new(8_000, 60).format(&texts);
        assert!(whole.contains("short") && !whole.contains("docs: c"));
        assert_eq!(notes.len(), 2);
    }
}
