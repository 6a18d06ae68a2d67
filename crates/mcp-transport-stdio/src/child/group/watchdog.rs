//! What ends the children of a process that is killed and can end nothing itself.
//!
//! The parent-death signal of Linux needs `unsafe` code between fork and exec, follows a thread
//! and not a process, and does not reach grandchildren. A shell that reads from a pipe does
//! without all that: the pipe ends with us, however we end, and then it kills the groups on its
//! list. One such process serves all children; it ends with the last of them. Where there is no
//! `/bin/sh`, children are on their own.
//!
//! It runs before a child is started and is told of the child right after, so what remains is the
//! chance of being killed in those microseconds.

use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// `+ 17` puts a group on the list, `- 17` takes it off. Only built-in commands are used.
const SCRIPT: &str = r#"# kills the MCP servers of a client that was killed
groups=' '
while read -r what group; do
case $what in
    +) groups="$groups$group " ;;
    -) groups="${groups%% $group *} ${groups#* $group }" ;;
esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
"#;

static CURRENT: Mutex<Weak<Watchdog>> = Mutex::new(Weak::new());

pub(super) struct Watchdog {
    pipe: Mutex<ChildStdin>,
    shell: Mutex<Child>,
}

pub(super) struct Watched {
    watchdog: Arc<Watchdog>,
    group: u32,
}

impl Watched {
    /// Takes the group off the list. To be done before its id can be given to another.
    pub(super) fn forget(&self) {
        self.watchdog.tell('-', self.group);
    }
}

impl Watchdog {
    /// The one that runs, or a new one; `None` if there is none to be had.
    pub(super) fn current() -> Option<Arc<Self>> {
        let mut current = CURRENT.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = current.upgrade().filter(|watchdog| watchdog.runs()) {
            return Some(running);
        }
        let started = Self::start().map(Arc::new);
        let started = started
            .inspect_err(|e| tracing::debug!("no watchdog: {e}"))
            .ok()?;
        *current = Arc::downgrade(&started);
        Some(started)
    }

    /// Puts a group on the list.
    pub(super) fn watch(self: Arc<Self>, group: u32) -> Watched {
        self.tell('+', group);
        Watched {
            watchdog: self,
            group,
        }
    }

    fn start() -> std::io::Result<Self> {
        let mut shell = Command::new("/bin/sh")
            .args(["-c", SCRIPT])
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()?;
        let Some(pipe) = shell.stdin.take() else {
            return Err(std::io::ErrorKind::BrokenPipe.into());
        };
        // A shell that somebody has stopped must not stop us.
        let _ = rustix::io::ioctl_fionbio(&pipe, true);
        Ok(Self {
            pipe: Mutex::new(pipe),
            shell: Mutex::new(shell),
        })
    }

    fn runs(&self) -> bool {
        let mut shell = self.shell.lock().unwrap_or_else(PoisonError::into_inner);
        matches!(shell.try_wait(), Ok(None))
    }

    fn tell(&self, what: char, group: u32) {
        let line = format!("{what} {group}\n");
        let mut pipe = self.pipe.lock().unwrap_or_else(PoisonError::into_inner);
        // Without a reader there is nobody to tell.
        let _ = pipe.write_all(line.as_bytes());
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        // Its list is empty; killing it is the quickest way to reap it.
        let shell = self.shell.get_mut().unwrap_or_else(PoisonError::into_inner);
        let _ = shell.kill();
        let _ = shell.wait();
    }
}
