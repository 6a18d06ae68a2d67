//! Runs the installed git, without anything that a repository's configuration could start.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Command;

use super::bytes;
use super::error::GitError;

/// How long one run of git may take.
const TIME: Duration = Duration::from_secs(60);
/// The most that one run may write where the caller sets no limit of its own, in bytes.
pub(super) const OUTPUT: usize = 64 * 1024 * 1024;
/// What is kept of git's error output, in bytes.
const COMPLAINT: usize = 4 * 1024;

/// A repository's working tree, and how git is run in it.
#[derive(Clone, Debug)]
pub(crate) struct Git {
    top: PathBuf,
    /// Settings that turn off what the repository's own configuration would run.
    overrides: Vec<(OsString, &'static str)>,
}

/// What git wrote.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) bytes: Vec<u8>,
    /// Whether there was more than the limit.
    pub(super) is_cut: bool,
}

impl Git {
    /// Finds the working tree that a folder is in.
    ///
    /// # Errors
    /// When git is not installed, the folder is in no working tree, or the repository's
    /// configuration puts the working tree where the repository is not.
    pub(crate) async fn open(folder: &Path) -> Result<Self, GitError> {
        let here = Self {
            top: folder.to_owned(),
            overrides: Vec::new(),
        };
        let top = match here.run(&["rev-parse", "--show-toplevel"], b"").await {
            Ok(top) => top,
            Err(GitError::Failed { reason, .. }) => {
                let folder = folder.display().to_string();
                return Err(GitError::NoRepository { folder, reason });
            }
            Err(GitError::Io(e)) if e.kind() == io::ErrorKind::NotFound => {
                return Err(if folder.exists() {
                    GitError::NotInstalled
                } else {
                    GitError::Io(e)
                });
            }
            Err(e) => return Err(e),
        };
        let top = top.strip_suffix(b"\n").unwrap_or(&top);
        let git = Self {
            top: bytes::path(top),
            overrides: Vec::new(),
        };
        // `core.worktree` may name any folder of the machine.
        let repository = ["rev-parse", "--absolute-git-dir"];
        let here = here.run(&repository, b"").await?;
        if git.run(&repository, b"").await.ok().as_ref() != Some(&here) {
            return Err(GitError::NoRepository {
                folder: folder.display().to_string(),
                reason: format!(
                    "its repository names {} as the working tree, which does not lead back to it",
                    git.top.display()
                ),
            });
        }
        git.guarded().await
    }

    /// The same, with all turned off that the repository's configuration, as it is now, would run.
    ///
    /// # Errors
    /// When git cannot be run.
    pub(super) async fn guarded(&self) -> Result<Self, GitError> {
        Ok(Self {
            top: self.top.clone(),
            overrides: self.filters().await?,
        })
    }

    /// The top folder of the working tree.
    pub(crate) fn top(&self) -> &Path {
        &self.top
    }

    /// Runs git to its end and gives back what it wrote.
    ///
    /// # Errors
    /// When git cannot be run, fails, takes too long or writes more than 64 MiB.
    pub(super) async fn run<A: AsRef<OsStr>>(
        &self,
        arguments: &[A],
        input: &[u8],
    ) -> Result<Vec<u8>, GitError> {
        let written = self.run_up_to(arguments, input, OUTPUT).await?;
        if written.is_cut {
            return Err(GitError::TooMuch {
                command: command_of(arguments),
                limit: OUTPUT,
            });
        }
        Ok(written.bytes)
    }

    /// Runs git, and ends it when it has written `limit` bytes.
    ///
    /// # Errors
    /// When git cannot be run, fails or takes too long.
    pub(super) async fn run_up_to<A: AsRef<OsStr>>(
        &self,
        arguments: &[A],
        input: &[u8],
        limit: usize,
    ) -> Result<Written, GitError> {
        match tokio::time::timeout(TIME, self.attempt(arguments, input, limit)).await {
            Ok(result) => result,
            Err(_) => Err(GitError::TimedOut {
                command: command_of(arguments),
                limit: TIME,
            }),
        }
    }

