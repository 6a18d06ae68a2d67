//! A folder that nothing leads out of.
//!
//! On Linux the kernel resolves every path below the folder's handle (`openat2` with
//! `RESOLVE_BENEATH`), so that no symbolic link and no `..` leads out, also if somebody swaps
//! folders at that moment. Elsewhere, and where the kernel refuses, paths are made canonical,
//! compared, opened, and compared again.

mod ignore;
#[cfg(target_os = "linux")]
mod linux;
mod portable;
#[cfg(test)]
mod tests;
mod walk;

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

pub(crate) use walk::Walk;

/// The most entries of one folder that are looked at.
const MAX_ENTRIES: usize = 100_000;

/// A folder with everything in it, and nothing else.
#[derive(Debug)]
pub(crate) struct Root {
    path: PathBuf,
    #[cfg(target_os = "linux")]
    handle: File,
}

/// What stands in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) kind: EntryKind,
    /// In bytes; 0 for anything but files.
    pub(crate) size: u64,
}

/// What kind of entry it is. Symbolic links are not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryKind {
    File,
    Folder,
    Link,
    Other,
}

/// Why something was not read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RootError {
    #[error("{path} is outside of the folder that is served")]
    Outside { path: String },
    #[error("{path} does not exist")]
    Missing { path: String },
    #[error("{path} is not a file")]
    NotAFile { path: String },
    #[error("{path} is not a folder")]
    NotAFolder { path: String },
    #[error("{path} is too large: {size} bytes, at most {limit} are read")]
    TooLarge { path: String, size: u64, limit: u64 },
    #[error("{path} is no text: it has bytes that are not UTF-8")]
    NotText { path: String },
    #[error("{path} cannot be read: {source}")]
    Io { path: String, source: io::Error },
}

impl RootError {
    fn of(path: &Path, source: io::Error) -> Self {
        let path = path.display().to_string();
        match source.kind() {
            io::ErrorKind::NotFound => Self::Missing { path },
            io::ErrorKind::NotADirectory => Self::NotAFolder { path },
            io::ErrorKind::CrossesDevices => Self::Outside { path },
            _ => Self::Io { path, source },
        }
    }
}

impl Root {
    /// Opens a folder.
    ///
    /// # Errors
    /// When it does not exist or is no folder.
    pub(crate) fn open(folder: &Path) -> Result<Self, RootError> {
        let path = folder
            .canonicalize()
            .map_err(|e| RootError::of(folder, e))?;
        let handle = File::open(&path).map_err(|e| RootError::of(folder, e))?;
        let metadata = handle.metadata().map_err(|e| RootError::of(folder, e))?;
        if !metadata.is_dir() {
            let path = folder.display().to_string();
            return Err(RootError::NotAFolder { path });
        }
        Ok(Self {
            path,
            #[cfg(target_os = "linux")]
            handle,
        })
    }

    /// The folder's own path, without symbolic links.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a regular file. It never waits for the other end of a pipe.
    ///
    /// # Errors
    /// When the path leads out of the folder, to nothing, or to something that is no file.
    pub(crate) fn file(&self, path: &Path) -> Result<(File, Metadata), RootError> {
        let inner = self.inner(path)?;
        let file = self.resolve(&inner).map_err(|e| RootError::of(path, e))?;
        let metadata = file.metadata().map_err(|e| RootError::of(path, e))?;
        if metadata.is_file() {
            Ok((file, metadata))
        } else {
            let path = path.display().to_string();
            Err(RootError::NotAFile { path })
        }
    }

    /// Reads a file's bytes.
    ///
    /// # Errors
    /// As [`file`](Self::file), and when it is longer than `limit`.
    pub(crate) fn bytes(&self, path: &Path, limit: u64) -> Result<Vec<u8>, RootError> {
        let (file, metadata) = self.file(path)?;
        let too_large = |size| RootError::TooLarge {
            path: path.display().to_string(),
            size,
            limit,
        };
        if metadata.len() > limit {
            return Err(too_large(metadata.len()));
        }
        let mut bytes = Vec::new();
        file.take(limit + 1)
            .read_to_end(&mut bytes)
            .map_err(|e| RootError::of(path, e))?;
        if bytes.len() as u64 > limit {
            return Err(too_large(bytes.len() as u64));
        }
        Ok(bytes)
    }

    /// Reads a text file; a byte order mark is dropped.
    ///
    /// # Errors
    /// As [`bytes`](Self::bytes), and when it is not UTF-8.
    pub(crate) fn text(&self, path: &Path, limit: u64) -> Result<String, RootError> {
        let text = String::from_utf8(self.bytes(path, limit)?).map_err(|_| RootError::NotText {
            path: path.display().to_string(),
        })?;
        Ok(text
            .strip_prefix('\u{feff}')
            .map(str::to_owned)
            .unwrap_or(text))
    }

    /// What stands in a folder, by name; at most 100,000 entries. Names that are not UTF-8 are left
    /// out.
    ///
    /// # Errors
    /// When the path leads out of the folder, to nothing, or to something that is no folder.
    pub(crate) fn entries(&self, path: &Path) -> Result<Vec<Entry>, RootError> {
        let inner = self.inner(path)?;
        let listed = self.list(&inner);
        let mut entries = listed.map_err(|e| RootError::of(path, e))?;
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    /// The path of something in the folder, relative to it, in `/` notation and without `..`.
    ///
    /// # Errors
    /// When the path leads out of the folder.
    pub(crate) fn relative(&self, path: &Path) -> Result<String, RootError> {
        let mut parts = Vec::new();
        for component in self.inner(path)?.components() {
            match component {
                Component::Normal(part) => parts.push(part.to_string_lossy().into_owned()),
                Component::ParentDir => {
                    parts.pop();
                }
                Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
            }
        }
        Ok(parts.join("/"))
    }

    /// A path relative to the folder. Absolute paths may name the folder or what is below it.
    fn inner(&self, path: &Path) -> Result<PathBuf, RootError> {
        let outside = || RootError::Outside {
            path: path.display().to_string(),
        };
        let relative = if path.is_absolute() {
            path.strip_prefix(&self.path).map_err(|_| outside())?
        } else {
            path
        };
        let mut depth = 0_usize;
        let mut inner = PathBuf::new();
        for component in relative.components() {
            match component {
                Component::CurDir => continue,
                Component::Normal(_) => depth += 1,
                Component::ParentDir => depth = depth.checked_sub(1).ok_or_else(outside)?,
                Component::RootDir | Component::Prefix(_) => return Err(outside()),
            }
            inner.push(component);
        }
        if inner.as_os_str().is_empty() {
            inner.push(".");
        }
        Ok(inner)
    }

    #[cfg(target_os = "linux")]
    fn resolve(&self, inner: &Path) -> io::Result<File> {
        match linux::open(&self.handle, &self.path, inner) {
            Some(result) => result,
            None => portable::open(&self.path, inner),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn resolve(&self, inner: &Path) -> io::Result<File> {
        portable::open(&self.path, inner)
    }

    #[cfg(target_os = "linux")]
    fn list(&self, inner: &Path) -> io::Result<Vec<Entry>> {
        linux::list(&self.resolve(inner)?)
    }

    #[cfg(not(target_os = "linux"))]
    fn list(&self, inner: &Path) -> io::Result<Vec<Entry>> {
        portable::list(&self.path, inner)
    }
}
