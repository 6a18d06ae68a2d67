//! Files that git does not know: how many lines they have.

use std::io::Read as _;
use std::path::Path;

use super::bytes;
use crate::root::{Root, RootError};

/// Lines beyond this many bytes are not counted.
const MAX_COUNTED: u64 = 1024 * 1024 * 1024;

/// What an untracked path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Untracked {
    /// Text of so many lines.
    Text(u64),
    Binary,
    /// A folder that is a repository of its own.
    Repository,
    Unreadable,
}

/// Looks at a path that git named.
pub(super) fn look(root: &Root, path: &[u8]) -> Untracked {
    if path.ends_with(b"/") {
        return Untracked::Repository;
    }
    let path = bytes::path(path);
    let is_link = root
        .path()
        .join(&path)
        .symlink_metadata()
        .is_ok_and(|m| m.is_symlink());
    if is_link {
        return Untracked::Text(1); // git keeps a link as a text of one line
    }
    match count(root, &path) {
        Ok(found) => found,
        Err(_) => Untracked::Unreadable,
    }
}

fn count(root: &Root, path: &Path) -> Result<Untracked, RootError> {
    let (file, _) = root.file(path)?;
    let broken = |source| RootError::Io {
        path: path.display().to_string(),
        source,
    };
    let mut file = file.take(MAX_COUNTED);
    let mut buffer = vec![0; 64 * 1024];
    let (mut lines, mut at_start, mut open) = (0, true, false);
    loop {
        let n = file.read(&mut buffer).map_err(broken)?;
        let Some(chunk) = buffer.get(..n).filter(|chunk| !chunk.is_empty()) else {
            return Ok(Untracked::Text(lines + u64::from(open)));
        };
        if at_start && bytes::is_binary(chunk) {
            return Ok(Untracked::Binary);
        }
        at_start = false;
        lines += chunk.iter().filter(|byte| **byte == b'\n').count() as u64;
        open = chunk.last() != Some(&b'\n');
    }
}
