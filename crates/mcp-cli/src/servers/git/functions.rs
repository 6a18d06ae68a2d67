//! The functions that a change adds, from what a file held before and holds now.

use std::collections::HashMap;
use std::sync::Arc;

use super::bytes;
use super::changes::UNTRACKED;
use super::raw::RawChange;
use super::untracked::{self, Untracked};
use crate::root::{Root, RootError};
use crate::source::{self, Language};

/// The largest file whose functions are looked for, in bytes.
pub(super) const EACH: usize = source::MAX_SOURCE;
/// All that is read for one list of changes, in bytes; once for each side.
pub(super) const TOTAL: usize = 32 * 1024 * 1024;
/// Text with longer lines on average was written by a program: its functions mean nothing.
const LINE: usize = 1000;

const TOO_LARGE: &str = "the file is too large";
const TOO_MUCH: &str = "the changes are too large together";

/// Reads both sides of a change.
#[derive(Debug)]
pub(super) struct Reader {
    blobs: HashMap<String, Vec<u8>>,
    /// The working tree, where that is the newer side.
    tree: Option<Arc<Root>>,
    left: usize,
}

impl Reader {
    pub(super) const fn new(blobs: HashMap<String, Vec<u8>>, tree: Option<Arc<Root>>) -> Self {
        Self {
            blobs,
            tree,
            left: TOTAL,
        }
    }

    /// What an untracked path is.
    pub(super) fn untracked(&self, path: &[u8]) -> Untracked {
        let tree = self.tree.as_deref();
        tree.map_or(Untracked::Unreadable, |root| untracked::look(root, path))
    }

    /// The functions that a change adds; none where the language is not one of those known.
    ///
    /// # Errors
    /// Why they were not looked for.
    pub(super) fn added(&mut self, change: &RawChange) -> Result<Vec<String>, &'static str> {
        if !holds_functions(change) {
            return Ok(Vec::new());
        }
        let new = match &self.tree {
            Some(root) => {
                let path = bytes::path(&change.path);
                let is_link = root
                    .path()
                    .join(&path)
                    .symlink_metadata()
                    .is_ok_and(|m| m.is_symlink());
                match root.bytes(&path, EACH as u64) {
                    _ if is_link => return Ok(Vec::new()),
                    Ok(content) => content,
                    Err(RootError::TooLarge { .. }) => return Err(TOO_LARGE),
                    Err(RootError::NotAFile { .. }) => return Ok(Vec::new()),
                    Err(_) => return Err("the file cannot be read"),
                }
            }
            None => self.blob(&change.new_blob)?,
        };
        self.left = self.left.checked_sub(new.len()).ok_or(TOO_MUCH)?;
        let old = match old_blob(change) {
            Some(hash) => self.blob(&hash)?,
            None => Vec::new(),
        };
        let (old, new) = (bytes::text(&old), bytes::text(&new));
        if new.len() > 10_000 && new.len() / new.lines().count().max(1) > LINE {
            return Err("its lines are too long for source that people write");
        }
        let language = language(change, &new);
        if !language.has_functions() {
            return Ok(Vec::new());
        }
        Ok(source::added_functions(language, &old, &new))
    }

    fn blob(&self, hash: &str) -> Result<Vec<u8>, &'static str> {
        self.blobs.get(hash).cloned().ok_or(TOO_LARGE)
    }
}

fn language(change: &RawChange, content: &str) -> Language {
    let first = content.lines().next().unwrap_or_default();
    Language::of(&bytes::text(&change.path), first)
}

/// Whether the newer side is a plain file that can hold functions, as far as the name tells.
fn holds_functions(change: &RawChange) -> bool {
    let is_file = change.status == UNTRACKED || change.new_mode.starts_with(b"100");
    let name = bytes::text(&change.path);
    // A script without an extension shows its language in its first line only.
    let shebang = Language::of(&name, "#!python") == Language::Python;
    is_file
        && change.status != b'D'
        && !name.ends_with('/')
        && (shebang || Language::of(&name, "").has_functions())
}

/// The older side's blob, where there is one and it matters.
pub(super) fn old_blob(change: &RawChange) -> Option<String> {
    let is_file = change.old_mode.starts_with(b"100");
    (is_file && holds_functions(change) && !is_zero(&change.old_blob))
        .then(|| change.old_blob.clone())
}

/// The newer side's blob, where there is one and it matters.
pub(super) fn new_blob(change: &RawChange) -> Option<String> {
    (holds_functions(change) && !is_zero(&change.new_blob)).then(|| change.new_blob.clone())
}

fn is_zero(hash: &str) -> bool {
    hash.bytes().all(|byte| byte == b'0')
}
