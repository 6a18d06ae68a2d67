//! One module for each command, and what they share: servers that end with the command.

mod agent;
mod call;
mod check;
mod completions;
mod content;
mod doctor;
mod listing;
mod ping;
mod prompt;
mod prompts;
mod read;
mod resources;
mod serve;
mod tools;

use std::time::Duration;

use crate::arguments::{Arguments, Command, ConfigArguments, ListArguments, ServerArguments};
use crate::exit::{Exit, Failure};
use crate::fleet::{Fleet, STARTUP};
use crate::output;
use crate::shown;
use crate::signals::Interrupts;
use crate::view::View;

/// Runs the command that was asked for.
///
/// # Errors
/// What to tell, and how to end.
pub(crate) async fn run(arguments: Arguments) -> Result<Exit, Failure> {
    match arguments.command {
        Command::Serve(what) => serve::run(what).await,
        Command::Completions { shell } => Ok(completions::run(shell)),
        Command::Config(ConfigArguments::Check { config, json }) => {
            check::run(config.as_deref(), json)
        }
        Command::Tools(arguments) => on_all(&arguments, STARTUP, tools::run).await,
        Command::Resources(arguments) => on_all(&arguments, STARTUP, resources::run).await,
        Command::Prompts(arguments) => on_all(&arguments, STARTUP, prompts::run).await,
        Command::Ping(arguments) => on_all(&arguments, STARTUP, ping::run).await,
        Command::Doctor(arguments) => on_all(&arguments, doctor::STARTUP, doctor::run).await,
        Command::Call(arguments) => {
            let parsed = call::parse(&arguments.arguments)?;
            let work = async |fleet: &Fleet| call::run(&arguments, &parsed, fleet).await;
            with_fleet(&arguments.servers, STARTUP, work).await
        }
        Command::Read(arguments) => {
            let work = async |fleet: &Fleet| read::run(&arguments, fleet).await;
            with_fleet(&arguments.servers, STARTUP, work).await
        }
        Command::Prompt(arguments) => {
            let params = prompt::parse(&arguments)?;
            let work = async |fleet: &Fleet| prompt::run(&arguments, params, fleet).await;
            with_fleet(&arguments.servers, STARTUP, work).await
        }
        Command::Agent(arguments) => {
            let model = agent::model(&arguments)?;
            let view = View::new(arguments.json);
            let work =
                async |fleet: &Fleet| agent::run(&arguments.question, model, &view, fleet).await;
            let ended = with_fleet(&arguments.servers, STARTUP, work).await;
            if let Ok(Exit::Interrupted) = ended {
                view.interrupted();
            }
            ended
        }
    }
}

/// What a command prints, and how it ends.
#[derive(Debug)]
struct Answer {
    text: String,
    exit: Exit,
}

/// A command that asks all servers, or those that are named. On a terminal a line shows that it
/// works.
async fn on_all(
    arguments: &ListArguments,
    startup: Duration,
    work: impl AsyncFnOnce(&ListArguments, &Fleet) -> Result<Answer, Failure>,
) -> Result<Exit, Failure> {
    let work = async |fleet: &Fleet| {
        let view = View::new(false);
        let servers: Vec<&str> = fleet.pool().servers().map(|name| &**name).collect();
        view.begin("", &servers);
        let answer = tokio::select! {
            answer = work(arguments, fleet) => answer,
            never = view.animate() => match never {},
        };
        view.servers_are_up();
        let answer = answer?;
        output::answer(&answer.text);
        Ok(answer.exit)
    };
    with_fleet(&arguments.servers, startup, work).await
}

/// Does some work with servers and ends them, whatever comes of it. An interrupt drops the work,
/// which cancels the calls in flight; a second one does not wait for the servers either.
async fn with_fleet(
    arguments: &ServerArguments,
    startup: Duration,
    work: impl AsyncFnOnce(&Fleet) -> Result<Exit, Failure>,
) -> Result<Exit, Failure> {
    let mut interrupts = Interrupts::watch()?;
    hurry_when_interrupted()?;
    let fleet = tokio::select! {
        fleet = Fleet::open(arguments, startup) => fleet?,
        () = interrupts.next() => return interrupted(),
    };
    for note in fleet.notes() {
        output::note(&format!("mcp: {}", shown::line(note)));
    }
    let ended = until_interrupted(&mut interrupts, work(&fleet)).await;
    tokio::select! {
        () = fleet.shutdown() => ended,
        () = interrupts.next() => Ok(Exit::Interrupted),
    }
}

async fn until_interrupted(
    interrupts: &mut Interrupts,
    work: impl Future<Output = Result<Exit, Failure>>,
) -> Result<Exit, Failure> {
    let ended = tokio::select! {
        ended = work => ended,
        () = interrupts.next() => return interrupted(),
    };
    if output::has_given_up() {
        // The interrupt came while the answer was being written, and is still to be taken.
        interrupts.next().await;
        return interrupted();
    }
    ended
}

fn interrupted() -> Result<Exit, Failure> {
    output::note("mcp: interrupted");
    Ok(Exit::Interrupted)
}

/// After an interrupt no reader is waited for. It is heard in a task of its own, since the work may
/// be waiting for one.
fn hurry_when_interrupted() -> Result<(), Failure> {
    let mut interrupts = Interrupts::watch()?;
    tokio::spawn(async move {
        interrupts.next().await;
        output::give_up();
    });
    Ok(())
}
