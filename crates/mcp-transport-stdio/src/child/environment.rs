//! What a child process gets of our environment.

use std::ffi::{OsStr, OsString};

/// What the official SDKs pass on.
#[cfg(not(windows))]
const SAFE: &[&str] = &["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"];
#[cfg(windows)]
const SAFE: &[&str] = &[
    "APPDATA",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "PATH",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMFILES",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERNAME",
    "USERPROFILE",
];

pub(super) type Environment = Vec<(OsString, OsString)>;

/// The inherited part, and over it what was given. A later entry wins.
pub(super) fn of_child(
    inherit_all: bool,
    given: &[(OsString, OsString)],
) -> Vec<(OsString, OsString)> {
    let inherited = std::env::vars_os().filter(|(name, value)| {
        inherit_all || (is_safe(name) && !value.to_string_lossy().starts_with("()"))
    });
    inherited.chain(given.iter().cloned()).collect()
}

/// The value that the child will see.
pub(super) fn lookup<'a>(env: &'a Environment, name: &str) -> Option<&'a OsStr> {
    let found = env.iter().rev().find(|(key, _)| same_name(key, name));
    found.map(|(_, value)| value.as_os_str())
}

fn is_safe(name: &OsStr) -> bool {
    SAFE.iter().any(|safe| same_name(name, safe))
}

fn same_name(name: &OsStr, other: &str) -> bool {
    if cfg!(windows) {
        name.eq_ignore_ascii_case(other)
    } else {
        name == other
    }
}
