//! Why a process could not be started, and how one ended.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

/// Why a child process could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpawnError {
    /// No folder of the child's `PATH` holds the program.
    #[error(
        "command `{program}` was not found in any folder of PATH; install it or give its full path"
    )]
    NotFound {
        /// The program as it was given.
        program: String,
        /// The `PATH` that was searched; not part of the message, as it can be long.
        path: String,
    },
    /// The program was given with its path, and there is no such file.
    #[error("command `{program}` does not exist")]
    Missing {
        /// The program as it was given.
        program: String,
    },
    /// The file is there and must not be executed.
    #[error("command `{program}` is not executable")]
    NotExecutable {
        /// The program as it was given.
        program: String,
    },
    /// The working folder is not there or is no folder.
    #[error("working folder `{}` does not exist", .cwd.display())]
    WorkingFolder {
        /// The folder as it was given.
        cwd: PathBuf,
    },
    /// The function was called outside a tokio runtime.
    #[error("a child process can only be started inside a tokio runtime")]
    NoRuntime,
    /// The operating system refused.
    #[error("command `{program}` could not be started")]
    Io {
        /// The program as it was given.
        program: String,
        /// What the operating system says.
        #[source]
        source: io::Error,
    },
}

/// How a child process ended: the source of the transport's error, for those who want more than
/// its sentence.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ChildExit {
    /// The exit code or signal; `None` if the process closed its stdout and still runs, or
    /// somebody else has reaped it.
    pub status: Option<ExitStatus>,
    /// The last 64 KiB of what it wrote to stderr, where that was captured.
    pub stderr: String,
}

impl ChildExit {
    /// How much of stderr the message shows, in bytes.
    const SHOWN: usize = 1000;
}

impl fmt::Display for ChildExit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.stderr.trim();
        if text.is_empty() {
            return f.write_str("nothing was captured from its stderr");
        }
        let cut = text.len().saturating_sub(Self::SHOWN);
        let cut = (cut..).find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let shown = text.get(cut..).unwrap_or(text);
        write!(f, "its stderr ends with: {shown}")
    }
}

impl std::error::Error for ChildExit {}

/// "exited with code 3", "was killed by signal 9 (SIGKILL)".
pub(crate) fn describe(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        let name = match signal {
            6 => " (SIGABRT)",
            9 => " (SIGKILL)",
            11 => " (SIGSEGV)",
            13 => " (SIGPIPE)",
            15 => " (SIGTERM)",
            _ => "",
        };
        return format!("was killed by signal {signal}{name}");
    }
    match status.code() {
        Some(code) => format!("exited with code {code}"),
        None => "ended".to_owned(),
    }
}
