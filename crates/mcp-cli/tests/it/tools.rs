//! `mcp tools` and `mcp call`.

use crate::scratch::{Ended, Scratch};

#[test]
fn tools_lists_what_the_three_servers_offer() {
    let scratch = Scratch::new();
    let ended = scratch.mcp(&["tools"]);
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{ended:?}");
    for line in [
        "files",
        "  read_file ",
        "git",
        "  changes ",
        "wiki",
        "  search_pages ",
    ] {
        assert!(ended.out.contains(line), "{line} in {}", ended.out);
    }
    let json: serde_json::Value =
        serde_json::from_str(&scratch.mcp(&["tools", "--json"]).out).unwrap();
    let names: Vec<&str> = json["servers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|server| server["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["files", "git", "wiki"]);
    assert_eq!(
        json["servers"][1]["tools"][0]["exposed_name"],
        "git__changes"
    );
    assert_eq!(json["failures"], serde_json::json!([]));
}

#[test]
fn outside_of_a_repository_the_git_server_says_so_and_the_others_work() {
    let dir = tempfile::tempdir().unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_mcp"))
        .arg("tools")
        .current_dir(dir.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(
        out.contains("read_file") && out.contains("search_pages"),
        "{out}"
    );
    assert!(out.contains("git  failed in handshake"), "{out}");
    assert!(
        out.contains("not in the working tree of a git repository"),
        "{out}"
    );
}

#[test]
fn call_prints_the_result_and_tells_errors_by_its_exit_code() {
    let scratch = Scratch::new();
    scratch.write("a b.txt", "one\ntwo\n");
    let ended = scratch.mcp(&[
        "call",
        "files",
        "read_file",
        r#"{"path":"a b.txt","first_line":2}"#,
    ]);
    assert_eq!(
        (ended.code, ended.out.as_str()),
        (Some(0), "two\n"),
        "{ended:?}"
    );
    let ended = scratch.mcp(&[
        "call",
        "files",
        "read_file",
        r#"{"path":"a b.txt"}"#,
        "--json",
    ]);
    let json: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(json["content"][0]["text"], "one\ntwo\n");

    for (arguments, code, told) in [
        (
            ["files", "read_file", r#"{"path":"../x"}"#],
            1,
            "reported an error",
        ),
        (["files", "read_file", "{}"], 1, "reported an error"),
        (["files", "no_such_tool", "{}"], 1, "no_such_tool"),
        (["nobody", "read_file", "{}"], 2, "files, git, wiki"),
        (["files", "read_file", "[1]"], 2, "no JSON object"),
        (["files", "read_file", "{"], 2, "no JSON object"),
    ] {
        let ended = scratch.mcp(&[&["call"][..], &arguments].concat());
        assert_eq!(ended.code, Some(code), "{arguments:?} {ended:?}");
        assert!(ended.err.contains(told), "{arguments:?} {ended:?}");
        assert_eq!(ended.err.lines().count(), 1, "{ended:?}");
    }
}

#[test]
fn wrong_usage_ends_with_two_and_help_with_none() {
    let scratch = Scratch::new();
    for arguments in [
        &["agent"][..],
        &["agent", " "],
        &["tools", "--nonsense"],
        &["call", "files"],
        &[],
        &["x"],
    ] {
        assert_eq!(scratch.mcp(arguments).code, Some(2), "{arguments:?}");
    }
    let help = scratch.mcp(&["agent", "--help"]);
    assert_eq!(help.code, Some(0));
    assert!(help.out.contains("130  interrupted"), "{}", help.out);
}

#[test]
fn arguments_that_no_command_line_has_room_for_come_from_standard_input() {
    let scratch = Scratch::new();
    scratch.write("a.txt", "one\n");
    let call = |arguments: &str| {
        scratch.write("arguments.json", arguments);
        let input = std::fs::File::open(scratch.path().join("arguments.json")).unwrap();
        let mut command = scratch.command(&["call", "files", "read_file", "-"]);
        Ended::of(command.stdin(input).output().unwrap())
    };
    let ended = call(&format!(r#"{}{{"path":"a.txt"}}"#, " ".repeat(300_000)));
    assert_eq!(
        (ended.code, ended.out.as_str()),
        (Some(0), "one\n"),
        "{ended:?}"
    );
    let ended = call("[]");
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.err.contains("no JSON object"), "{ended:?}");
    let ended = call(&" ".repeat(32 * 1024 * 1024 + 1));
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.err.contains("at most 33554432 bytes"), "{ended:?}");
}
