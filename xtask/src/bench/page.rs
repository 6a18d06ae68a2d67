//! The page: `docs/performance.md`, made of the sections that were measured last.

use std::fmt::Write as _;

use anyhow::Result;
use xshell::{Shell, cmd};

use super::line::{Line, text};
use crate::workspace::say;

const PAGE: &str = "docs/performance.md";
const KEPT: &str = "target/bench";
/// What stands behind the measured sections, written by hand: it is kept.
const NOTES: &str = "\n## Notes\n";

/// Keeps a section until all are there.
pub(crate) fn keep(sh: &Shell, name: &str, title: &str, lines: &[Line]) -> Result<()> {
    sh.create_dir(KEPT)?;
    Ok(sh.write_file(format!("{KEPT}/{name}.md"), text(title, lines))?)
}

/// Writes the page if all sections are there.
pub(crate) fn write(sh: &Shell, names: &[&str]) -> Result<()> {
    let mut page = head(sh)?;
    for name in names {
        let Ok(section) = sh.read_file(format!("{KEPT}/{name}.md")) else {
            say(&format!("{PAGE}: the section {name} is not measured yet"));
            return Ok(());
        };
        page.push('\n');
        page.push_str(&section);
    }
    let old = sh.read_file(PAGE).unwrap_or_default();
    if let Some((_, notes)) = old.split_once(NOTES) {
        page.push_str(NOTES);
        page.push_str(notes);
    }
    Ok(sh.write_file(PAGE, page)?)
}

fn head(sh: &Shell) -> Result<String> {
    let mut head = String::from(HEAD);
    let date = cmd!(sh, "date -u +%Y-%m-%d").quiet().read()?;
    let rustc = cmd!(sh, "rustc --version").quiet().read()?;
    let kernel = cmd!(sh, "uname -sr").quiet().read()?;
    let cpu = sh.read_file("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name"));
    let model = model.map_or("unknown CPU", |model| {
        model.trim_start_matches([' ', '\t', ':'])
    });
    let cores = std::thread::available_parallelism()?;
    writeln!(
        head,
        "\nMeasured on {date}: {model}, {cores} cores, {kernel}, {rustc}."
    )?;
    writeln!(head, "Compared with: {}.", versions(sh)?.join(", "))?;
    Ok(head)
}

const HEAD: &str = "\
# Performance

Written by `cargo xtask bench`, which builds all programs in release, runs them in turns (A B C,
A B C, ...) and takes medians. Figures are ratios, ours to the other's: of calls per second where
nothing else is said. Times are never compared between runs. `cargo xtask bench SECTION` measures
one section again, `--quick` and `--row TEXT` only print.

`raw` has the bytes of our client echoed: what pipes, sockets and the runtime allow. `serde` does
in addition what any SDK has to do: read into types, find out what is asked, hand over what the
tool owns, write the answer, read it into types. Both send many messages in one write where they
can. The same tool with the same text is called through each SDK, in the way that its
documentation shows; where it documents a slower and a faster way to serve HTTP, the faster.
";

fn versions(sh: &Shell) -> Result<Vec<String>> {
    let mut versions = Vec::new();
    for (workspace, name) in [("rmcp", "rmcp"), ("tower", "tower-mcp")] {
        let lock = sh.read_file(format!("tests/bench/{workspace}/Cargo.lock"))?;
        let behind = format!("name = \"{name}\"\nversion = \"");
        let version = lock
            .split(&behind)
            .nth(1)
            .and_then(|rest| rest.split('"').next());
        versions.push(format!("{name} {}", version.unwrap_or_default()));
    }
    let python = sh.read_file("tests/bench/langgraph/requirements.txt")?;
    versions.extend(python.lines().map(|line| line.replace("==", " ")));
    Ok(versions)
}
