//! Paths that the kernel keeps below a folder.

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, ResolveFlags, openat2, statat};
use rustix::io::Errno;

use super::{Entry, EntryKind, MAX_ENTRIES};

/// How often a path is tried again that somebody moves while it is resolved.
const TRIES: usize = 8;

/// Opens what `inner` names below the folder. `None` where the kernel knows no `openat2`.
pub(super) fn open(root: &File, root_path: &Path, inner: &Path) -> Option<io::Result<File>> {
    match beneath(root, inner) {
        Err(Errno::NOSYS | Errno::PERM) => None,
        // A symbolic link with an absolute target leads out, unless the target is inside after
        // all: then its own path is resolved, below the folder again.
        Err(Errno::XDEV) => {
            let target = root_path.join(inner).canonicalize();
            let target = target.ok().and_then(|path| {
                let inner = path.strip_prefix(root_path).ok()?;
                beneath(root, inner).ok()
            });
            Some(target.ok_or_else(|| Errno::XDEV.into()))
        }
        other => Some(other.map_err(io::Error::from)),
    }
}

fn beneath(root: &File, inner: &Path) -> Result<File, Errno> {
    let inner = if inner.as_os_str().is_empty() {
        Path::new(".")
    } else {
        inner
    };
    // Without NONBLOCK, opening a named pipe would wait for a writer.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    let mut tries = 0;
    loop {
        match openat2(root, inner, flags, Mode::empty(), resolve) {
            Err(Errno::AGAIN | Errno::INTR) if tries < TRIES => tries += 1,
            other => return other.map(File::from),
        }
    }
}

/// What stands in an open folder.
pub(super) fn list(folder: &File) -> io::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for entry in Dir::read_from(folder)?.take(MAX_ENTRIES) {
        let entry = entry?;
        let Ok(name) = entry.file_name().to_str() else {
            continue;
        };
        if matches!(name, "." | "..") {
            continue;
        }
        let Ok(stat) = statat(folder, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW) else {
            continue; // gone meanwhile
        };
        let kind = match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => EntryKind::File,
            FileType::Directory => EntryKind::Folder,
            FileType::Symlink => EntryKind::Link,
            _ => EntryKind::Other,
        };
        let size = match kind {
            EntryKind::File => u64::try_from(stat.st_size).unwrap_or_default(),
            EntryKind::Folder | EntryKind::Link | EntryKind::Other => 0,
        };
        entries.push(Entry {
            name: name.to_owned(),
            kind,
            size,
        });
    }
    Ok(entries)
}
