//! Which files changed, by how many lines, and which functions the changes add.

use std::sync::Arc;

use serde::Serialize;

use super::bytes;
use super::compare::{Comparison, SAFE, Sides};
use super::error::GitError;
use super::functions;
use super::raw::{self, ByPath, RawChange};
use super::run::Git;
use super::untracked::Untracked;
use crate::root::Root;

/// The status of files that git does not know, beside those of `git diff`.
pub(super) const UNTRACKED: u8 = b'?';
/// The status of submodules that are at the commit which is wanted, with changes of their own.
const INSIDE: u8 = b'm';
/// The mode of a submodule.
const SUBMODULE: &[u8] = b"160000";
/// Files taken out of the index but not deleted whose lines are compared one by one.
const MAX_UNLISTED: usize = 50;

/// All changes, and a page of them in full.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Changes {
    pub(crate) comparing: String,
    pub(crate) total: usize,
    pub(crate) files: Vec<ChangedFile>,
}

/// A changed file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct ChangedFile {
    pub(crate) path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) old_path: Option<String>,
    pub(crate) state: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) added: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) removed: Option<u64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) binary: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) functions_added: Vec<String>,
    /// Why functions were not looked for, in a language where they could be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) functions_unknown: Option<&'static str>,
}

impl Git {
    /// Lists the changes of a comparison in the order of their paths; `limit` of them from
    /// `offset` on.
    ///
    /// # Errors
    /// When a revision names no commit, or git fails.
    pub(crate) async fn changes(
        &self,
        comparison: &Comparison,
        offset: usize,
        limit: usize,
    ) -> Result<Changes, GitError> {
        let sides = self.sides(comparison).await?;
        let root = Root::open(self.top()).map_err(|e| GitError::NoRepository {
            folder: self.top().display().to_string(),
            reason: e.to_string(),
        })?;
        let mut changes = self.raw_changes(&sides).await?;
        if sides.is_working_tree {
            changes = self.with_untracked(changes).await?;
        }
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        let total = changes.len();
        let page: Vec<RawChange> = changes.into_iter().skip(offset).take(limit).collect();
        let old: Vec<String> = page.iter().filter_map(functions::old_blob).collect();
        let mut wanted = old;
        if !sides.is_working_tree {
            wanted.extend(page.iter().filter_map(functions::new_blob));
        }
        let blobs = self
            .blobs(&wanted, functions::EACH, functions::TOTAL)
            .await?;
        let in_tree = sides.is_working_tree.then(|| Arc::new(root));
        let work = move || {
            let mut reader = functions::Reader::new(blobs, in_tree);
            page.iter()
                .map(|change| file(change, &mut reader))
                .collect()
        };
        let files = tokio::task::spawn_blocking(work).await;
        Ok(Changes {
            comparing: sides.description,
            total,
            files: files.map_err(std::io::Error::other)?,
        })
    }

    async fn raw_changes(&self, sides: &Sides) -> Result<Vec<RawChange>, GitError> {
        let mut arguments = vec!["diff"];
        arguments.extend(SAFE);
        arguments.extend(["--raw", "--numstat", "-z", "--no-abbrev"]);
        arguments.extend(sides.arguments.iter().map(String::as_str));
        arguments.push("--");
        raw::parse(&self.run(&arguments, b"").await?)
    }

    /// The changes with what `git diff` does not tell of a working tree.
    async fn with_untracked(&self, changes: Vec<RawChange>) -> Result<Vec<RawChange>, GitError> {
        let mut changes = ByPath::from(changes);
        self.add_untracked(&mut changes).await?;
        self.mark_conflicts(&mut changes).await?;
        for path in self.changed_submodules().await? {
            if changes.get(&path).is_none() {
                changes.push(RawChange {
                    path,
                    status: INSIDE,
                    new_mode: SUBMODULE.to_vec(),
                    ..RawChange::default()
                });
            }
        }
        // What is the same as before is no change, whatever the index says.
        changes.all.retain(|change| {
            !(change.status == b'M'
                && change.lines == Some((0, 0))
                && change.old_mode == change.new_mode)
        });
        Ok(changes.all)
    }

