//! Reads what `git diff --raw --numstat -z` writes.

use std::collections::HashMap;

use super::error::GitError;

/// A changed file as git reports it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RawChange {
    pub(super) path: Vec<u8>,
    /// The path before a rename or copy.
    pub(super) old_path: Option<Vec<u8>>,
    /// `M`, `A`, `D`, `R`, `C`, `T` or `U`.
    pub(super) status: u8,
    pub(super) old_mode: Vec<u8>,
    pub(super) new_mode: Vec<u8>,
    pub(super) old_blob: String,
    pub(super) new_blob: String,
    /// Lines added and removed; `None` for binary files.
    pub(super) lines: Option<(u64, u64)>,
    pub(super) is_binary: bool,
}

/// Reads the records of both formats and joins them by path.
///
/// # Errors
/// When the output is not of that form.
pub(super) fn parse(written: &[u8]) -> Result<Vec<RawChange>, GitError> {
    let mut changes = ByPath::default();
    let mut fields = written.split(|byte| *byte == 0);
    while let Some(field) = fields.next() {
        if field.is_empty() {
            continue;
        }
        let mut next = || {
            let field = fields.next().map(<[u8]>::to_vec);
            field.ok_or(GitError::Answer("a diff record without a path"))
        };
        if let Some(head) = field.strip_prefix(b":") {
            let mut change = raw_head(head)?;
            let first = next()?;
            if matches!(change.status, b'R' | b'C') {
                change.old_path = Some(first);
                change.path = next()?;
            } else {
                change.path = first;
            }
            changes.add(change);
            continue;
        }
        let (lines, path) = numstat(field)?;
        let path = if path.is_empty() {
            next()?;
            next()?
        } else {
            path
        };
        if let Some(change) = changes.get(&path) {
            change.is_binary = lines.is_none();
            change.lines = lines;
        }
    }
    Ok(changes.all)
}

/// Changes that are found by their paths, for there may be many.
#[derive(Debug, Default)]
pub(super) struct ByPath {
    pub(super) all: Vec<RawChange>,
    places: HashMap<Vec<u8>, usize>,
}

impl From<Vec<RawChange>> for ByPath {
    fn from(all: Vec<RawChange>) -> Self {
        let places = all.iter().enumerate();
        let places = places.map(|(at, change)| (change.path.clone(), at));
        Self {
            places: places.collect(),
            all,
        }
    }
}

impl ByPath {
    /// The change of a path.
    pub(super) fn get(&mut self, path: &[u8]) -> Option<&mut RawChange> {
        let at = self.places.get(path).copied()?;
        self.all.get_mut(at)
    }

    /// One more change, of a path that has none yet.
    pub(super) fn push(&mut self, change: RawChange) {
        self.places.insert(change.path.clone(), self.all.len());
        self.all.push(change);
    }

    /// A conflicted file is reported twice; it counts once, with the contents of the one record
    /// and the state of the other.
    fn add(&mut self, change: RawChange) {
        match self.get(&change.path) {
            Some(other) if other.status == b'U' => {
                *other = RawChange {
                    status: b'U',
                    ..change
                };
            }
            Some(other) if change.status == b'U' => other.status = b'U',
            Some(_) => {}
            None => self.push(change),
        }
    }
}

/// `100644 100644 <hash> <hash> M`
fn raw_head(head: &[u8]) -> Result<RawChange, GitError> {
    let bad = || GitError::Answer("a diff record of an unknown form");
    let mut parts = head.split(|byte| *byte == b' ');
    let mut part = || parts.next().map(<[u8]>::to_vec).ok_or_else(bad);
    let (old_mode, new_mode) = (part()?, part()?);
    let (old_blob, new_blob) = (super::bytes::text(&part()?), super::bytes::text(&part()?));
    let status = part()?.first().copied().ok_or_else(bad)?;
    Ok(RawChange {
        status,
        old_mode,
        new_mode,
        old_blob,
        new_blob,
        ..RawChange::default()
    })
}

type Lines = Option<(u64, u64)>;

/// `3<TAB>1<TAB>path`, or dashes for binary files; the path is empty for renames.
fn numstat(field: &[u8]) -> Result<(Lines, Vec<u8>), GitError> {
    let bad = || GitError::Answer("a line count of an unknown form");
    let mut parts = field.splitn(3, |byte| *byte == b'\t');
    let mut part = || parts.next().ok_or_else(bad);
    let (added, removed, path) = (part()?, part()?, part()?);
    if added == b"-" {
        return Ok((None, path.to_vec()));
    }
    let number = |bytes| std::str::from_utf8(bytes).ok()?.parse().ok();
    let lines = number(added).zip(number(removed)).ok_or_else(bad)?;
    Ok((Some(lines), path.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_formats_are_joined() {
        // A bar stands for the zero byte.
        let written = ":100644 100644 aa bb M|a b\n|:100644 000000 cc 00 D|d|\
            :100644 100644 ee ff R090|old|new|:000000 000000 00 00 U|u|\
            :100644 100644 11 00 M|u|:000000 100644 00 22 A|bin|\
            3\t1\ta b\n|0\t2\td|1\t0\t|old|new|4\t4\tu|-\t-\tbin|";
        let changes = parse(written.replace('|', "\0").as_bytes()).unwrap();
        let shown: Vec<_> = changes
            .iter()
            .map(|c| (c.path.as_slice(), c.status, c.lines, c.is_binary))
            .collect();
        let want: &[(&[u8], u8, Lines, bool)] = &[
            (b"a b\n", b'M', Some((3, 1)), false),
            (b"d", b'D', Some((0, 2)), false),
            (b"new", b'R', Some((1, 0)), false),
            (b"u", b'U', Some((4, 4)), false),
            (b"bin", b'A', None, true),
        ];
        assert_eq!(shown, want);
        assert_eq!(changes[2].old_path.as_deref(), Some(b"old".as_slice()));
        assert_eq!(changes[3].old_blob, "11");
        for bad in [
            ":x|p|",
            "1\t2|",
            ":1 2 3 4|p|",
            "x\ty\tz|",
            ":1 2 3 4 M|",
            ":1 2 3 4 R1|a|",
        ] {
            let result = parse(bad.trim_end_matches('|').replace('|', "\0").as_bytes());
            assert!(matches!(result, Err(GitError::Answer(_))), "{bad}");
        }
    }
}
