//! How children end: in good order, by force, with all that they have started.

use std::os::unix::process::ExitStatusExt as _;
use std::time::Duration;

use mcp_transport::Writer as _;

use crate::support::{Witness, hasty, receive, runs, send, sh, state};
use crate::{roles, support};

#[tokio::test]
async fn stdio_08_a_server_that_ends_with_its_input_gets_no_signal() {
    let script = "trap 'echo TERM >&2' TERM; while read -r l; do :; done; exit 7";
    let mut child = sh(script).spawn().unwrap();
    child.writer.close().await;
    assert_eq!(child.process.exited().await.unwrap().code(), Some(7));
    assert_eq!(child.process.stderr_tail(), "");
    assert_eq!(state(child.process.id()), None, "reaped");
}

#[tokio::test]
async fn stdio_08_a_server_that_ignores_the_end_of_input_is_asked_to_terminate() {
    let script = "trap 'exit 5' TERM; echo '{}'; while :; do sleep 0.05; done";
    let grace = (Duration::from_millis(100), Duration::from_secs(60));
    let mut child = sh(script).grace(grace.0, grace.1).spawn().unwrap();
    receive(&mut child.reader, 1).await;
    child.writer.close().await;
    assert_eq!(child.process.exited().await.unwrap().code(), Some(5));
}

#[tokio::test]
async fn stdio_08_a_server_that_ignores_that_too_is_killed() {
    let script = "trap '' TERM; echo '{}'; while :; do sleep 0.05; done";
    let mut child = hasty(script).spawn().unwrap();
    receive(&mut child.reader, 1).await;
    child.writer.close().await;
    assert_eq!(child.process.exited().await.unwrap().signal(), Some(9));
    assert_eq!(state(child.process.id()), None, "reaped");
}

/// A grandchild that ignores SIGTERM, keeps the pipes open, and is known to the witness.
fn stubborn(witness: &Witness) -> String {
    let alive = witness.path().display();
    format!("(trap '' TERM; exec 9>'{alive}'; echo up >&9; while :; do sleep 0.05; done) &")
}

#[tokio::test]
async fn s04_grandchildren_end_with_a_server_that_is_terminated() {
    let mut witness = Witness::new();
    let mut child = hasty(&format!("{} wait", stubborn(&witness)))
        .spawn()
        .unwrap();
    witness.hears("up").await;
    child.writer.close().await;
    witness.is_alone().await;
    assert!(child.process.has_exited());
}

#[tokio::test]
async fn s04_grandchildren_end_with_a_wrapper_that_exits_first() {
    let mut witness = Witness::new();
    let mut child = sh(&format!("{} read -r l; exit 0", stubborn(&witness)))
        .spawn()
        .unwrap();
    witness.hears("up").await;
    child.writer.close().await;
    witness.is_alone().await;
    assert!(child.process.exited().await.unwrap().success());
}

#[tokio::test]
async fn s04_dropping_the_writer_kills_the_whole_group() {
    let mut witness = Witness::new();
    let script = format!(
        "trap '' TERM; {} while :; do sleep 0.05; done",
        stubborn(&witness)
    );
    let child = sh(&script).spawn().unwrap();
    witness.hears("up").await;
    let process = child.process.clone();
    drop(child);
    witness.is_alone().await;
    assert_eq!(process.exited().await.unwrap().signal(), Some(9));
    assert_eq!(state(process.id()), None, "reaped");
}

#[tokio::test]
async fn stdio_09_giving_up_a_close_and_dropping_kills() {
    let script = "trap '' TERM; echo '{}'; while :; do sleep 0.05; done";
    let mut child = sh(script).spawn().unwrap();
    receive(&mut child.reader, 1).await;
    let short = Duration::from_millis(1);
    assert!(
        tokio::time::timeout(short, child.writer.close())
            .await
            .is_err()
    );
    let process = child.process.clone();
    drop(child);
    assert_eq!(process.exited().await.unwrap().signal(), Some(9));
}

