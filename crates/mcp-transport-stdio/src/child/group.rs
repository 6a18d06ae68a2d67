//! A process and all that it has started: a process group, or a job of Windows.

#[cfg(unix)]
mod unix;
#[cfg(unix)]
mod watchdog;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(super) use unix::{Group, Watch};
#[cfg(windows)]
pub(super) use windows::{Group, Watch};

/// How much choice the processes have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Force {
    /// They are asked to end, where the system has a way to ask.
    Terminate,
    /// They are ended.
    Kill,
}
