//! This test program, started again in another role.

use std::process::{Command, Stdio};

use crate::{child_end, own};

const ROLE: &str = "MCP_STDIO_TEST_ROLE";

/// This program as a process that plays `role`.
pub(crate) fn start(role: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "roles::other_role", "--nocapture"])
        .env(ROLE, role)
        .stdin(Stdio::null());
    command
}

/// Does nothing unless it is started by [`start`].
#[tokio::test]
async fn other_role() {
    match std::env::var(ROLE).as_deref() {
        Ok("client") => child_end::client().await,
        Ok("watchdog") => child_end::watchdog().await,
        Ok("echo") => own::echo().await,
        Ok("mess") => own::mess().await,
        Ok("silent") => own::silent().await,
        Ok("twice") => own::twice().await,
        Ok("until") => own::until().await,
        Ok(role) => panic!("no role {role}"),
        Err(_) => {}
    }
}
