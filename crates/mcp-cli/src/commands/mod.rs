//! One module for each command, and what they share: servers that end with the command.

mod agent;
mod call;
mod serve;
mod tools;

use crate::arguments::{Arguments, Command, ServerArguments};
use crate::exit::{Exit, Failure};
use crate::fleet::Fleet;
use crate::output;
use crate::signals::Interrupts;
use crate::view::View;

/// Runs the command that was asked for.
///
/// # Errors
/// What to tell, and how to end.
pub(crate) async fn run(arguments: Arguments) -> Result<Exit, Failure> {
    match arguments.command {
        Command::Serve(what) => serve::run(what).await,
        Command::Tools(arguments) => {
            with_fleet(&arguments.servers, async |fleet| {
                tools::run(&arguments, fleet).await
            })
            .await
        }
        Command::Call(arguments) => {
            let parsed = call::parse(&arguments.arguments)?;
            let work = async |fleet: &Fleet| call::run(&arguments, &parsed, fleet).await;
            with_fleet(&arguments.servers, work).await
        }
        Command::Agent(arguments) => {
            let model = agent::model(&arguments)?;
            let view = View::new(arguments.json);
            let work =
                async |fleet: &Fleet| agent::run(&arguments.question, model, &view, fleet).await;
            let ended = with_fleet(&arguments.servers, work).await;
            if let Ok(Exit::Interrupted) = ended {
                view.interrupted();
            }
            ended
        }
    }
}

/// Does some work with servers and ends them, whatever comes of it. An interrupt drops the work,
/// which cancels the calls in flight; a second one does not wait for the servers either.
async fn with_fleet(
    arguments: &ServerArguments,
    work: impl AsyncFnOnce(&Fleet) -> Result<Exit, Failure>,
) -> Result<Exit, Failure> {
    let mut interrupts = Interrupts::watch()?;
    let fleet = Fleet::open(arguments).await?;
    for warning in fleet.warnings() {
        output::note(&format!("mcp: {}", output::visible(warning)));
    }
    let ended = tokio::select! {
        ended = work(&fleet) => ended,
        () = interrupts.next() => {
            output::note("mcp: interrupted");
            Ok(Exit::Interrupted)
        }
    };
    tokio::select! {
        () = fleet.shutdown() => ended,
        () = interrupts.next() => Ok(Exit::Interrupted),
    }
}
