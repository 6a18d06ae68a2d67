//! The state of the working tree, as `git status` tells it.

use serde::Serialize;

use super::bytes;
use super::error::GitError;
use super::run::Git;

/// The state of the working tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Status {
    /// `None` when no branch is checked out.
    pub(crate) branch: Option<String>,
    /// `None` before the first commit.
    pub(crate) commit: Option<String>,
    pub(crate) upstream: Option<String>,
    pub(crate) files: Vec<FileStatus>,
}

/// A file that differs from the last commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct FileStatus {
    pub(crate) path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) old_path: Option<String>,
    /// What is staged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) staged: Option<&'static str>,
    /// What is not staged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unstaged: Option<&'static str>,
}

impl Git {
    /// The state of the working tree.
    ///
    /// # Errors
    /// When git fails.
    pub(crate) async fn status(&self) -> Result<Status, GitError> {
        let arguments = [
            "status",
            "--porcelain=v2",
            "-z",
            "--branch",
            "--untracked-files=all",
            "--ignore-submodules=dirty",
            "--find-renames",
        ];
        let mut status = parse(&self.run(&arguments, b"").await?)?;
        for path in self.changed_submodules().await? {
            status.add_changed_inside(bytes::text(&path));
        }
        Ok(status)
    }
}

impl Status {
    /// Notes that the working tree of a submodule has changed, if nothing else is said of it.
    fn add_changed_inside(&mut self, path: String) {
        const INSIDE: &str = "changed inside (a submodule)";
        if let Some(file) = self.files.iter_mut().find(|file| file.path == path) {
            file.unstaged.get_or_insert(INSIDE);
        } else {
            self.files.push(FileStatus {
                path,
                old_path: None,
                staged: None,
                unstaged: Some(INSIDE),
            });
        }
    }
}

fn parse(written: &[u8]) -> Result<Status, GitError> {
    let mut status = Status::default();
    let mut records = written.split(|byte| *byte == 0).map(bytes::text);
    while let Some(record) = records.next() {
        let Some((kind, rest)) = record.split_once(' ') else {
            continue;
        };
        match kind {
            "#" => header(&mut status, rest),
            "?" => status.files.push(FileStatus {
                path: rest.to_owned(),
                old_path: None,
                staged: None,
                unstaged: Some("untracked"),
            }),
            // The fields before the path: 7 of a change, 8 of a rename, 9 of a conflict.
            "1" => status.files.push(file(rest, 7, None)?),
            "2" => {
                let old = records.next();
                status.files.push(file(rest, 8, old)?);
            }
            "u" => {
                let mut conflict = file(rest, 9, None)?;
                (conflict.staged, conflict.unstaged) = (None, Some("in conflict"));
                status.files.push(conflict);
            }
            _ => {}
        }
    }
    Ok(status)
}

fn header(status: &mut Status, line: &str) {
    let Some((name, value)) = line.split_once(' ') else {
        return;
    };
    let value = value.to_owned();
    match name {
        "branch.head" if value != "(detached)" => status.branch = Some(value),
        "branch.oid" if value != "(initial)" => status.commit = Some(value),
        "branch.upstream" => status.upstream = Some(value),
        _ => {}
    }
}

/// `XY N... mH mI mW hH hI path`
fn file(record: &str, fields: usize, old_path: Option<String>) -> Result<FileStatus, GitError> {
    let bad = || GitError::Answer("a status record of an unknown form");
    let path = record.splitn(fields + 1, ' ').nth(fields).ok_or_else(bad)?;
    let mut letters = record.chars();
    let mut next = || letters.next().map(word).ok_or_else(bad);
    Ok(FileStatus {
        path: path.to_owned(),
        old_path,
        staged: next()?,
        unstaged: next()?,
    })
}

const fn word(letter: char) -> Option<&'static str> {
    Some(match letter {
        'M' => "modified",
        'T' => "changed in type",
        'A' => "new",
        'D' => "deleted",
        'R' => "renamed",
        'C' => "copied",
        'U' => "in conflict",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read() {
        let written = b"# branch.oid abc\0# branch.head main\0# branch.upstream o/main\0\
            1 .M N... 100644 100644 100644 aa bb a b.txt\0\
            2 R. N... 100644 100644 100644 aa bb R100 new\0old\0\
            u UU N... 1 2 3 4 aa bb cc both\0? x y\0";
        let status = parse(written).unwrap();
        assert_eq!(status.branch.as_deref(), Some("main"));
        let shown: Vec<_> = status
            .files
            .iter()
            .map(|f| (f.path.as_str(), f.old_path.as_deref(), f.staged, f.unstaged))
            .collect();
        assert_eq!(
            shown,
            [
                ("a b.txt", None, None, Some("modified")),
                ("new", Some("old"), Some("renamed"), None),
                ("both", None, None, Some("in conflict")),
                ("x y", None, None, Some("untracked")),
            ]
        );
    }
}
