//! Configurations as files, with the files around them.

use mcp::{Config, ConfigErrorKind, Variables};

#[test]
fn the_folder_of_a_workspace_is_around_that_of_the_editor() {
    let folder = tempfile::tempdir().unwrap();
    let text = r#"{"servers": {"a": {"command": "s", "cwd": "${workspaceFolder}"}}}"#;
    for path in [".vscode/mcp.json", ".cursor/mcp.json", ".mcp.json"] {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        let config = Config::load_with(&path, &Variables::none()).unwrap();
        let shown = format!("{:?}", config.servers()["a"]);
        assert!(
            shown.contains(&format!("Some({:?})", folder.path())),
            "{shown}"
        );
    }
}

#[test]
fn variables_come_from_a_file_too_and_those_of_the_server_win() {
    let folder = tempfile::tempdir().unwrap();
    let env = folder.path().join("a.env");
    std::fs::write(
        &env,
        "# comment\nexport A='x y'\n\nB=\"2\"\nC=3\nnonsense\n",
    )
    .unwrap();
    let text = format!(
        r#"{{"mcpServers": {{"a": {{"command": "s", "envFile": {env:?}, "env": {{"C": "4"}}}}}}}}"#
    );
    let config = Config::parse("t.json", &text, &Variables::none()).unwrap();
    let shown = format!("{:?}", config.servers()["a"]);
    assert!(shown.contains(r#"["A", "B", "C", "C"]"#), "{shown}");

    let text = text.replace("a.env", "b.env");
    let error = Config::parse("t.json", &text, &Variables::none()).unwrap_err();
    assert_eq!(error.kind(), ConfigErrorKind::Unreadable);
    assert_eq!(error.key(), Some("envFile"));
}

#[test]
fn a_file_that_is_too_large_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("big.json");
    std::fs::write(&path, " ".repeat((1 << 20) + 1)).unwrap();
    let error = Config::load(&path).unwrap_err();
    assert!(
        error.to_string().ends_with("the file is larger than 1 MiB"),
        "{error}"
    );
}
