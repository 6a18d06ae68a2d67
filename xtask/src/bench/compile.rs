//! What it takes to depend on us: crates, and compile time.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

use super::Bench;
use super::line::{Line, Target};
use super::race::median;

/// What a program of the kind has to name, and how many crates that may be.
const CRATES: [(&str, &[&str], f64); 3] = [
    ("mcp-jsonrpc", &["mcp-jsonrpc"], 14.0),
    ("stdio client", &["mcp-client", "mcp-transport-stdio"], 45.0),
    (
        "HTTP client and server with TLS",
        &["mcp-client", "mcp-server", "mcp-transport-http"],
        80.0,
    ),
];

/// A user's server, and in which package it is.
const USERS: [(&str, &str); 3] = [
    ("ours", "tests/bench/ours"),
    ("rmcp", "tests/bench/rmcp"),
    ("tower", "tests/bench/tower"),
];
/// CPU seconds for a user's server.
const ALLOWED: f64 = 6.0;

pub(crate) fn run(bench: &Bench<'_>) -> Result<Vec<Line>> {
    let mut lines = Vec::new();
    for (row, packages, most) in CRATES {
        let row = format!("crates in the normal tree, {row}");
        if bench.wants(&row) {
            let number = crates(bench.sh, packages)?;
            lines.push(Line::new(row, "number", number, Target::AtMost(most)));
        }
    }
    let row = "CPU to compile a user's echo server";
    if bench.wants(row) {
        lines.extend(users(bench, row)?);
    }
    let row = "clean release build of `mcp`";
    if bench.wants(row) && !bench.pace.quick {
        lines.push(Line::new(
            row,
            "CPU seconds",
            clean(bench.sh)?,
            Target::None,
        ));
    }
    Ok(lines)
}

/// How many crates these and all below them are.
fn crates(sh: &Shell, packages: &[&str]) -> Result<f64> {
    let packages = packages.iter().flat_map(|package| ["--package", package]);
    let tree = cmd!(
        sh,
        "cargo tree --locked --edges normal --prefix none {packages...}"
    )
    .quiet()
    .read()?;
    let crates: BTreeSet<_> = tree
        .lines()
        // The name and the version; what follows says where it is from, or that it was there.
        .map(|line| line.split(' ').take(2).collect::<Vec<_>>())
        .filter(|words| words.len() == 2)
        .collect();
    Ok(crates.len() as f64)
}

/// A server of twenty lines on dependencies that are built.
fn users(bench: &Bench<'_>, row: &str) -> Result<Vec<Line>> {
    let mut spent: Vec<Vec<f64>> = USERS.iter().map(|_| Vec::new()).collect();
    for _ in 0..if bench.pace.quick { 1 } else { 3 } {
        for ((name, package), spent) in USERS.iter().zip(&mut spent) {
            spent.push(user(bench.sh, name, package)?);
        }
    }
    let spent: Vec<f64> = spent.into_iter().map(median).collect();
    let ours = spent.first().copied().unwrap_or(f64::NAN);
    let mut lines = vec![Line::new(
        row,
        "the 6 s allowed",
        ours / ALLOWED,
        Target::AtMost(1.0),
    )];
    let others = USERS.iter().zip(&spent).skip(1);
    lines
        .extend(others.map(|((name, _), other)| Line::new(row, *name, ours / other, Target::None)));
    Ok(lines)
}

fn user(sh: &Shell, name: &str, package: &str) -> Result<f64> {
    let _there = sh.push_dir(package);
    let program = format!("{name}-echo");
    let source = format!("src/bin/{program}.rs");
    let build = || cmd!(sh, "cargo build --quiet --release --locked --bin {program}").run();
    // Whatever it depends on; then it alone, since it is written anew.
    build()?;
    sh.write_file(&source, sh.read_file(&source)?)?;
    let before = cpu_of_children(sh)?;
    build()?;
    Ok(cpu_of_children(sh)? - before)
}

fn clean(sh: &Shell) -> Result<f64> {
    let target = sh.current_dir().join("target/bench/clean");
    sh.remove_path(&target)?;
    let before = cpu_of_children(sh)?;
    cmd!(
        sh,
        "cargo build --quiet --release --locked --package mcp-cli --target-dir {target}"
    )
    .run()?;
    let spent = cpu_of_children(sh)? - before;
    sh.remove_path(&target)?;
    Ok(spent)
}

/// The CPU seconds of all processes that this one has waited for.
fn cpu_of_children(sh: &Shell) -> Result<f64> {
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = sh.read_file("/proc/self/stat")?;
    // The name of the program may have spaces; fields are counted behind it.
    let (_, fields) = stat
        .rsplit_once(')')
        .context("/proc/self/stat has a name")?;
    let times = fields.split_whitespace().skip(13).take(2);
    let ticks: f64 = times.filter_map(|ticks| ticks.parse::<f64>().ok()).sum();
    Ok(ticks / TICKS_PER_SECOND)
}
