//! Speed and size beside the limits and beside other SDKs: `docs/performance.md`.

mod agent;
mod calls;
mod compile;
mod line;
mod memory;
mod page;
mod programs;
mod race;
mod start;

use anyhow::{Result, bail};
use xshell::Shell;

use crate::workspace::say;
use line::Line;
use race::Pace;

/// What a run is made of; each writes one section of the page.
struct Group {
    name: &'static str,
    title: &'static str,
    run: fn(&Bench<'_>) -> Result<Vec<Line>>,
}

const GROUPS: [Group; 7] = [
    Group {
        name: "stdio",
        title: "Calls per second, child process",
        run: calls::stdio,
    },
    Group {
        name: "http",
        title: "Calls per second, HTTP",
        run: calls::http,
    },
    Group {
        name: "pair",
        title: "Calls per second, within one process",
        run: calls::pair,
    },
    Group {
        name: "memory",
        title: "Memory",
        run: memory::run,
    },
    Group {
        name: "start",
        title: "Start",
        run: start::run,
    },
    Group {
        name: "agent",
        title: "Agent",
        run: agent::run,
    },
    Group {
        name: "compile",
        title: "Crates and compile time",
        run: compile::run,
    },
];

/// A run.
struct Bench<'a> {
    sh: &'a Shell,
    pace: Pace,
    /// Only rows whose names have this in them.
    row: Option<&'a str>,
}

impl Bench<'_> {
    fn wants(&self, row: &str) -> bool {
        self.row.is_none_or(|part| row.contains(part))
    }
}

pub(crate) fn run(sh: &Shell, flags: &crate::flags::Bench) -> Result<()> {
    let only = flags.group.as_deref();
    if let Some(name) = only.filter(|name| GROUPS.iter().all(|group| group.name != *name)) {
        let names = GROUPS.map(|group| group.name).join(", ");
        bail!("no group is called {name}; there are {names}");
    }
    if !flags.no_build {
        programs::build(sh)?;
    }
    if flags.build {
        return Ok(());
    }
    let bench = Bench {
        sh,
        pace: Pace::new(flags.quick),
        row: flags.row.as_deref(),
    };
    // What is told to everybody is whole sections at full length.
    let told = !flags.quick && bench.row.is_none();
    for group in GROUPS
        .iter()
        .filter(|group| only.is_none_or(|name| name == group.name))
    {
        let lines = (group.run)(&bench)?;
        say(&line::text(group.title, &lines));
        if told {
            page::keep(sh, group.name, group.title, &lines)?;
        }
    }
    if told {
        page::write(sh, &GROUPS.map(|group| group.name))?;
    }
    Ok(())
}
