//! `mcp completions`: what makes a shell complete this command.

use clap::CommandFactory as _;
use clap_complete::Shell as Known;

use crate::arguments::{Arguments, Shell};
use crate::exit::Exit;
use crate::output;

pub(super) fn run(shell: Shell) -> Exit {
    let shell = match shell {
        Shell::Bash => Known::Bash,
        Shell::Zsh => Known::Zsh,
        Shell::Fish => Known::Fish,
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "mcp", &mut script);
    output::content(&String::from_utf8_lossy(&script));
    Exit::Done
}
