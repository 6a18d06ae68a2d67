//! A process and all that it has started, as far as it stays in the process's group.

use std::process::{Child, Command};

#[cfg(unix)]
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// Makes the process the leader of a group of its own.
#[cfg(unix)]
pub(super) fn prepare(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;
    command.process_group(0);
}

/// Opens no console window, and keeps Ctrl-C on ours away from the process.
#[cfg(windows)]
pub(super) fn prepare(command: &mut Command) {
    use std::os::windows::process::CommandExt as _;
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;
    const CREATE_NO_WINDOW: u32 = 0x0800_0000;
    command.creation_flags(CREATE_NEW_PROCESS_GROUP | CREATE_NO_WINDOW);
}

/// How much choice the processes have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Force {
    /// They are asked to end.
    Terminate,
    /// They are ended.
    Kill,
}

/// Ends the group of a process that has not been reaped yet.
#[cfg(unix)]
pub(super) fn end(leader: u32, force: Force) {
    let signal = match force {
        Force::Terminate => Signal::TERM,
        Force::Kill => Signal::KILL,
    };
    if let Some(pid) = pid(leader) {
        // It fails only for a group that is gone.
        let _ = kill_process_group(pid, signal);
    }
}

/// Ends the process and its descendants. Windows has nothing gentler for a process without a
/// window.
#[cfg(windows)]
pub(super) fn end(leader: u32, _: Force) {
    let tree = ["/T", "/F", "/PID", &leader.to_string()];
    let mut command = Command::new("taskkill");
    command.args(tree).stdin(std::process::Stdio::null());
    command.stdout(std::process::Stdio::null());
    command.stderr(std::process::Stdio::null());
    prepare(&mut command);
    // It fails only for a process that is gone; nobody waits for it.
    let _ = command.spawn();
}

/// Blocks until the process has exited, and leaves it unreaped: until then its id, which is the
/// id of the group too, cannot be given to another process. `false` if somebody else has reaped
/// it.
#[cfg(unix)]
#[expect(clippy::needless_pass_by_ref_mut, reason = "Windows needs it")]
pub(super) fn wait_unreaped(child: &mut Child) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    pid(child.id()).is_some_and(|pid| {
        let wait = || waitid(WaitId::Pid(pid), options);
        rustix::io::retry_on_intr(wait).is_ok()
    })
}

/// Blocks until the process has exited; its id stays taken while `child` is open.
#[cfg(windows)]
pub(super) fn wait_unreaped(child: &mut Child) -> bool {
    child.wait().is_ok()
}

#[cfg(unix)]
fn pid(raw: u32) -> Option<Pid> {
    i32::try_from(raw).ok().and_then(Pid::from_raw)
}
