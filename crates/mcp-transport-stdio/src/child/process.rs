//! One child process from its start until it is reaped.
//!
//! A thread of its own waits for each process, for that needs no runtime: whatever becomes of
//! the runtime, the process is reaped, and a handle can be dropped anywhere. The thread also
//! rules out that a signal meets a stranger: it reaps under the lock that signals are sent under.

use std::fmt;
use std::io;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use mcp_transport::{TransportError, TransportErrorKind};
use tokio::sync::watch;
use tokio::time::timeout;

use super::group::{Force, Group, Watch};
use super::stderr::Tail;
use crate::error::{ChildExit, describe};

/// The stack of a waiting thread, in bytes.
const STACK: usize = 128 * 1024;
/// How long the exit may come after the end of stdout.
const EXIT: Duration = Duration::from_secs(1);
/// How long the rest of the output may come after the exit.
pub(super) const SETTLE: Duration = Duration::from_millis(250);
/// How long output is read after the exit at most, if another process goes on with it.
pub(super) const AFTER_EXIT: Duration = Duration::from_secs(1);

/// What one may know about a child process, also after its end. Cheap to clone; holding it does
/// not keep the process alive.
#[derive(Clone)]
pub struct ChildProcess(Arc<Inner>);

struct Inner {
    label: String,
    pid: u32,
    /// All that it has started; `None` once it is reaped.
    group: Mutex<Option<Group>>,
    exit: watch::Sender<Option<Exit>>,
    tail: Tail,
    noise: AtomicU64,
    first_noise: OnceLock<String>,
}

/// How it ended; without a status if somebody else has reaped it.
type Exit = Option<ExitStatus>;

/// A process that has just been started, with the pipes to it.
pub(super) struct Started {
    pub(super) process: ChildProcess,
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: Option<ChildStderr>,
}

/// Starts a process from the thread that will wait for it.
pub(super) fn start(mut command: Command, label: String, watched: bool) -> io::Result<Started> {
    let (sender, receiver) = mpsc::sync_channel(1);
    let name = format!("mcp wait {label}");
    let wait = move || {
        let spawned = spawn(&mut command, label, watched);
        drop(command);
        // The receiver is waited at below, so it is there.
        match spawned {
            Ok((started, child)) => {
                let process = started.process.clone();
                let _ = sender.send(Ok(started));
                process.reap(child);
            }
            Err(e) => {
                let _ = sender.send(Err(e));
            }
        }
    };
    let thread = thread::Builder::new().name(name).stack_size(STACK);
    thread.spawn(wait)?;
    receiver.recv().map_err(io::Error::other)?
}

fn spawn(command: &mut Command, label: String, watched: bool) -> io::Result<(Started, Child)> {
    let watch = Watch::new(watched);
    let mut child = command.spawn()?;
    let group = Group::of(&child, watch).inspect_err(|_| discard(&mut child))?;
    let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        discard(&mut child);
        return Err(io::ErrorKind::BrokenPipe.into());
    };
    let stderr = child.stderr.take();
    let started = Started {
        process: ChildProcess::new(label, child.id(), group, stderr.is_some()),
        stdin,
        stdout,
        stderr,
    };
    Ok((started, child))
}

/// Ends a process that is of no use.
fn discard(child: &mut Child) {
    // It fails only if the process is gone.
    let _ = child.kill().and_then(|()| child.wait());
}

impl ChildProcess {
    fn new(label: String, pid: u32, group: Group, captured: bool) -> Self {
        Self(Arc::new(Inner {
            label,
            pid,
            group: Mutex::new(Some(group)),
            exit: watch::Sender::new(None),
            tail: Tail::new(captured),
            noise: AtomicU64::new(0),
            first_noise: OnceLock::new(),
        }))
    }

