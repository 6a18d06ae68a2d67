//! Children: how they are started, and what they get.

use std::collections::BTreeSet;

use mcp_transport::TransportErrorKind;
use mcp_transport_stdio::{ChildBuilder, SpawnError, Stderr};

use crate::support::{exit_of, read_to_end, sh};

/// What a script has written to its stderr.
async fn said(builder: ChildBuilder) -> String {
    let mut child = builder.spawn().unwrap();
    read_to_end(&mut child.reader).await;
    child.process.stderr_tail()
}

fn names(env: &str) -> BTreeSet<&str> {
    let names = env.lines().filter_map(|line| line.split_once('='));
    // The shell sets these by itself.
    let names = names.map(|(name, _)| name);
    names
        .filter(|name| !["_", "PWD", "OLDPWD", "SHLVL"].contains(name))
        .collect()
}

#[tokio::test]
async fn s07_only_a_safe_part_of_the_environment_is_passed_on() {
    let env = said(sh("env >&2")).await;
    let safe = BTreeSet::from(["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"]);
    let names = names(&env);
    assert!(names.is_subset(&safe), "{names:?}");
    assert!(names.contains("PATH"));
    let cargo = std::env::vars().any(|(name, _)| name.starts_with("CARGO"));
    assert!(cargo, "there was something to keep back");
}

#[tokio::test]
async fn s07_given_variables_come_on_top_and_win() {
    let path = std::env::var("PATH").unwrap();
    let env = said(sh("env >&2").env("A", "b").env("USER", "me")).await;
    for line in ["A=b", "USER=me", &format!("PATH={path}")] {
        assert!(env.lines().any(|l| l == line), "{line} in {env}");
    }
}

#[tokio::test]
async fn s07_all_of_the_environment_is_passed_on_when_asked() {
    let env = said(sh("env >&2").inherit_env(true)).await;
    assert!(env.contains("CARGO"), "{env}");
}

#[tokio::test]
async fn s07_the_debug_output_hides_values() {
    let text = format!("{:?}", sh("").env("TOKEN", "hunter2"));
    assert!(
        text.contains("TOKEN") && !text.contains("hunter2"),
        "{text}"
    );
}

#[tokio::test]
async fn stdio_17_arguments_reach_the_program_as_they_are() {
    let args = ["a b", "x&calc", "%PATH%", "\"q\"", "$HOME", "*", ""];
    let script = r#"for a in "$@"; do echo "[$a]" >&2; done"#;
    let said = said(sh(script).arg("argv0").args(args)).await;
    assert_eq!(
        said.lines().collect::<Vec<_>>(),
        args.map(|a| format!("[{a}]"))
    );
}

#[tokio::test]
async fn the_working_folder_is_set_and_relative_programs_start_from_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("server");
    std::fs::write(&path, "#!/bin/sh\npwd >&2\n").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let said = said(ChildBuilder::new("./server").cwd(folder.path())).await;
    let here = folder.path().canonicalize().unwrap();
    assert_eq!(said.trim(), here.to_str().unwrap());
}

#[tokio::test]
async fn s02_a_command_that_is_not_there_is_told_apart() {
    let error = ChildBuilder::new("no-such-server").spawn().unwrap_err();
    assert!(matches!(&error, SpawnError::NotFound { path, .. } if path.contains("/bin")));
    assert_eq!(
        error.to_string(),
        "command `no-such-server` was not found in any folder of PATH; install it or give its \
         full path"
    );
    let error = ChildBuilder::new("/no/such").spawn().unwrap_err();
    assert_eq!(error.to_string(), "command `/no/such` does not exist");
    let error = sh("").cwd("/no/such").spawn().unwrap_err();
    assert_eq!(
        error.to_string(),
        "working folder `/no/such` does not exist"
    );
    let error = ChildBuilder::new("sh").arg("a\0b").spawn().unwrap_err();
    assert_eq!(error.to_string(), "command `sh` could not be started");
}

#[tokio::test]
async fn s02_the_path_of_the_child_is_searched_not_ours() {
    let error = sh("").env("PATH", "/nowhere").spawn().unwrap_err();
    assert!(matches!(error, SpawnError::NotFound { .. }));
}

#[test]
fn outside_a_runtime_starting_is_an_error_and_no_panic() {
    assert!(matches!(sh("").spawn().unwrap_err(), SpawnError::NoRuntime));
}

#[tokio::test]
async fn stdio_15_s02_a_child_that_exits_at_once_tells_its_code_and_last_words() {
    let mut child = sh("echo 'no API key' >&2; exit 3").spawn().unwrap();
    let (frames, error) = read_to_end(&mut child.reader).await;
    assert!(frames.is_empty());
    assert_eq!(error.kind(), TransportErrorKind::Ended);
    assert_eq!(error.to_string(), "`sh` exited with code 3");
    let exit = exit_of(&error);
    assert_eq!(exit.status.and_then(|s| s.code()), Some(3));
    assert_eq!(exit.stderr, "no API key\n");
    assert_eq!(exit.to_string(), "its stderr ends with: no API key");
}

#[tokio::test]
async fn stderr_can_be_discarded_or_handed_over_line_by_line() {
    assert_eq!(said(sh("echo a >&2").stderr(Stderr::Discard)).await, "");
    let (lines, mut seen) = tokio::sync::mpsc::unbounded_channel();
    let stderr = Stderr::each_line(move |line| {
        let _ = lines.send(line.to_owned());
    });
    assert_eq!(
        said(sh("printf 'a\\r\\nb\\n\\nc' >&2").stderr(stderr)).await,
        "a\r\nb\n\nc"
    );
    let mut got = Vec::new();
    while let Some(line) = seen.recv().await {
        got.push(line);
    }
    assert_eq!(got, ["a", "b", "", "c"]);
}

#[tokio::test]
async fn launchers_that_fetch_packages_come_with_a_hint() {
    assert!(sh("").startup_hint().is_none());
    let hint = ChildBuilder::new("/usr/bin/npx").startup_hint().unwrap();
    assert!(hint.contains("first run"), "{hint}");
}
