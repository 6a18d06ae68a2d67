//! Where a program is, found the way the child would find it.
//!
//! Done here and not by the operating system for three reasons: the error can say what was
//! looked for, Windows finds `npx.cmd` for `npx` without a shell, and the current folder is
//! searched only where `PATH` says so.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::environment::{self, Environment};
use crate::SpawnError;

/// Where to look.
pub(super) struct Search {
    path: OsString,
    /// With their dot; one empty extension where names are complete.
    extensions: Vec<OsString>,
    /// What relative folders and paths are relative to.
    base: PathBuf,
}

impl Search {
    pub(super) fn new(env: &Environment, cwd: Option<&Path>) -> Self {
        let value = |name| environment::lookup(env, name).map(OsStr::to_os_string);
        let extensions = if cfg!(windows) {
            let listed = value("PATHEXT").unwrap_or_else(|| ".COM;.EXE;.BAT;.CMD".into());
            let listed = listed.to_string_lossy();
            listed.split(';').map(OsString::from).collect()
        } else {
            vec![OsString::new()]
        };
        Self {
            path: value("PATH").unwrap_or_else(|| default_path().into()),
            extensions,
            base: cwd.map(Path::to_path_buf).unwrap_or_default(),
        }
    }

    pub(super) fn find(&self, program: &OsStr) -> Result<PathBuf, SpawnError> {
        let name = || program.to_string_lossy().into_owned();
        let mut refused = false;
        if is_path(program) {
            let path = self.base.join(program);
            return match self.complete(&path, &mut refused) {
                // The child starts in `base`, so a relative path stays as it was given.
                Some(found) if self.base.as_os_str().is_empty() => Ok(found),
                Some(found) => Ok(std::path::absolute(&found).unwrap_or(found)),
                None if refused => Err(SpawnError::NotExecutable { program: name() }),
                None => Err(SpawnError::Missing { program: name() }),
            };
        }
        for folder in std::env::split_paths(&self.path) {
            let path = self.base.join(folder).join(program);
            if let Some(found) = self.complete(&path, &mut refused) {
                return Ok(std::path::absolute(&found).unwrap_or(found));
            }
        }
        Err(if refused {
            SpawnError::NotExecutable { program: name() }
        } else {
            SpawnError::NotFound {
                program: name(),
                path: self.path.to_string_lossy().into_owned(),
            }
        })
    }

    /// The path, or the path with an extension, if that is a program.
    fn complete(&self, path: &Path, refused: &mut bool) -> Option<PathBuf> {
        let mut with_extensions = self.extensions.iter().map(|extension| {
            let mut whole = path.as_os_str().to_os_string();
            whole.push(extension);
            PathBuf::from(whole)
        });
        let has_extension = path.extension().is_some();
        let as_it_is = has_extension.then(|| path.to_path_buf());
        as_it_is
            .into_iter()
            .chain(&mut with_extensions)
            .find(|candidate| match is_program(candidate) {
                Some(true) => true,
                Some(false) => {
                    *refused = true;
                    false
                }
                None => false,
            })
    }
}

fn is_path(program: &OsStr) -> bool {
    Path::new(program).components().count() > 1
        || program.to_string_lossy().contains(std::path::is_separator)
}

/// `None` if there is no such file, `Some(false)` if it must not be executed.
#[cfg(unix)]
fn is_program(path: &Path) -> Option<bool> {
    use std::os::unix::fs::PermissionsExt as _;
    let meta = std::fs::metadata(path).ok()?;
    meta.is_file()
        .then(|| meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> Option<bool> {
    path.is_file().then_some(true)
}

const fn default_path() -> &'static str {
    if cfg!(unix) {
        "/usr/local/bin:/usr/bin:/bin"
    } else {
        ""
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn program(path: &Path, mode: u32) {
        std::fs::write(path, "").unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    fn search(path: impl Into<OsString>, extensions: &[&str]) -> Search {
        Search {
            path: path.into(),
            extensions: extensions.iter().map(OsString::from).collect(),
            base: PathBuf::new(),
        }
    }

    #[test]
    fn s06_npx_is_found_as_npx_cmd_with_the_extensions_of_windows() {
        let dir = tempfile::tempdir().unwrap();
        let cmd = dir.path().join("npx.CMD");
        program(&cmd, 0o755);
        let search = search(dir.path(), &[".EXE", ".CMD"]);
        assert_eq!(search.find("npx".as_ref()).unwrap(), cmd);
        assert_eq!(search.find("npx.CMD".as_ref()).unwrap(), cmd);
        let whole = dir.path().join("npx");
        assert_eq!(search.find(whole.as_ref()).unwrap(), cmd);
    }

    #[test]
    fn s02_the_error_tells_what_is_not_there_from_what_may_not_run() {
        let dir = tempfile::tempdir().unwrap();
        program(&dir.path().join("data"), 0o644);
        let search = search(dir.path(), &[""]);
        let error = |name: &str| search.find(name.as_ref()).unwrap_err().to_string();
        assert_eq!(
            error("nothing"),
            "command `nothing` was not found in any folder of PATH; install it or give its full \
             path"
        );
        assert_eq!(error("./nothing"), "command `./nothing` does not exist");
        assert_eq!(error("data"), "command `data` is not executable");
    }

    #[test]
    fn folders_are_searched_in_order_and_files_without_the_right_are_passed_over() {
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        program(&one.path().join("tool"), 0o644);
        program(&two.path().join("tool"), 0o755);
        let path = std::env::join_paths([one.path(), two.path()]).unwrap();
        let found = search(path, &[""]).find("tool".as_ref()).unwrap();
        assert_eq!(found, two.path().join("tool"));
    }
}
