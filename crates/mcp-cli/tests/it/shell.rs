//! The command among other programs: completions, pipes, full disks.

use std::process::Stdio;

use crate::scratch::Scratch;

#[test]
fn shells_are_told_how_to_complete() {
    let scratch = Scratch::new();
    for (shell, told) in [
        ("bash", "complete -F _mcp"),
        ("zsh", "#compdef mcp"),
        ("fish", "complete -c mcp"),
    ] {
        let ended = scratch.mcp(&["completions", shell]);
        assert_eq!(ended.code, Some(0), "{shell}");
        assert!(ended.out.contains(told), "{shell}");
        for command in ["doctor", "resources", "completions"] {
            assert!(ended.out.contains(command), "{shell}: {command}");
        }
    }
    assert_eq!(scratch.mcp(&["completions", "tcsh"]).code, Some(2));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let scratch = Scratch::new();
    let mut child = scratch
        .command(&["agent", "Show the last 3 commits", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_cannot_be_written_is_a_failure() {
    let scratch = Scratch::new();
    for arguments in [&["tools"][..], &["agent", "Show the last 3 commits"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
        let child = scratch
            .command(arguments)
            .stdout(full.unwrap())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(told.contains("the answer could not be written"), "{told}");
    }
}
