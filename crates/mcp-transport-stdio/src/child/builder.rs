//! How a child process is to be started.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use mcp_jsonrpc::LineDecoder;
use tokio::runtime::Handle;

use super::group::Group;
use super::process::{self, Started};
use super::program::Search;
use super::stderr::{self, Stderr};
use super::writer::Grace;
use super::{Child, ChildReader, ChildWriter, environment, pipe};
use crate::SpawnError;

/// Starts a server as a child process: without a shell, in a process group of its own, with
/// little of our environment.
///
/// The same builder can start any number of processes.
#[derive(Clone)]
pub struct ChildBuilder {
    program: OsString,
    args: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    inherit_env: bool,
    cwd: Option<PathBuf>,
    stderr: Stderr,
    limit: usize,
    grace: Grace,
    survives: bool,
}

impl ChildBuilder {
    /// A process of this program: a name that is looked up in the child's `PATH`, or a path.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            env: Vec::new(),
            inherit_env: false,
            cwd: None,
            stderr: Stderr::Capture,
            limit: LineDecoder::DEFAULT_LIMIT,
            grace: Grace::default(),
            survives: false,
        }
    }

    /// Adds an argument. It reaches the program as it is; no shell sees it.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets a variable, on top of the few that are inherited.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Sets variables, on top of the few that are inherited.
    #[must_use]
    pub fn envs(
        mut self,
        envs: impl IntoIterator<Item = (impl Into<OsString>, impl Into<OsString>)>,
    ) -> Self {
        let envs = envs.into_iter().map(|(k, v)| (k.into(), v.into()));
        self.env.extend(envs);
        self
    }

    /// Passes on all of our environment. Without this the process gets `HOME`, `LOGNAME`, `PATH`,
    /// `SHELL`, `TERM` and `USER` only (on Windows the corresponding dozen), so that secrets stay
    /// here.
    #[must_use]
    pub const fn inherit_env(mut self, inherit: bool) -> Self {
        self.inherit_env = inherit;
        self
    }

    /// Runs the process in this folder instead of ours.
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// What becomes of its stderr; captured unless set.
    #[must_use]
    pub fn stderr(mut self, stderr: Stderr) -> Self {
        self.stderr = stderr;
        self
    }

    /// The longest line that is accepted from it, in bytes; 32 MiB unless set.
    #[must_use]
    pub const fn max_line(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }

    /// How long the process may take to end after its stdin was closed, and again after it was
    /// asked to terminate; 2 s each unless set.
    #[must_use]
    pub const fn grace(mut self, after_eof: Duration, after_term: Duration) -> Self {
        self.grace = Grace {
            after_eof,
            after_term,
        };
        self
    }

    /// Lets the process live on when we are killed. Without this a helper process (`/bin/sh`,
    /// one for all children) waits for our end and then kills what is left. Windows ends the
    /// process in any case.
    #[must_use]
    pub const fn survives_us(mut self, survives: bool) -> Self {
        self.survives = survives;
        self
    }

    /// For programs that fetch a package before they start the server in it: what to do when
    /// that takes too long.
    #[must_use]
    pub fn startup_hint(&self) -> Option<String> {
        let name = PathBuf::from(&self.program);
        let name = name.file_stem()?.to_str()?;
        ["npx", "bunx", "pnpx", "uvx", "uv", "pipx", "docker"]
            .contains(&name)
            .then(|| {
                format!(
                    "`{name}` may fetch the server on its first run; allow a longer start-up \
                     time, or install the server beforehand"
                )
            })
    }

    /// Starts the process. Takes as long as the operating system needs for that, some
    /// milliseconds.
    ///
    /// # Errors
    /// If the program or the working folder is not there, the operating system refuses, or no
    /// tokio runtime is running here.
    ///
    /// # Panics
    /// If the tokio runtime has been built without I/O.
    pub fn spawn(&self) -> Result<Child, SpawnError> {
        let handle = Handle::try_current().map_err(|_| SpawnError::NoRuntime)?;
        let command = self.command()?;
        let watched = !self.survives;
        let started = process::start(command, self.label(), watched);
        let child = started.and_then(|started| self.connect(started, &handle));
        child.map_err(|source| SpawnError::Io {
            program: self.program.to_string_lossy().into_owned(),
            source,
        })
    }

    fn connect(&self, started: Started, handle: &Handle) -> io::Result<Child> {
        let Started {
            process,
            stdin,
            stdout,
            stderr,
        } = started;
        // From here on dropping the writer ends the process.
        let writer = ChildWriter::new(process.clone(), self.grace, stdin)?;
        if let Some(stderr) = stderr {
            let stderr = pipe::reading(stderr)?;
            handle.spawn(stderr::drain(stderr, process.clone(), self.stderr.sink()));
        }
        Ok(Child {
            reader: ChildReader::new(stdout, process.clone(), self.limit)?,
            writer,
            process,
        })
    }

    fn command(&self) -> Result<Command, SpawnError> {
        if let Some(cwd) = self.cwd.as_ref().filter(|cwd| !cwd.is_dir()) {
            return Err(SpawnError::WorkingFolder { cwd: cwd.clone() });
        }
        let env = environment::of_child(self.inherit_env, &self.env);
        let program = Search::new(&env, self.cwd.as_deref()).find(&self.program)?;
        let mut command = Command::new(program);
        command
            .args(&self.args)
            .env_clear()
            .envs(env)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(self.stderr.stdio());
        if let Some(cwd) = &self.cwd {
            command.current_dir(cwd);
        }
        Group::prepare(&mut command);
        Ok(command)
    }

    /// The program without its folders, for messages.
    fn label(&self) -> String {
        let path = PathBuf::from(&self.program);
        let name = path.file_name().unwrap_or(&self.program);
        name.to_string_lossy().into_owned()
    }
}

/// Shows the names of variables only; values may be secrets.
impl fmt::Debug for ChildBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&OsStr> = self.env.iter().map(|(name, _)| name.as_os_str()).collect();
        f.debug_struct("ChildBuilder")
            .field("program", &self.program)
            .field("args", &self.args)
            .field("env", &names)
            .field("cwd", &self.cwd)
            .finish_non_exhaustive()
    }
}
