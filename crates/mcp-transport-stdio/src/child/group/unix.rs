//! Process groups.
//!
//! The leader is the process that we have started. As long as it is not reaped, its id, which is
//! the group's too, cannot be given to another process.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command};
use std::sync::Arc;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::Force;
use super::watchdog::{Watchdog, Watched};

/// What ends the group if we are killed; `None` if nothing does.
pub(in super::super) struct Watch(Option<Arc<Watchdog>>);

impl Watch {
    /// To be called before the process is started.
    pub(in super::super) fn new(wanted: bool) -> Self {
        Self(wanted.then(Watchdog::current).flatten())
    }
}

/// The group of a process that is not reaped yet.
pub(in super::super) struct Group {
    leader: Pid,
    watched: Option<Watched>,
}

impl Group {
    /// Makes the process the leader of a group of its own.
    pub(in super::super) fn prepare(command: &mut Command) {
        command.process_group(0);
    }

    #[expect(clippy::unnecessary_wraps, reason = "it can fail on Windows")]
    pub(in super::super) fn of(child: &Child, watch: Watch) -> io::Result<Self> {
        let leader = Pid::from_child(child);
        let watched = watch.0.map(|watchdog| watchdog.watch(child.id()));
        Ok(Self { leader, watched })
    }

    #[expect(clippy::needless_pass_by_ref_mut, reason = "Windows needs it")]
    pub(in super::super) fn end(&mut self, force: Force) {
        let signal = match force {
            Force::Terminate => Signal::TERM,
            Force::Kill => Signal::KILL,
        };
        // It fails only for a group that is gone.
        let _ = kill_process_group(self.leader, signal);
    }

    /// Blocks until the process has exited, and leaves it unreaped. `false` if somebody else has
    /// reaped it.
    #[expect(clippy::needless_pass_by_ref_mut, reason = "Windows needs it")]
    pub(in super::super) fn wait_unreaped(child: &mut Child) -> bool {
        let pid = Pid::from_child(child);
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        rustix::io::retry_on_intr(|| waitid(WaitId::Pid(pid), options)).is_ok()
    }

    /// To be called right before the process is reaped: what it leaves behind goes with it. If
    /// somebody else has reaped it, the group may be a stranger's by now.
    pub(in super::super) fn retire(&mut self, unreaped: bool) {
        if unreaped {
            self.end(Force::Kill);
        }
        if let Some(watched) = &self.watched {
            watched.forget();
        }
    }
}
