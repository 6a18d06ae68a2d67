//! Paths kept below a folder by comparing canonical paths, before and after opening.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

#[cfg(not(target_os = "linux"))]
use super::{Entry, EntryKind, MAX_ENTRIES};

/// Opens what `inner` names below the folder `root`, which is canonical.
pub(super) fn open(root: &Path, inner: &Path) -> io::Result<File> {
    let path = inside(root, inner)?;
    let metadata = path.metadata()?;
    if !metadata.is_file() && !metadata.is_dir() {
        // Opening a pipe or a device can wait, or do something.
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "neither a file nor a folder",
        ));
    }
    let file = File::open(&path)?;
    // If a folder on the way was swapped for a link, the path leads elsewhere now.
    let again = inside(root, inner)?;
    if is_same(&file, &again)? {
        Ok(file)
    } else {
        Err(io::Error::new(
            io::ErrorKind::CrossesDevices,
            "the path changed meanwhile",
        ))
    }
}

/// The canonical path, if it is below the folder.
fn inside(root: &Path, inner: &Path) -> io::Result<PathBuf> {
    let path = root.join(inner).canonicalize()?;
    if path.starts_with(root) {
        Ok(path)
    } else {
        Err(io::Error::new(
            io::ErrorKind::CrossesDevices,
            "outside of the folder",
        ))
    }
}

#[cfg(unix)]
fn is_same(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let (a, b) = (file.metadata()?, path.metadata()?);
    Ok(a.dev() == b.dev() && a.ino() == b.ino())
}

#[cfg(not(unix))]
fn is_same(file: &File, path: &Path) -> io::Result<bool> {
    let (a, b) = (file.metadata()?, path.metadata()?);
    Ok(a.len() == b.len() && a.modified().ok() == b.modified().ok())
}

/// What stands in a folder below `root`.
#[cfg(not(target_os = "linux"))]
pub(super) fn list(root: &Path, inner: &Path) -> io::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for entry in inside(root, inner)?.read_dir()?.take(MAX_ENTRIES) {
        let entry = entry?;
        let (Ok(name), Ok(metadata)) = (entry.file_name().into_string(), entry.metadata()) else {
            continue;
        };
        let kind = match metadata.file_type() {
            t if t.is_file() => EntryKind::File,
            t if t.is_dir() => EntryKind::Folder,
            t if t.is_symlink() => EntryKind::Link,
            _ => EntryKind::Other,
        };
        let size = if kind == EntryKind::File {
            metadata.len()
        } else {
            0
        };
        entries.push(Entry { name, kind, size });
    }
    Ok(entries)
}
