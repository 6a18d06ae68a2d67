//! `mcp doctor` on servers that other people wrote, and one that is broken in each phase.
//!
//! `cargo xtask interop` installs them and runs this with `MCP_INTEROP` set; without that it is
//! skipped where they are not there.

use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::doctor::{broken, check_broken, report, server};
use crate::scratch::Scratch;
use crate::scripted::configure;

/// Name, revision, and how many tools at least.
const SERVERS: [(&str, &str, u64); 5] = [
    ("filesystem", "2025-11-25", 10),
    ("everything", "2025-11-25", 10),
    ("everything-http", "2025-11-25", 10),
    ("git", "2026-07-28", 10),
    ("time", "2026-07-28", 2),
];

/// Where the servers are.
fn installed() -> Option<PathBuf> {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/interop");
    let programs = [
        "node_modules/.bin/node",
        "python/bin/python",
        "scratch/.git",
    ];
    if programs.iter().all(|program| place.join(program).exists()) {
        return place.canonicalize().ok();
    }
    let needed = std::env::var_os("MCP_INTEROP").is_some();
    assert!(!needed, "the servers are not in {}", place.display());
    let told = "skipped: the servers are not there, `cargo xtask interop` installs them\n";
    std::io::stderr().write_all(told.as_bytes()).unwrap();
    None
}

/// The servers as `tests/interop/servers.json` says, with this machine's paths and a port.
fn plan(place: &Path, port: u16) -> Vec<Value> {
    let path = |name: &str| place.join(name).to_str().unwrap().to_owned();
    let mut text = include_str!("../../../../tests/interop/servers.json").to_owned();
    for (name, value) in [
        ("{node}", path("node_modules/.bin/node")),
        ("{modules}", path("node_modules")),
        ("{python}", path("python/bin/python")),
        ("{scratch}", path("scratch")),
        ("{port}", port.to_string()),
    ] {
        text = text.replace(name, &value);
    }
    serde_json::from_str(&text).unwrap()
}

/// The program behind an endpoint, for as long as this lives.
struct Behind(Child);

impl Behind {
    fn start(start: &Value, port: u16) -> Self {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let env = start["env"].as_object().unwrap().iter();
        let child = Command::new(text(&start["command"]))
            .args(start["args"].as_array().unwrap().iter().map(text))
            .envs(env.map(|(name, value)| (name.clone(), text(value))))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let started = Self(child.unwrap());
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(60), "no endpoint");
            std::thread::sleep(Duration::from_millis(50));
        }
        started
    }
}

impl Drop for Behind {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn servers_of_other_people_get_right_verdicts_and_so_do_broken_ones() {
    let Some(place) = installed() else { return };
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr();
    let port = port.unwrap().port();
    let plan = plan(&place, port);
    let of = |name: &str| plan.iter().find(|server| server["name"] == name).unwrap();
    let _behind = Behind::start(&of("everything-http")["start"], port);

    let scratch = Scratch::new();
    let mut servers = broken(&scratch);
    servers.extend(SERVERS.map(|(name, ..)| (name, of(name)["server"].clone())));
    configure(&scratch, "servers.json", &servers);
    let settings = ["--config", "servers.json", "--startup-timeout", "60"];
    let ended = scratch.mcp(&[&["doctor", "--json"], &settings[..]].concat());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let report = report(&ended);
    check_broken(&report);
    for (name, revision, tools) in SERVERS {
        let server = server(&report, name);
        assert_eq!(server["failure"], Value::Null, "{server:#}");
        assert_eq!(server["revision"], revision, "{server:#}");
        assert!(
            server["counts"]["tools"].as_u64() >= Some(tools),
            "{server:#}"
        );
        // How long a start takes depends on the machine.
        let problems = server["problems"].as_array().unwrap();
        let mut warnings = problems.iter().filter(|p| p["severity"] == "warning");
        assert!(
            warnings.clone().all(|p| p["code"] == "slow_start"),
            "{server:#}"
        );
        let verdict = match warnings.next() {
            None => "ok",
            Some(_) => "problems",
        };
        assert_eq!(server["verdict"], verdict, "{server:#}");
    }
    let everything = server(&report, "everything");
    for kind in ["resources", "prompts"] {
        assert!(
            everything["counts"][kind].as_u64() > Some(1),
            "{everything:#}"
        );
    }
}