    /// Its process id, which is the id of its process group too. Once it has ended, another
    /// process may get the same.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.0.pid
    }

    /// The last 64 KiB of its stderr, where that is captured; bytes that are not UTF-8 replaced.
    #[must_use]
    pub fn stderr_tail(&self) -> String {
        self.0.tail.text()
    }

    /// How many lines of its stdout were no JSON and have been skipped.
    #[must_use]
    pub fn noise(&self) -> u64 {
        self.0.noise.load(Ordering::Relaxed)
    }

    /// The first of these lines, at most 200 bytes of it; of what only looked like JSON it is
    /// what is wrong with it.
    #[must_use]
    pub fn first_noise(&self) -> Option<&str> {
        self.0.first_noise.get().map(String::as_str)
    }

    /// Whether it has ended and was reaped.
    #[must_use]
    pub fn has_exited(&self) -> bool {
        self.0.exit.borrow().is_some()
    }

    /// Waits until it has ended, is reaped, and nothing is left of its process group. `None`
    /// where its status is unknown, because somebody else has reaped it.
    ///
    /// # Cancel safety
    /// Dropping the future loses nothing.
    pub async fn exited(&self) -> Option<ExitStatus> {
        let mut exit = self.0.exit.subscribe();
        // The sender is in `self`, so this cannot fail.
        let status = exit.wait_for(Option::is_some).await;
        status.ok().and_then(|status| status.flatten())
    }

    pub(super) async fn exits_within(&self, time: Duration) -> bool {
        self.has_exited() || timeout(time, self.exited()).await.is_ok()
    }

    pub(super) fn tail(&self) -> &Tail {
        &self.0.tail
    }

    /// Counts a line of stdout that is skipped, and logs its beginning.
    pub(super) fn note_noise(&self, line: &[u8]) {
        let text = String::from_utf8_lossy(line.get(..200).unwrap_or(line));
        let process = &*self.0.label;
        if self.0.noise.fetch_add(1, Ordering::Relaxed) == 0 {
            self.0
                .first_noise
                .get_or_init(|| text.trim_end().to_owned());
            tracing::warn!(
                process,
                "skipped a line of stdout that is no message: {text:?}"
            );
        } else {
            tracing::debug!(
                process,
                "skipped a line of stdout that is no message: {text:?}"
            );
        }
    }

    /// Ends the group, unless the process has been reaped.
    pub(super) fn end(&self, force: Force) {
        if let Some(group) = &mut *self.group() {
            group.end(force);
        }
    }

    fn group(&self) -> MutexGuard<'_, Option<Group>> {
        self.0.group.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Why this stream of it has ended.
    pub(super) async fn why_ended(&self, stream: &str) -> TransportError {
        let label = &self.0.label;
        let (status, message) = if self.exits_within(EXIT).await {
            // What it said last is on its way, unless somebody else keeps the pipe open.
            let _ = timeout(SETTLE, self.0.tail.ended()).await;
            match self.exited().await {
                Some(status) => (Some(status), format!("`{label}` {}", describe(status))),
                None => (None, format!("`{label}` ended")),
            }
        } else {
            (
                None,
                format!("`{label}` closed its {stream} but still runs"),
            )
        };
        TransportError::new(TransportErrorKind::Ended, message).with_source(ChildExit {
            status,
            stderr: self.stderr_tail(),
        })
    }

    fn reap(&self, mut child: Child) {
        let unreaped = Group::wait_unreaped(&mut child);
        let (status, group) = {
            let mut group = self.group();
            if let Some(group) = &mut *group {
                group.retire(unreaped);
            }
            (child.wait().ok(), group.take())
        };
        // The last one takes the watchdog with it; who waits for the exit finds both gone.
        drop(group);
        self.0.exit.send_replace(Some(status));
    }
}

impl fmt::Debug for ChildProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChildProcess")
            .field("program", &self.0.label)
            .field("id", &self.0.pid)
            .field("exited", &self.has_exited())
            .finish_non_exhaustive()
    }
}
