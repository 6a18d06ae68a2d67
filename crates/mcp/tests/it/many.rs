//! Fifty servers at once, of which many do not want to end.

use std::path::Path;
use std::process::{Command, Stdio};

use mcp::{Config, Variables};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe;

use crate::servers::ROLE;

const COUNT: usize = 50;

/// Runs the server and writes to the named pipe that it does; what holds descriptor 9 open is
/// alive.
fn script(n: usize) -> &'static str {
    match n {
        // Ignores the end of its input; ten do, of which five
        0..5 => "exec 9>\"$ALIVE\"; \"$@\"; while :; do sleep 0.1; done",
        // ignore being asked to terminate, too.
        5..10 => "trap '' TERM; exec 9>\"$ALIVE\"; \"$@\"; while :; do sleep 0.1; done",
        // Has a child of its own that ignores both.
        10..15 => "exec 9>\"$ALIVE\"; (trap '' TERM; while :; do sleep 0.1; done) & exec \"$@\"",
        _ => "exec 9>\"$ALIVE\"; exec \"$@\"",
    }
}

fn config(alive: &Path) -> Config {
    let program = std::env::current_exe().unwrap();
    // Whatever the script becomes, it has this process id.
    let script = |n| format!("echo $$ > \"$ALIVE.$$\"; {}", script(n));
    let server = |n| {
        let args = json!([
            "-c",
            script(n),
            "sh",
            program,
            "--exact",
            "servers::other_role",
            "--nocapture",
        ]);
        let env = json!({ROLE: "server", "ALIVE": alive});
        (
            format!("s{n}"),
            json!({"command": "sh", "args": args, "env": env}),
        )
    };
    let servers: serde_json::Map<String, Value> = (0..COUNT).map(server).collect();
    let text = json!({"mcpServers": servers}).to_string();
    Config::parse("many.json", &text, &Variables::none()).unwrap()
}

struct Witness {
    folder: tempfile::TempDir,
    pipe: pipe::Receiver,
}

impl Witness {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("alive");
        assert!(
            Command::new("mkfifo")
                .arg(&path)
                .status()
                .unwrap()
                .success()
        );
        let pipe = pipe::OpenOptions::new().open_receiver(&path).unwrap();
        Self { folder, pipe }
    }

    fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("alive")
    }

    /// The process ids of the servers that were started.
    fn pids(&self) -> Vec<u32> {
        let names = std::fs::read_dir(self.folder.path()).unwrap();
        let pid = |name: std::ffi::OsString| {
            let name = name.into_string().ok()?;
            name.strip_prefix("alive.")?.parse().ok()
        };
        names
            .filter_map(|entry| pid(entry.ok()?.file_name()))
            .collect()
    }

    /// Waits until nobody holds the pipe open.
    async fn is_alone(&mut self) {
        self.pipe.read_to_end(&mut Vec::new()).await.unwrap();
    }
}

async fn all_up(config: &Config) -> mcp::ServerPool {
    let pool = config.pool();
    let list = pool.tools().await;
    assert!(list.failures.is_empty(), "{:?}", list.failures);
    assert_eq!(list.tools.len(), COUNT);
    pool
}

#[tokio::test]
async fn s04_all_are_up_in_one_call_and_all_are_gone_after_shutdown() {
    let mut witness = Witness::new();
    let pool = all_up(&config(&witness.path())).await;
    let pids = witness.pids();
    assert_eq!(pids.len(), COUNT);
    pool.shutdown().await;
    if cfg!(target_os = "linux") {
        // Neither running nor waiting to be reaped.
        let left = pids.iter().map(|pid| format!("/proc/{pid}"));
        let left: Vec<_> = left.filter(|path| Path::new(path).exists()).collect();
        assert!(left.is_empty(), "{left:?}");
    }
    witness.is_alone().await;
}

#[tokio::test]
async fn s04_all_are_gone_after_the_client_was_killed() {
    let mut witness = Witness::new();
    let mut client = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "many::other_role", "--nocapture"])
        .env("MCP_TEST_CLIENT", witness.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = client.stdout.take().unwrap();
    let up = move || {
        let mut seen = Vec::new();
        while !seen.ends_with(b"all up\n") {
            let mut byte = [0];
            std::io::Read::read_exact(&mut output, &mut byte).unwrap();
            seen.extend(byte);
        }
    };
    tokio::task::spawn_blocking(up).await.unwrap();
    client.kill().unwrap();
    client.wait().unwrap();
    witness.is_alone().await;
}

/// Does nothing unless it is started as the client that will be killed.
#[tokio::test]
async fn other_role() {
    let Some(alive) = std::env::var_os("MCP_TEST_CLIENT") else {
        return;
    };
    let _pool = all_up(&config(Path::new(&alive))).await;
    std::io::Write::write_all(&mut std::io::stdout(), b"all up\n").unwrap();
    std::future::pending::<()>().await;
}
