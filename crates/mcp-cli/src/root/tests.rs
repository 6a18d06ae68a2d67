//! What a root shows, and what it does not.

use std::fs;
use std::path::Path;

use super::{Root, RootError, Walk};

fn tree() -> (tempfile::TempDir, Root) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("top");
    fs::create_dir_all(root.join("a/b")).unwrap();
    fs::write(root.join("a/x.txt"), "inside").unwrap();
    fs::write(dir.path().join("secret"), "outside").unwrap();
    let root = Root::open(&root).unwrap();
    (dir, root)
}

fn read(root: &Root, path: &str) -> Result<String, RootError> {
    root.text(Path::new(path), 100)
}

#[test]
fn paths_inside_are_read_however_they_are_written() {
    let (_dir, root) = tree();
    let absolute = root.path().join("a/x.txt");
    for path in [
        "a/x.txt",
        "./a//x.txt",
        "a/b/../x.txt",
        absolute.to_str().unwrap(),
    ] {
        assert_eq!(read(&root, path).unwrap(), "inside", "{path}");
    }
    assert!(matches!(read(&root, "a/y"), Err(RootError::Missing { .. })));
    assert!(matches!(read(&root, "a"), Err(RootError::NotAFile { .. })));
    assert!(matches!(
        root.text(Path::new("a/x.txt"), 3),
        Err(RootError::TooLarge { .. })
    ));
}

#[test]
fn t13_paths_that_lead_out_are_refused() {
    let (dir, root) = tree();
    let absolute = dir.path().join("secret");
    let beside = format!("{}-evil/x", root.path().display());
    for path in [
        "../secret",
        "a/../../secret",
        absolute.to_str().unwrap(),
        &beside,
        "/etc/passwd",
    ] {
        assert!(
            matches!(read(&root, path), Err(RootError::Outside { .. })),
            "{path}"
        );
    }
}

#[cfg(unix)]
#[test]
fn t13_links_are_followed_inside_only() {
    use std::os::unix::fs::symlink;
    let (dir, root) = tree();
    let inner = root.path();
    symlink("../x.txt", inner.join("a/b/near")).unwrap();
    symlink(inner.join("a/x.txt"), inner.join("absolute")).unwrap();
    symlink("../secret", inner.join("far")).unwrap();
    symlink(dir.path(), inner.join("up")).unwrap();
    symlink("loop", inner.join("loop")).unwrap();
    assert_eq!(read(&root, "a/b/near").unwrap(), "inside");
    assert_eq!(read(&root, "absolute").unwrap(), "inside");
    for path in ["far", "up/secret", "up/top/../secret"] {
        assert!(
            matches!(read(&root, path), Err(RootError::Outside { .. })),
            "{path}"
        );
    }
    assert!(read(&root, "loop").is_err());
    assert!(root.entries(Path::new("up")).is_err());
    let walked: Vec<String> = Walk::new(&root, "", 100).map(|found| found.path).collect();
    assert_eq!(walked, ["a/x.txt"]);
}

#[cfg(unix)]
#[test]
fn a_named_pipe_is_refused_at_once() {
    let (_dir, root) = tree();
    let made = std::process::Command::new("mkfifo")
        .arg(root.path().join("pipe"))
        .status();
    assert!(made.unwrap().success());
    assert!(read(&root, "pipe").is_err());
}

#[cfg(target_os = "linux")]
#[test]
fn the_portable_way_agrees_with_the_kernel() {
    use std::os::unix::fs::symlink;
    let (_dir, root) = tree();
    symlink("../secret", root.path().join("far")).unwrap();
    for (path, ok) in [("a/x.txt", true), ("far", false), ("a/../../secret", false)] {
        let opened = super::portable::open(root.path(), Path::new(path));
        assert_eq!(opened.is_ok(), ok, "{path}");
    }
}

#[test]
fn a_walk_is_ordered_bounded_and_leaves_out_what_is_ignored() {
    let (_dir, root) = tree();
    let at = |path: &str| root.path().join(path);
    fs::create_dir_all(at("target/debug")).unwrap();
    fs::create_dir_all(at(".git")).unwrap();
    for path in [
        "target/debug/x",
        ".git/config",
        "z.log",
        "b.txt",
        "a/keep.log",
        "a/b/c",
    ] {
        fs::write(at(path), "").unwrap();
    }
    fs::write(at(".gitignore"), "/target\n*.log\n").unwrap();
    fs::write(at("a/.gitignore"), "!keep.log\n").unwrap();
    let walk = |start| {
        Walk::new(&root, start, 100)
            .map(|found| found.path)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        walk(""),
        [
            ".gitignore",
            "a/.gitignore",
            "a/b/c",
            "a/keep.log",
            "a/x.txt",
            "b.txt"
        ]
    );
    assert_eq!(walk("./a/b"), ["a/b/c"]);
    assert_eq!(walk("a/x.txt"), ["a/x.txt"]);
    let mut short = Walk::new(&root, "", 2);
    assert!(short.by_ref().count() <= 2 && short.is_cut());
}
