//! One module for each command.

mod serve;

use crate::arguments::{Arguments, Command};
use crate::exit::{Exit, Failure};

/// Runs the command that was asked for.
pub(crate) async fn run(arguments: Arguments) -> Result<Exit, Failure> {
    match arguments.command {
        Command::Serve(what) => serve::run(what).await,
        _ => Err(Failure::usage("not yet")),
    }
}