#[test]
fn stdio_09_a_handle_that_outlives_its_runtime_still_kills_and_reaps() {
    let build = || {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap()
    };
    let runtime = build();
    let child = runtime.block_on(async {
        sh("trap '' TERM; while :; do sleep 0.05; done")
            .spawn()
            .unwrap()
    });
    drop(runtime);
    let process = child.process.clone();
    assert!(runs(process.id()));
    drop(child);
    let status = build().block_on(process.exited());
    assert_eq!(status.unwrap().signal(), Some(9));
    assert_eq!(state(process.id()), None, "reaped");
}

#[tokio::test]
async fn stdio_09_closing_twice_and_after_the_end_is_harmless() {
    let mut child = sh("exit 0").spawn().unwrap();
    child.process.exited().await;
    child.writer.close().await;
    child.writer.close().await;
    assert!(child.writer.flush().await.is_err() || child.writer.pending() == 0);
}

#[tokio::test]
async fn s04_fifty_servers_end_side_by_side_and_none_is_left() {
    let mut witness = Witness::new();
    let alive = witness.path().display().to_string();
    let mut children: Vec<_> = (0..50)
        .map(|i| {
            let body = match i % 10 {
                0 | 1 => "while :; do sleep 0.1; done",
                2 => "trap '' TERM; while :; do sleep 0.1; done",
                3 => "(trap '' TERM; while :; do sleep 0.1; done) & read -r l; wait",
                _ => "while read -r l; do :; done",
            };
            hasty(&format!("exec 9>'{alive}'; echo '{{}}'; {body}"))
                .spawn()
                .unwrap()
        })
        .collect();
    for child in &mut children {
        receive(&mut child.reader, 1).await;
    }
    let closing: Vec<_> = children
        .into_iter()
        .map(|mut child| {
            tokio::spawn(async move {
                child.writer.close().await;
                assert!(child.process.has_exited());
                assert_eq!(state(child.process.id()), None, "reaped");
            })
        })
        .collect();
    for closed in closing {
        closed.await.unwrap();
    }
    witness.is_alone().await;
}

#[tokio::test]
async fn s04_a_client_that_is_killed_takes_its_servers_and_their_children_along() {
    let mut witness = Witness::new();
    let alive = witness.path().display();
    let endless = "while :; do sleep 0.05; done";
    let script = format!("trap '' TERM; (exec 9>'{alive}'; echo '{{}}'; {endless}) & {endless}");
    let mut client = roles::start("client")
        .env("SCRIPT", script)
        .env("WITNESS", witness.path())
        .spawn()
        .unwrap();
    witness.hears("ok").await;
    client.kill().unwrap();
    client.wait().unwrap();
    witness.is_alone().await;
}

#[tokio::test]
async fn s04_the_watchdog_ends_with_the_last_child() {
    let output = roles::start("watchdog").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}

/// Plays a client that is about to be killed.
pub(crate) async fn client() {
    let script = std::env::var("SCRIPT").unwrap();
    let mut child = sh(&script).spawn().unwrap();
    receive(&mut child.reader, 1).await;
    std::fs::write(std::env::var("WITNESS").unwrap(), "ok\n").unwrap();
    std::future::pending::<()>().await;
}

/// Counts our child processes before, while and after two servers run.
pub(crate) async fn watchdog() {
    let echo = "while read -r l; do printf '%s\\n' \"$l\"; done";
    assert_eq!(support::children(), 0);
    for _ in 0..2 {
        let mut one = sh(echo).spawn().unwrap();
        let mut two = sh(echo).spawn().unwrap();
        send(&mut one, 1).await;
        send(&mut two, 2).await;
        receive(&mut one.reader, 1).await;
        receive(&mut two.reader, 1).await;
        assert_eq!(support::children(), 3, "two servers and one watchdog");
        one.writer.close().await;
        assert_eq!(support::children(), 2);
        two.writer.close().await;
        assert_eq!(support::children(), 0);
    }
    let _free = sh(echo).survives_us(true).spawn().unwrap();
    assert_eq!(support::children(), 1, "no watchdog when not asked for");
}
