//! Everything that has to pass, cheapest first.

use anyhow::{Context, Result};
use xshell::Shell;

use crate::{
    bench_guard, conformance, doc, features, fmt, interop, layers, lint, spec_coverage, test, tidy,
    workspace::say,
};

/// A name and what it does.
type Step = (&'static str, fn(&Shell) -> Result<()>);

pub(crate) fn run(sh: &Shell) -> Result<()> {
    let steps: [Step; 11] = [
        ("fmt", fmt::run),
        ("tidy", tidy::run),
        ("layers", layers::run),
        ("spec-coverage", |sh| spec_coverage::run(sh, true)),
        ("lint", lint::run),
        ("features", features::run),
        ("test", |sh| test::run(sh, None)),
        ("doc", doc::run),
        ("bench-guard", |sh| bench_guard::run(sh, false)),
        ("conformance", |sh| conformance::run(sh, None, None)),
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
