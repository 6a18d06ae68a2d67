//! Signals in each phase of a command: the right exit code, and no process is left.

use std::fs;
use std::io::Read as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::scratch::Scratch;
use crate::scripted::{Scripted, configure};

/// Does not end when its input does, nor when it is asked to.
const STUBBORN: &str = "trap '' TERM INT HUP; echo $$ > pid";
/// What it does at the end of its input.
const STAYS: &str = "\necho ending > fifo; exec sleep 1000\n";

/// A command in a repository, with one server that tells of its phases through a fifo.
struct Running {
    scratch: Scratch,
    child: Child,
}

impl Running {
    fn new(server: Scripted<'_>, arguments: &[&str]) -> Self {
        let scratch = Scratch::new();
        assert!(succeeds(
            "mkfifo",
            &[scratch.path().join("fifo").to_str().unwrap()]
        ));
        server.write(&scratch, "s");
        let script = fs::read_to_string(scratch.path().join("s.sh")).unwrap();
        scratch.write("s.sh", &(script + STAYS));
        configure(
            &scratch,
            "s.json",
            &[("s", json!({"command": "sh", "args": ["s.sh"]}))],
        );
        let child = scratch
            .command(&[arguments, &["--config", "s.json"]].concat())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Self { scratch, child }
    }

    /// Waits until the server says this.
    fn phase(&self, told: &str) {
        let fifo = self.scratch.path().join("fifo");
        assert_eq!(fs::read_to_string(fifo).unwrap().trim(), told);
    }

    fn signal(&self, name: &str) {
        assert!(succeeds("kill", &[name, &self.child.id().to_string()]));
    }

    /// The command has ended for the signal, and the server with it.
    fn ends(mut self, within: Duration) {
        let begun = Instant::now();
        assert_eq!(self.child.wait().unwrap().code(), Some(130));
        assert!(begun.elapsed() < within, "{:?}", begun.elapsed());
        let pid = fs::read_to_string(self.scratch.path().join("pid")).unwrap();
        while succeeds("kill", &["-0", pid.trim()]) {
            assert!(begun.elapsed() < Duration::from_secs(20), "{pid} is left");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

fn succeeds(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    let status = command.args(arguments).stderr(Stdio::null()).status();
    status.unwrap().success()
}

const SIGNALS: [&str; 3] = ["-INT", "-TERM", "-HUP"];
/// As long as a stubborn server may take, and time to spare.
const LONG: Duration = Duration::from_secs(15);
/// Less than a server is given to end.
const SHORT: Duration = Duration::from_millis(1500);

#[test]
fn a_signal_while_servers_start_ends_them() {
    for signal in SIGNALS {
        let silent = Scripted {
            begins: "echo $$ > pid; echo up > fifo; exec sleep 1000",
            ..Scripted::PLAIN
        };
        let running = Running::new(silent, &["tools", "--startup-timeout", "60"]);
        running.phase("up");
        running.signal(signal);
        running.ends(LONG);
    }
}

#[test]
fn a_signal_during_a_call_ends_a_server_that_does_not_want_to() {
    for signal in SIGNALS {
        let running = Running::new(calls(), &["call", "s", "any"]);
        running.phase("called");
        running.signal(signal);
        running.phase("ending");
        running.ends(LONG);
    }
}

#[test]
fn a_second_signal_does_not_wait_for_servers() {
    for signal in SIGNALS {
        let running = Running::new(calls(), &["call", "s", "any"]);
        running.phase("called");
        running.signal("-INT");
        running.phase("ending");
        running.signal(signal);
        running.ends(SHORT);
    }
}

#[test]
fn a_signal_while_servers_end_does_not_wait_for_them() {
    for signal in SIGNALS {
        let server = Scripted {
            begins: STUBBORN,
            ..Scripted::PLAIN
        };
        let running = Running::new(server, &["ping"]);
        running.phase("ending");
        running.signal(signal);
        running.ends(SHORT);
    }
}

#[test]
fn a_signal_while_nobody_reads_the_answer_ends_the_command() {
    for (signal, json) in [("-INT", None), ("-TERM", Some("--json"))] {
        let answers = Scripted {
            cases: r#"*'"tools/call"'*)
      text=$(head -c 300000 /dev/zero | tr '\0' x)
      say "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"$text\"}]}" ;;"#,
            ..calls()
        };
        let arguments = ["call", "s", "any"].into_iter().chain(json);
        let mut running = Running::new(answers, &arguments.collect::<Vec<_>>());
        // It has begun to write, and a pipe does not hold so much.
        let mut first = [0];
        let mut out = running.child.stdout.take().unwrap();
        out.read_exact(&mut first).unwrap();
        running.signal(signal);
        running.phase("ending");
        running.ends(LONG);
        drop(out);
    }
}

fn calls() -> Scripted<'static> {
    Scripted {
        begins: STUBBORN,
        offers: r#"{"tools":{}}"#,
        cases: r#"*'"tools/call"'*) echo called > fifo ;;"#,
    }
}
