//! The git server's logic against scratch repositories.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Git;
use super::changes::ChangedFile;
use super::compare::Comparison;
use super::error::GitError;
use super::status::FileStatus;

/// A repository in a folder of its own.
pub(crate) struct Scratch(tempfile::TempDir);

impl Scratch {
    pub(crate) fn new() -> Self {
        let scratch = Self(tempfile::tempdir().unwrap());
        scratch.git(&["init", "-q", "-b", "main"]);
        scratch
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn git(&self, arguments: &[&str]) {
        let status = Command::new("git")
            .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"])
            .args([
                "-c",
                "commit.gpgsign=false",
                "-c",
                "protocol.file.allow=always",
            ])
            .args(arguments)
            .current_dir(self.path())
            .output()
            .unwrap();
        assert!(status.status.success(), "{arguments:?}: {status:?}");
    }

    pub(crate) fn write(&self, path: &str, content: &str) -> PathBuf {
        let full = self.path().join(path);
        fs::create_dir_all(full.parent().unwrap()).unwrap();
        fs::write(&full, content).unwrap();
        full
    }

    pub(crate) fn commit(&self, subject: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", subject]);
    }
}

async fn changes(scratch: &Scratch, comparison: Comparison) -> Vec<ChangedFile> {
    let git = Git::open(scratch.path()).await.unwrap();
    git.changes(&comparison, 0, 1000).await.unwrap().files
}

/// `state path +added -removed functions` of each file.
async fn shown(scratch: &Scratch) -> Vec<String> {
    let files = changes(scratch, Comparison::default()).await;
    files.iter().map(show).collect()
}

fn show(file: &ChangedFile) -> String {
    let lines = match (file.added, file.removed) {
        (Some(added), Some(removed)) => format!("+{added} -{removed}"),
        _ if file.binary => "binary".to_owned(),
        _ => "?".to_owned(),
    };
    let functions = file.functions_added.join(",");
    format!("{} {} {lines} {functions}", file.state, file.path)
        .trim_end()
        .to_owned()
}

#[tokio::test]
async fn every_kind_of_change_is_listed_with_lines_and_functions() {
    let scratch = Scratch::new();
    scratch.write("a.rs", "fn old(x: u8) {}\n// fn no() {}\n");
    scratch.write("b.py", "def same():\n    pass\n");
    scratch.write("gone.txt", "1\n2\n");
    scratch.write(
        "moved.go",
        "package p\n\nfunc Kept() {}\n\nfunc More() {}\n",
    );
    scratch.write("bin", "\0\0");
    scratch.write(".gitignore", "ignored/\n");
    scratch.commit("first");
    scratch.write(
        "a.rs",
        "fn old(x: u16) {}\nfn alpha() {}\nconst S: &str = \"fn no() {}\";\n",
    );
    scratch.write(
        "b.py",
        "def same():\n    pass\n\ndef beta():\n    '''def no(): pass'''\n",
    );
    scratch.write(
        "sub/c.ts",
        "function gamma() {}\nexport const delta = () => 1;",
    );
    scratch.write("ignored/x.rs", "fn no() {}");
    scratch.write("bin", "\0\0\0");
    scratch.write("name with\n\"quotes\".txt", "x\n");
    fs::remove_file(scratch.path().join("gone.txt")).unwrap();
    scratch.git(&["mv", "moved.go", "here.go"]);
    assert_eq!(
        shown(&scratch).await,
        [
            "modified a.rs +3 -2 alpha",
            "modified b.py +3 -0 beta",
            "modified bin binary",
            "deleted gone.txt +0 -2",
            "renamed here.go +0 -0",
            "new (untracked) name with\n\"quotes\".txt +1 -0",
            "new (untracked) sub/c.ts +2 -0 gamma,delta",
        ]
    );
}

#[tokio::test]
async fn before_the_first_commit_everything_is_new_and_a_clean_tree_is_empty() {
    let scratch = Scratch::new();
    assert!(shown(&scratch).await.is_empty());
    scratch.write("x.rs", "fn x() {}\n");
    scratch.write("y.rs", "fn y() {}\n");
    scratch.git(&["add", "x.rs"]);
    assert_eq!(
        shown(&scratch).await,
        ["new x.rs +1 -0 x", "new (untracked) y.rs +1 -0 y"]
    );
    let git = Git::open(scratch.path()).await.unwrap();
    assert!(git.log(None, None, 5).await.unwrap().is_empty());
    scratch.commit("first");
    assert!(shown(&scratch).await.is_empty());
}

#[tokio::test]
async fn what_only_left_the_index_has_not_changed() {
    let scratch = Scratch::new();
    scratch.write("same.rs", "fn a() {}\n");
    scratch.write("more.rs", "fn a() {}\n");
    scratch.commit("first");
    scratch.git(&["rm", "-q", "--cached", "same.rs", "more.rs"]);
    scratch.write("more.rs", "fn a() {}\nfn b() {}\n");
    assert_eq!(shown(&scratch).await, ["modified more.rs +1 -0 b"]);
}

#[tokio::test]
async fn a_conflict_is_told() {
    let scratch = Scratch::new();
    scratch.write("x.rs", "fn x() {}\n");
    scratch.commit("first");
    scratch.git(&["checkout", "-q", "-b", "other"]);
    scratch.write("x.rs", "fn x() {}\nfn theirs() {}\n");
    scratch.commit("theirs");
    scratch.git(&["checkout", "-q", "main"]);
    scratch.write("x.rs", "fn x() {}\nfn ours() {}\n");
    scratch.commit("ours");
    let merge = Command::new("git")
        .args(["merge", "other"])
        .current_dir(scratch.path())
        .output();
    assert!(!merge.unwrap().status.success());
    assert_eq!(shown(&scratch).await, ["in conflict x.rs +4 -0 theirs"]);
}

#[tokio::test]
async fn staged_changes_and_revisions_are_compared() {
    let scratch = Scratch::new();
    scratch.write("x.rs", "fn x() {}\n");
    scratch.commit("first");
    scratch.write("x.rs", "fn x() {}\nfn y() {}\n");
    scratch.commit("second");
    scratch.write("x.rs", "fn x() {}\nfn y() {}\nfn z() {}\n");
    scratch.git(&["add", "-A"]);
    scratch.write("x.rs", "fn x() {}\n");
    let staged = Comparison {
        staged: true,
        ..Comparison::default()
    };
    assert_eq!(changes(&scratch, staged).await[0].functions_added, ["z"]);
    let both = Comparison {
        from: Some("HEAD~1".to_owned()),
        to: Some("main".to_owned()),
        staged: false,
    };
    assert_eq!(
        changes(&scratch, both.clone()).await[0].functions_added,
        ["y"]
    );
    let git = Git::open(scratch.path()).await.unwrap();
    let patch = git.diff(&both, &["x.rs".to_owned()], 0).await.unwrap();
    assert!(
        patch.contains("+fn y() {}") && !patch.contains(" fn x() {}\n@@"),
        "{patch}"
    );
    assert!(
        git.diff(&both, &["y*".to_owned()], 0)
            .await
            .unwrap()
            .is_empty()
    );
    let shown = git.show("HEAD", None).await.unwrap();
    assert!(shown.contains("second") && shown.contains("+fn y() {}"));
    let log = git.log(None, Some("x.rs"), 1).await.unwrap();
    assert_eq!(
        (log[0].subject.as_str(), log[0].author.as_str()),
        ("second", "Ada")
    );
}

#[tokio::test]
async fn options_and_nonsense_are_no_revisions() {
    let scratch = Scratch::new();
    scratch.commit("first");
    let git = Git::open(scratch.path()).await.unwrap();
    let target = scratch.path().join("written");
    let output = format!("--output={}", target.display());
    for revision in [
        "",
        "-p",
        &output,
        "HEAD..main",
        "no-such",
        "a\nb",
        "HEAD:x",
        "--help",
    ] {
        let refused = git.show(revision, None).await;
        assert!(
            matches!(refused, Err(GitError::Revision { .. })),
            "{revision}"
        );
        let refused = git.log(Some(revision), None, 1).await;
        assert!(
            matches!(refused, Err(GitError::Revision { .. })),
            "{revision}"
        );
    }
    assert!(git.log(None, Some(&output), 1).await.unwrap().is_empty());
    assert!(!target.exists());
}

#[cfg(unix)]
#[tokio::test]
async fn nothing_that_a_repository_configures_is_run() {
    use std::os::unix::fs::PermissionsExt as _;
    let scratch = Scratch::new();
    scratch.write("x.txt", "1\n");
    scratch.write(".gitattributes", "*.txt filter=evil diff=evil\n");
    scratch.commit("first");
    let ran = scratch.path().join(".git/ran");
    let script = scratch.write(
        ".git/evil.sh",
        &format!("#!/bin/sh\ntouch '{}'\ncat\n", ran.display()),
    );
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let script = script.to_str().unwrap();
    for key in [
        "core.fsmonitor",
        "core.pager",
        "diff.external",
        "diff.evil.command",
        "diff.evil.textconv",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "gpg.program",
    ] {
        scratch.git(&["config", key, script]);
    }
    scratch.git(&["config", "log.showSignature", "true"]);
    fs::copy(script, scratch.path().join(".git/hooks/post-index-change")).unwrap();
    scratch.write("x.txt", "12\n");
    let git = Git::open(scratch.path()).await.unwrap();
    git.status().await.unwrap();
    git.changes(&Comparison::default(), 0, 10).await.unwrap();
    git.diff(&Comparison::default(), &[], 3).await.unwrap();
    git.show("HEAD", None).await.unwrap();
    git.log(None, None, 3).await.unwrap();
    assert!(!ran.exists());
    scratch.git(&["status"]);
    assert!(ran.exists(), "the script would have been run");
}

#[cfg(unix)]
#[tokio::test]
async fn a_filter_is_not_run_whatever_its_name_and_whenever_it_is_configured() {
    use std::io::Write as _;
    let scratch = Scratch::new();
    let ran = scratch.path().join(".git/ran");
    scratch.write("x.txt", "1\n");
    scratch.commit("first");
    let before = Git::open(scratch.path()).await.unwrap();
    fs::write(
        scratch.path().join(".gitattributes"),
        b"*.txt filter=\xff\n",
    )
    .unwrap();
    let mut config = fs::OpenOptions::new()
        .append(true)
        .open(scratch.path().join(".git/config"))
        .unwrap();
    config.write_all(b"[filter \"\xff\"]\n\tclean = ").unwrap();
    writeln!(config, "\"touch '{}'; cat\"", ran.display()).unwrap();
    scratch.write("x.txt", "2\n");
    let after = Git::open(scratch.path()).await.unwrap();
    for git in [after, before.guarded().await.unwrap()] {
        git.changes(&Comparison::default(), 0, 10).await.unwrap();
        git.status().await.unwrap();
    }
    assert!(!ran.exists());
    scratch.git(&["diff"]);
    assert!(ran.exists(), "the filter would have been run");
}

#[tokio::test]
async fn t13_a_repository_does_not_choose_another_folder_as_its_working_tree() {
    let (scratch, other) = (Scratch::new(), tempfile::tempdir().unwrap());
    let top = Git::open(scratch.path()).await.unwrap().top().to_owned();
    let parent = scratch.path().parent().unwrap();
    for elsewhere in [other.path(), parent, Path::new("/")] {
        let elsewhere = elsewhere.to_str().unwrap();
        scratch.git(&["config", "core.worktree", elsewhere]);
        let told = Git::open(scratch.path()).await.unwrap_err();
        assert!(matches!(told, GitError::NoRepository { .. }), "{told}");
    }
    scratch.git(&["config", "core.worktree", scratch.path().to_str().unwrap()]);
    assert_eq!(Git::open(scratch.path()).await.unwrap().top(), top);
}

#[tokio::test]
async fn s01_git_may_warn_of_as_much_as_it_likes() {
    let scratch = Scratch::new();
    for n in 0..300 {
        let name = format!("{}{n}", "a".repeat(200));
        scratch.write(&name, "1\n");
    }
    scratch.commit("first");
    for n in 0..300 {
        let name = format!("{}{n}", "a".repeat(200));
        scratch.write(&name, "12\n");
    }
    scratch.git(&["config", "core.autocrlf", "true"]);
    assert_eq!(changes(&scratch, Comparison::default()).await.len(), 300);
}

#[tokio::test]
async fn a_folder_without_a_repository_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let told = Git::open(dir.path()).await.unwrap_err().to_string();
    assert!(
        told.contains("not in the working tree of a git repository"),
        "{told}"
    );
}

