//! All files below a folder, those that `.gitignore` hides aside.

use std::cell::Cell;
use std::path::Path;

use super::ignore::Ignore;
use super::{EntryKind, Root};

/// Folders nested deeper than this are not entered.
const MAX_DEPTH: usize = 64;
/// The longest `.gitignore` that is read, in bytes.
const MAX_IGNORE: u64 = 256 * 1024;
/// What all rules may cost in one walk, in comparisons of a byte with a piece of a pattern: seconds.
const EFFORT: u64 = 2_000_000_000;

/// Files in the order of their paths, folder by folder. Symbolic links are not followed, hidden
/// folders of version control are not entered, unreadable folders are passed over.
#[derive(Debug)]
pub(crate) struct Walk<'r> {
    root: &'r Root,
    /// What is still to be visited, last first.
    stack: Vec<Found>,
    /// The rules that are in force, with the path of their folder.
    rules: Vec<(String, Ignore)>,
    /// Entries that may still be looked at.
    left: usize,
    /// What the rules may still cost.
    effort: Cell<u64>,
}

/// A file or folder with its path relative to the root, in `/` notation.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) path: String,
    pub(crate) size: u64,
    is_folder: bool,
}

impl<'r> Walk<'r> {
    /// Walks what is below `start`, or `start` alone if it is a file, looking at no more than
    /// `limit` entries.
    pub(crate) fn new(root: &'r Root, start: &str, limit: usize) -> Self {
        let start = start.trim_matches('/').trim_start_matches("./");
        let path = if start == "." { "" } else { start }.to_owned();
        let mut walk = Self {
            root,
            stack: Vec::new(),
            rules: Vec::new(),
            left: limit,
            effort: Cell::new(EFFORT),
        };
        // The rules of the folders above `start` hold below it, too.
        let mut above = String::new();
        for part in path.split('/').filter(|part| !part.is_empty()) {
            walk.read_rules(&above);
            above = join(&above, part);
        }
        let file = root.file(Path::new(&path));
        walk.stack.push(Found {
            path,
            size: file.as_ref().map_or(0, |(_, metadata)| metadata.len()),
            is_folder: file.is_err(),
        });
        walk
    }

    /// Whether the walk ended at its limit rather than at the last file.
    pub(crate) fn is_cut(&self) -> bool {
        self.left == 0
    }

    fn read_rules(&mut self, folder: &str) {
        let path = join(folder, ".gitignore");
        if let Ok(text) = self.root.text(Path::new(&path), MAX_IGNORE) {
            self.rules.push((folder.to_owned(), Ignore::parse(&text)));
        }
    }

    /// The last rule that speaks of a path decides, the deepest file first.
    fn is_hidden(&self, path: &str, is_folder: bool) -> bool {
        let verdict = self.rules.iter().rev().find_map(|(folder, rules)| {
            let inner = match folder.as_str() {
                "" => path,
                folder => path.strip_prefix(folder)?.strip_prefix('/')?,
            };
            rules.hides(inner, is_folder, &self.effort)
        });
        verdict.unwrap_or(false)
    }

    fn enter(&mut self, folder: &str) {
        let covers = |rules: &String| {
            rules.is_empty()
                || folder == rules
                || folder
                    .strip_prefix(rules.as_str())
                    .is_some_and(|rest| rest.starts_with('/'))
        };
        self.rules.retain(|(rules, _)| covers(rules));
        if !self.rules.iter().any(|(rules, _)| rules == folder) {
            self.read_rules(folder);
        }
        let depth = folder.split('/').count();
        let entries = self
            .root
            .entries(Path::new(if folder.is_empty() { "." } else { folder }));
        for entry in entries.unwrap_or_default().into_iter().rev() {
            if self.left == 0 {
                return;
            }
            self.left -= 1;
            if self.effort.get() == 0 {
                self.left = 0;
                self.stack.clear();
                return;
            }
            let is_folder = entry.kind == EntryKind::Folder;
            let skipped = matches!(entry.name.as_str(), ".git" | ".hg" | ".svn" | ".jj");
            if skipped || !(is_folder || entry.kind == EntryKind::File) {
                continue;
            }
            let path = join(folder, &entry.name);
            if (is_folder && depth >= MAX_DEPTH) || self.is_hidden(&path, is_folder) {
                continue;
            }
            self.stack.push(Found {
                path,
                size: entry.size,
                is_folder,
            });
        }
    }
}

impl Iterator for Walk<'_> {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        loop {
            let found = self.stack.pop()?;
            if !found.is_folder {
                return Some(found);
            }
            self.enter(&found.path);
        }
    }
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_walk_ends_where_its_rules_cost_too_much() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(".gitignore"), "*a*a*b").unwrap();
        for n in 0..100 {
            fs::write(dir.path().join(format!("{n:03}aaaa")), "").unwrap();
        }
        let root = Root::open(dir.path()).unwrap();
        assert_eq!(Walk::new(&root, "", 1000).count(), 101);
        let mut walk = Walk::new(&root, "", 1000);
        walk.effort.set(1000);
        assert_eq!(walk.by_ref().count(), 0);
        assert!(walk.is_cut());
    }
}
