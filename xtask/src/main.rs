//! The project's own commands: `cargo xtask <command>`.

mod bench;
mod bench_guard;
mod ci;
mod conformance;
mod doc;
mod features;
mod flags;
mod fmt;
mod interop;
mod layers;
mod lint;
mod node;
mod soak;
mod spec_coverage;
mod test;
mod tests_in;
mod tidy;
mod workspace;

use std::process::ExitCode;

use flags::XtaskCmd;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            workspace::say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run() -> anyhow::Result<()> {
    let flags = flags::Xtask::from_env_or_exit();
    let sh = workspace::shell()?;
    match flags.subcommand {
        XtaskCmd::Ci(_) => ci::run(&sh),
        XtaskCmd::Fmt(_) => fmt::run(&sh),
        XtaskCmd::Lint(_) => lint::run(&sh),
        XtaskCmd::Doc(_) => doc::run(&sh),
        XtaskCmd::Features(_) => features::run(&sh),
        XtaskCmd::Test(flags) => test::run(&sh, flags.package.as_deref()),
        XtaskCmd::Layers(_) => layers::run(&sh),
        XtaskCmd::Tidy(_) => tidy::run(&sh),
        XtaskCmd::Interop(_) => interop::run(&sh),
        XtaskCmd::Soak(flags) => soak::run(&sh, flags.requests, flags.seed),
        XtaskCmd::SpecCoverage(flags) => spec_coverage::run(&sh, flags.check),
        XtaskCmd::Bench(flags) => bench::run(&sh, &flags),
        XtaskCmd::BenchGuard(flags) => bench_guard::run(&sh, flags.accept),
        XtaskCmd::Conformance(flags) => {
            conformance::run(&sh, flags.role.as_deref(), flags.requirements.as_deref())
        }
    }
}