    async fn attempt<A: AsRef<OsStr>>(
        &self,
        arguments: &[A],
        input: &[u8],
        limit: usize,
    ) -> Result<Written, GitError> {
        let mut child = self.command().args(arguments).spawn()?;
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let feed = async {
            if let Some(mut stdin) = stdin {
                // Git may end without reading all; its exit status tells.
                let _ = stdin.write_all(input).await;
            }
        };
        let complain = async {
            let mut stderr = stderr;
            let complaint = read_up_to(stderr.as_mut(), COMPLAINT).await;
            // Git must not stop, or be ended, because nobody reads what it warns of.
            if let Some(stderr) = &mut stderr {
                let _ = tokio::io::copy(stderr, &mut tokio::io::sink()).await;
            }
            complaint
        };
        let (read, complaint, ()) = tokio::join!(read_up_to(stdout, limit), complain, feed);
        let written = read?;
        if written.is_cut {
            child.kill().await?;
            return Ok(written);
        }
        let status = child.wait().await?;
        if status.success() {
            return Ok(written);
        }
        let complaint = String::from_utf8_lossy(&complaint?.bytes).trim().to_owned();
        let reason = match complaint.strip_prefix("fatal: ") {
            Some(reason) => reason.to_owned(),
            None if complaint.is_empty() => status.to_string(),
            None => complaint,
        };
        Err(GitError::Failed {
            command: command_of(arguments),
            reason,
        })
    }

    /// Git with everything turned off that runs other programs, writes, or asks.
    fn command(&self) -> Command {
        let mut command = Command::new("git");
        command
            .args(["--no-pager", "--literal-pathspecs", "--no-optional-locks"])
            .args([
                "-c",
                "core.fsmonitor=false",
                "-c",
                "core.hooksPath=/dev/null",
            ])
            .args(["-c", "log.showSignature=false", "-c", "color.ui=false"])
            .args(["-c", "diff.orderFile=/dev/null"])
            .args([
                "-c",
                "i18n.logOutputEncoding=UTF-8",
                "-c",
                "protocol.allow=never",
            ])
            .arg("-C")
            .arg(&self.top)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        // Variables of git would point it to another repository or program.
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("GIT_") {
                command.env_remove(name);
            }
        }
        command
            .env("LC_ALL", "C")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_NO_LAZY_FETCH", "1")
            // Unlike `protocol.allow`, it also counts where one protocol is allowed by name.
            .env("GIT_ALLOW_PROTOCOL", "")
            .env("GIT_CONFIG_COUNT", self.overrides.len().to_string());
        for (n, (key, value)) in self.overrides.iter().enumerate() {
            command.env(format!("GIT_CONFIG_KEY_{n}"), key);
            command.env(format!("GIT_CONFIG_VALUE_{n}"), value);
        }
        command
    }

    /// Turns off the content filters that the repository itself configures: they are programs
    /// that reading a changed file would start. The user's own stay.
    async fn filters(&self) -> Result<Vec<(OsString, &'static str)>, GitError> {
        let list = ["config", "--list", "--show-scope", "-z", "--name-only"];
        let written = self.run(&list, b"").await?;
        let mut fields = written.split(|byte| *byte == 0);
        let mut overrides = Vec::new();
        while let (Some(scope), Some(key)) = (fields.next(), fields.next()) {
            let own = scope == b"local" || scope == b"worktree";
            if !own || !key.starts_with(b"filter.") {
                continue;
            }
            let value = match key.rsplit(|byte| *byte == b'.').next() {
                Some(b"clean" | b"smudge" | b"process") => "",
                Some(b"required") => "false",
                _ => continue,
            };
            overrides.push((bytes::path(key).into(), value));
        }
        Ok(overrides)
    }
}

/// The first argument that is no option: what git was to do.
fn command_of<A: AsRef<OsStr>>(arguments: &[A]) -> String {
    let mut words = arguments
        .iter()
        .map(|argument| argument.as_ref().to_string_lossy());
    words
        .find(|word| !word.starts_with('-'))
        .unwrap_or_default()
        .into_owned()
}

/// Reads at most `limit` bytes; of more it says so and stops reading.
async fn read_up_to(from: Option<impl AsyncRead + Unpin>, limit: usize) -> io::Result<Written> {
    let mut bytes = Vec::new();
    if let Some(from) = from {
        from.take(limit as u64 + 1).read_to_end(&mut bytes).await?;
    }
    let is_cut = bytes.len() > limit;
    bytes.truncate(limit);
    Ok(Written { bytes, is_cut })
}
