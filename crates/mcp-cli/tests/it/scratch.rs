//! Scratch repositories, and the command run in them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// A git repository in a folder of its own.
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
        let output = Command::new("git")
            .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"])
            .args(["-c", "commit.gpgsign=false"])
            .args(arguments)
            .current_dir(self.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
    }

    pub(crate) fn write(&self, path: &str, content: &str) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn commit(&self, subject: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", subject]);
    }

    /// Runs the command here, to its end.
    pub(crate) fn mcp(&self, arguments: &[&str]) -> Ended {
        let output = self.command(arguments).output().unwrap();
        Ended::of(output)
    }

    /// The command, to be run here.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mcp"));
        command.args(arguments).current_dir(self.path());
        command
    }

    /// Asks the planner, which has to answer. Gives back the answer without its signature.
    pub(crate) fn ask(&self, question: &str) -> String {
        let ended = self.mcp(&["agent", question]);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let (answer, signature) = ended.out.trim_end().rsplit_once("\n\n").unwrap();
        assert!(
            signature.contains("rule-based demo model, not an LLM"),
            "{signature}"
        );
        answer.to_owned()
    }
}

/// How a run of the command ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ended {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}
