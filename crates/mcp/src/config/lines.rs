//! On which line of a file something stands.

use std::cell::OnceCell;
use std::ops::Range;

use indexmap::IndexMap;
use serde_json::value::RawValue;

/// Where the members of an object stand in the text. Something else has none.
type Members = IndexMap<String, Range<usize>>;

/// A JSON text that is known to be right, as far as it was looked into.
#[derive(Debug)]
pub(super) struct Lines<'t> {
    text: &'t str,
    root: OnceCell<Members>,
    servers: OnceCell<Members>,
}

impl<'t> Lines<'t> {
    pub(super) const fn of(text: &'t str) -> Self {
        Self {
            text,
            root: OnceCell::new(),
            servers: OnceCell::new(),
        }
    }

    /// The line of a value: of a member of the file or of a server, or of a part of it, as
    /// `args[2]` and `env.TOKEN` name it. Of a member that is not there it is that of the server.
    pub(super) fn line(&self, server: Option<&str>, key: Option<&str>) -> Option<usize> {
        let found = match server {
            None => self.part(self.root(), key?),
            Some(name) => {
                let server = self.servers().get(name)?;
                let inner = key.and_then(|key| self.part(&self.members(server), key));
                inner.or_else(|| Some(server.clone()))
            }
        };
        let before = self.text.get(..found?.start)?;
        Some(before.matches('\n').count() + 1)
    }

    fn root(&self) -> &Members {
        self.root
            .get_or_init(|| self.members(&(0..self.text.len())))
    }

    fn servers(&self) -> &Members {
        self.servers.get_or_init(|| {
            let root = self.root();
            let servers = root.get("mcpServers").or_else(|| root.get("servers"));
            servers.map(|at| self.members(at)).unwrap_or_default()
        })
    }

    /// A member by its name, or what `name.inner` and `name[n]` name.
    fn part(&self, members: &Members, key: &str) -> Option<Range<usize>> {
        if let Some(member) = members.get(key) {
            return Some(member.clone());
        }
        let (name, inner) = key.split_at(key.find(['.', '['])?);
        let member = members.get(name)?;
        let found = match inner.strip_prefix('.') {
            Some(inner) => self.members(member).swap_remove(inner),
            None => self.item(member, inner),
        };
        found.or_else(|| Some(member.clone()))
    }

    /// The item of a list that `[n]` names.
    fn item(&self, list: &Range<usize>, index: &str) -> Option<Range<usize>> {
        let index: usize = index.strip_prefix('[')?.strip_suffix(']')?.parse().ok()?;
        let list = self.text.get(list.clone())?;
        let items: Vec<&RawValue> = serde_json::from_str(list).ok()?;
        self.range(items.get(index)?)
    }

    fn members(&self, object: &Range<usize>) -> Members {
        let object = self.text.get(object.clone()).unwrap_or_default();
        let members: IndexMap<String, &RawValue> = serde_json::from_str(object).unwrap_or_default();
        let ranges = members.into_iter();
        ranges
            .filter_map(|(name, value)| Some((name, self.range(value)?)))
            .collect()
    }

    /// Where a piece of the text stands in it.
    fn range(&self, value: &RawValue) -> Option<Range<usize>> {
        let (whole, value) = (self.text.as_ptr() as usize, value.get());
        let start = (value.as_ptr() as usize).checked_sub(whole)?;
        Some(start..start + value.len())
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;

    #[test]
    fn a_value_stands_on_the_line_on_which_it_begins() {
        let text = "{\n\"inputs\": [\n1],\n\"mcpServers\": {\n\"a\": {\n\"args\": [1,\n2],\n\
                    \"env\": {\"x\": 1,\n\"y.z\":\n2},\n\"b.c\": 1}}}";
        let lines = Lines::of(text);
        for (server, key, line) in [
            (None, Some("inputs"), Some(2)),
            (None, Some("inputs[0]"), Some(3)),
            (None, Some("nothing"), None),
            (None, None, None),
            (Some("a"), None, Some(5)),
            (Some("a"), Some("nothing"), Some(5)),
            (Some("a"), Some("args"), Some(6)),
            (Some("a"), Some("args[1]"), Some(7)),
            (Some("a"), Some("args[9]"), Some(6)),
            (Some("a"), Some("env.x"), Some(8)),
            (Some("a"), Some("env.y.z"), Some(10)),
            (Some("a"), Some("b.c"), Some(11)),
            (Some("b"), None, None),
        ] {
            assert_eq!(lines.line(server, key), line, "{server:?} {key:?}");
        }
    }
}
