//! One run of the suite: a role, a revision, and what came of each scenario.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use xshell::{Shell, cmd};

use super::install::Suite;
use crate::workspace::text;

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Role {
    Server,
    Client,
}

/// One run of the suite.
pub(crate) struct Leg {
    pub(crate) role: Role,
    pub(crate) name: String,
    select: Vec<String>,
}

/// Checks that did not succeed, by scenario; the successful are only counted.
pub(crate) type Scenarios = BTreeMap<String, Scenario>;

#[derive(Default)]
pub(crate) struct Scenario {
    pub(crate) succeeded: usize,
    pub(crate) skipped: usize,
    /// `FAILURE` or `WARNING`, the check's id, and what the suite says.
    pub(crate) bad: Vec<(String, String, String)>,
}

impl Leg {
    /// All scenarios of a requirement set, scored or not.
    pub(crate) fn required(role: Role, revision: &str) -> Self {
        Self::new(role, revision, &["--requirements", revision])
    }

    /// What no requirement set holds: an older revision for servers, older habits for clients.
    pub(crate) fn extra(role: Role) -> Self {
        match role {
            Role::Server => Self::new(
                role,
                "2025-06-18",
                &["--suite", "all", "--spec-version", "2025-06-18"],
            ),
            Role::Client => Self::new(role, "backcompat", &["--suite", "backcompat"]),
        }
    }

    fn new(role: Role, name: &str, select: &[&str]) -> Self {
        let role_name = match role {
            Role::Server => "server",
            Role::Client => "client",
        };
        Self {
            role,
            name: format!("{role_name} {name}"),
            select: select.iter().map(|&s| s.to_owned()).collect(),
        }
    }

    pub(crate) fn run(&self, sh: &Shell, suite: &Suite) -> Result<Scenarios> {
        let (node, program, select) = (&suite.node, &suite.program, &self.select);
        let out = suite.results.join(self.name.replace(' ', "-"));
        sh.remove_path(&out)?;
        // The exit code counts required scenarios only; the verdict is read from the files.
        match self.role {
            Role::Server => {
                let server = Server::start(&suite.ours)?;
                let url = &server.url;
                cmd!(
                    sh,
                    "{node} {program} server --url {url} {select...} -o {out}"
                )
                .quiet()
                .ignore_status()
                .ignore_stderr()
                .read()?;
            }
            Role::Client => {
                let client = suite.ours.join("conformance-client");
                cmd!(
                    sh,
                    "{node} {program} client --command {client} {select...} -o {out}"
                )
                .quiet()
                .ignore_status()
                .ignore_stderr()
                .read()?;
            }
        }
        let mut scenarios = Scenarios::new();
        collect(&out, "", &mut scenarios)?;
        if scenarios.is_empty() {
            bail!("{}: the suite ran nothing", self.name);
        }
        Ok(scenarios)
    }
}

/// Length of the time stamp that the suite puts behind a scenario's name.
const STAMP: usize = "-2026-01-01T00-00-00-000Z".len();

fn collect(folder: &Path, prefix: &str, into: &mut Scenarios) -> Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let name = path
            .file_name()
            .and_then(|n| n.to_str())
            .unwrap_or_default();
        let checks = path.join("checks.json");
        if checks.exists() {
            let scenario = name
                .strip_prefix("server-")
                .filter(|_| prefix.is_empty())
                .unwrap_or(name);
            let end = scenario.len().saturating_sub(STAMP);
            let scenario = format!("{prefix}{}", scenario.get(..end).unwrap_or(scenario));
            into.insert(scenario, read(&std::fs::read_to_string(checks)?)?);
        } else if path.is_dir() {
            collect(&path, &format!("{prefix}{name}/"), into)?;
        }
    }
    Ok(())
}

fn read(checks: &str) -> Result<Scenario> {
    let mut scenario = Scenario::default();
    let checks: Vec<Value> = serde_json::from_str(checks)?;
    for check in &checks {
        match text(check, "status") {
            "SUCCESS" => scenario.succeeded += 1,
            "SKIPPED" => scenario.skipped += 1,
            bad @ ("FAILURE" | "WARNING") => {
                let why = match text(check, "errorMessage") {
                    "" => text(check, "description"),
                    why => why,
                };
                scenario
                    .bad
                    .push((bad.to_owned(), text(check, "id").to_owned(), why.to_owned()));
            }
            _ => {}
        }
    }
    Ok(scenario)
}

/// Our server, for as long as this lives.
struct Server {
    url: String,
    child: Child,
    /// Kept open: a server whose stderr is gone may stop.
    _stderr: BufReader<ChildStderr>,
}

impl Server {
    fn start(programs: &Path) -> Result<Self> {
        let mut child = Command::new(programs.join("conformance-server"))
            .args(["--port", "0"])
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        let mut stderr = BufReader::new(child.stderr.take().context("stderr is piped")?);
        let mut line = String::new();
        stderr.read_line(&mut line)?;
        match line.trim().strip_prefix("listening on ") {
            Some(url) => Ok(Self {
                url: url.to_owned(),
                child,
                _stderr: stderr,
            }),
            None => {
                child.kill().ok();
                child.wait()?;
                bail!("the server said {line:?} instead of its URL")
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
