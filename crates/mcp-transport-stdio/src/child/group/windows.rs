//! Jobs: what a process starts belongs to the job of the process, and ends with it.
//!
//! The job ends when its last handle is closed, which the system does for us if we are killed.

use std::io;
use std::os::windows::io::AsRawHandle as _;
use std::os::windows::process::CommandExt as _;
use std::process::{Child, Command};

use win32job::{ExtendedLimitInfo, Job, JobError};

use super::Force;

/// Windows has nothing to watch for.
pub(in super::super) struct Watch;

impl Watch {
    pub(in super::super) const fn new(_: bool) -> Self {
        Self
    }
}

/// The job of a process.
pub(in super::super) struct Group(Option<Job>);

impl Group {
    /// Opens no console window, and keeps Ctrl-C on ours away from the process.
    pub(in super::super) fn prepare(command: &mut Command) {
        const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;
        const CREATE_NO_WINDOW: u32 = 0x0800_0000;
        command.creation_flags(CREATE_NEW_PROCESS_GROUP | CREATE_NO_WINDOW);
    }

    pub(in super::super) fn of(child: &Child, _: Watch) -> io::Result<Self> {
        let job = || -> Result<Job, JobError> {
            let mut limits = ExtendedLimitInfo::new();
            limits.limit_kill_on_job_close();
            let job = Job::create_with_limit_info(&limits)?;
            job.assign_process(child.as_raw_handle() as isize)?;
            Ok(job)
        };
        Ok(Self(Some(job().map_err(io::Error::other)?)))
    }

    /// Closes the job. There is nothing gentler for processes without a window.
    pub(in super::super) fn end(&mut self, _: Force) {
        self.0 = None;
    }

    /// Blocks until the process has exited; its id stays taken while `child` is open.
    pub(in super::super) fn wait_unreaped(child: &mut Child) -> bool {
        child.wait().is_ok()
    }

    /// What the process leaves behind goes with it.
    pub(in super::super) fn retire(&mut self, _: bool) {
        self.0 = None;
    }
}
