//! Everything that has to pass, cheapest first.

use anyhow::{Context, Result};
use xshell::Shell;

use crate::{doc, fmt, interop, layers, lint, test, tidy, workspace::say};

/// A name and what it does.
type Step = (&'static str, fn(&Shell) -> Result<()>);

pub(crate) fn run(sh: &Shell) -> Result<()> {
    let steps: [Step; 7] = [
        ("fmt", fmt::run),
        ("tidy", tidy::run),
        ("layers", layers::run),
        ("lint", lint::run),
        ("test", |sh| test::run(sh, None)),
        ("doc", doc::run),
        ("interop", interop::run),
    ];
    for (name, step) in steps {
        let start = std::time::Instant::now();
        say(&format!("== {name}"));
        step(sh).with_context(|| format!("cargo xtask {name}"))?;
        say(&format!("== {name}: {:.0?}", start.elapsed()));
    }
    Ok(())
}