    /// Files that git does not know, and is not told to ignore.
    async fn add_untracked(&self, changes: &mut ByPath) -> Result<(), GitError> {
        let list = ["ls-files", "--others", "--exclude-standard", "-z"];
        let written = self.run(&list, b"").await?;
        let mut unlisted = 0;
        for path in written
            .split(|byte| *byte == 0)
            .filter(|path| !path.is_empty())
        {
            let Some(known) = changes.get(path) else {
                changes.push(RawChange {
                    path: path.to_vec(),
                    status: UNTRACKED,
                    ..RawChange::default()
                });
                continue;
            };
            // Taken out of the index, but still there: to the working tree it only changed.
            known.status = b'M';
            known.new_mode.clone_from(&known.old_mode);
            unlisted += 1;
            let compared = if unlisted <= MAX_UNLISTED {
                self.lines_since(&known.old_blob, path).await?
            } else {
                None
            };
            known.lines = compared;
        }
        Ok(())
    }

    /// Files with several versions to choose from, as a merge leaves them.
    async fn mark_conflicts(&self, changes: &mut ByPath) -> Result<(), GitError> {
        let written = self.run(&["ls-files", "--unmerged", "-z"], b"").await?;
        for record in written.split(|byte| *byte == 0) {
            let path = record.splitn(2, |byte| *byte == b'\t').nth(1);
            if let Some(change) = path.and_then(|path| changes.get(path)) {
                change.status = b'U';
            }
        }
        Ok(())
    }

    /// The lines added and removed between a blob and a file of the working tree.
    async fn lines_since(&self, blob: &str, path: &[u8]) -> Result<Option<(u64, u64)>, GitError> {
        use std::ffi::OsString;
        let mut arguments: Vec<OsString> = vec!["diff".into()];
        arguments.extend(SAFE.iter().map(OsString::from));
        arguments.extend(["--numstat".into(), "-z".into(), blob.into(), "--".into()]);
        arguments.push(bytes::path(path).into());
        let written = self.run(&arguments, b"").await?;
        let counts = written.split(|byte| *byte == b'\t').take(2);
        let counts: Vec<&str> = counts
            .filter_map(|part| std::str::from_utf8(part).ok())
            .collect();
        Ok(match counts.as_slice() {
            [added, removed] => added.parse().ok().zip(removed.parse().ok()),
            _ => Some((0, 0)),
        })
    }
}

fn file(change: &RawChange, reader: &mut functions::Reader) -> ChangedFile {
    let mut file = ChangedFile {
        path: bytes::text(&change.path),
        old_path: change.old_path.as_deref().map(bytes::text),
        state: state(change),
        added: change.lines.map(|(added, _)| added),
        removed: change.lines.map(|(_, removed)| removed),
        binary: change.is_binary,
        ..ChangedFile::default()
    };
    if change.status == UNTRACKED {
        match reader.untracked(&change.path) {
            Untracked::Text(lines) => {
                file.added = Some(lines);
                file.removed = Some(0);
            }
            Untracked::Binary => file.binary = true,
            Untracked::Repository => "new (a repository of its own)".clone_into(&mut file.state),
            Untracked::Unreadable => {}
        }
    }
    if !file.binary {
        match reader.added(change) {
            Ok(names) => file.functions_added = names,
            Err(reason) => file.functions_unknown = Some(reason),
        }
    }
    file
}

fn state(change: &RawChange) -> String {
    let state = match change.status {
        b'A' => "new",
        b'D' => "deleted",
        b'R' => "renamed",
        b'C' => "copied",
        b'T' => "changed in type",
        b'U' => "in conflict",
        UNTRACKED => "new (untracked)",
        INSIDE => "changed inside",
        _ if change.lines == Some((0, 0)) && change.old_mode != change.new_mode => {
            "changed in mode"
        }
        _ => "modified",
    };
    if change.new_mode == SUBMODULE || change.old_mode == SUBMODULE {
        format!("{state} (a submodule)")
    } else {
        state.to_owned()
    }
}