#[tokio::test]
async fn a_submodule_that_changed_inside_has_changed() {
    let (inner, outer) = (Scratch::new(), Scratch::new());
    inner.write("a.rs", "fn a() {}\n");
    inner.commit("inner");
    let url = inner.path().to_str().unwrap();
    outer.git(&["submodule", "--quiet", "add", url, "a module"]);
    outer.commit("outer");
    assert_eq!(shown(&outer).await, [""; 0]);
    // What the submodule configures is not run.
    outer.write("a module/.gitattributes", "* filter=bad diff=bad\n");
    let bad = inner.path().join("ran");
    let command = format!("touch '{}'; cat", bad.display());
    let inside = outer.path().join("a module");
    outer.git(&[
        "-C",
        inside.to_str().unwrap(),
        "config",
        "filter.bad.clean",
        &command,
    ]);
    outer.write("a module/a.rs", "fn b() {}\n");
    assert_eq!(
        shown(&outer).await,
        ["changed inside (a submodule) a module ?"]
    );
    assert_eq!(
        unstaged(&outer).await,
        ["changed inside (a submodule) a module"]
    );
    assert!(!bad.exists());
    // Another commit in it is a change of the repository itself.
    let inside = inside.to_str().unwrap();
    outer.git(&["-C", inside, "config", "filter.bad.clean", "cat"]);
    outer.git(&["-C", inside, "commit", "-qam", "next"]);
    for key in ["diff.external", "diff.bad.command", "diff.bad.textconv"] {
        outer.git(&["-C", inside, "config", key, &command]);
    }
    outer.git(&["config", "diff.submodule", "diff"]);
    let git = Git::open(outer.path()).await.unwrap();
    git.diff(&Comparison::default(), &[], 3).await.unwrap();
    outer.git(&["commit", "-qam", "next"]);
    git.show("HEAD", None).await.unwrap();
    assert!(!bad.exists());
    outer.git(&["reset", "-q", "--soft", "HEAD~1"]);
    outer.git(&["reset", "-q"]);
    assert_eq!(
        shown(&outer).await,
        ["modified (a submodule) a module +1 -1"]
    );
    assert_eq!(unstaged(&outer).await, ["modified a module"]);
}

/// What the status says of files that are not staged.
async fn unstaged(scratch: &Scratch) -> Vec<String> {
    let git = Git::open(scratch.path()).await.unwrap();
    let files = git.status().await.unwrap().files.into_iter();
    let line = |file: FileStatus| format!("{} {}", file.unstaged.unwrap_or("?"), file.path);
    files.map(line).collect()
}

#[tokio::test]
async fn many_changes_take_no_time_for_each_other() {
    let scratch = Scratch::new();
    for n in 0..20_000 {
        fs::write(scratch.path().join(format!("{n}")), "").unwrap();
    }
    let git = Git::open(scratch.path()).await.unwrap();
    let found = git.changes(&Comparison::default(), 0, 10).await.unwrap();
    assert_eq!((found.total, found.files.len()), (20_000, 10));
}
