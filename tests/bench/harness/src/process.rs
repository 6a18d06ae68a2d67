//! What the operating system says of a process, and how a server is started.

use std::path::PathBuf;
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

/// The CPU time that a process has used.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    nanoseconds: u64,
}

impl Usage {
    /// Of this process, or of another by its id.
    ///
    /// The sum over its threads that live, to the nanosecond; the totals of the process come in
    /// ticks of 10 ms.
    pub fn of(pid: u32) -> Self {
        let threads = std::fs::read_dir(format!("/proc/{pid}/task"));
        let spent = |path: PathBuf| {
            let text = std::fs::read_to_string(path.join("schedstat")).unwrap_or_default();
            text.split(' ')
                .next()
                .and_then(|spent| spent.parse::<u64>().ok())
                .unwrap_or(0)
        };
        let threads = threads.into_iter().flatten().flatten();
        Self {
            nanoseconds: threads.map(|thread| spent(thread.path())).sum(),
        }
    }

    /// What was used since, in microseconds.
    pub fn micros_since(self, before: Self) -> f64 {
        self.nanoseconds.saturating_sub(before.nanoseconds) as f64 / 1e3
    }
}

/// The most memory that the process has ever had resident, in KiB.
pub fn peak_kib(pid: u32) -> u64 {
    status(pid, "VmHWM:")
}

/// The memory that the process has resident now, in KiB.
pub fn resident_kib(pid: u32) -> u64 {
    status(pid, "VmRSS:")
}

fn status(pid: u32, key: &str) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let value = text.lines().find_map(|line| line.strip_prefix(key));
    value
        .and_then(|v| v.trim().trim_end_matches(" kB").parse().ok())
        .unwrap_or(0)
}

/// A program that was built into the same folder as this one.
pub fn sibling(name: &str) -> PathBuf {
    let own = std::env::current_exe().expect("the path of this program");
    own.with_file_name(name)
}

/// Starts a server that prints the port that it listens on. It ends with the handle.
pub async fn start_listening(name: &str, args: Vec<String>) -> (Child, u16) {
    let mut child = Command::new(sibling(name))
        .args(args)
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("the server starts");
    let mut line = String::new();
    let stdout = child.stdout.take().expect("its stdout is a pipe");
    BufReader::new(stdout)
        .read_line(&mut line)
        .await
        .expect("it prints a line");
    let port = line.trim().parse().expect("the line is a port");
    (child, port)
}
