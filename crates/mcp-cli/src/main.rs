#![doc = include_str!("../README.md")]

mod arguments;
mod commands;
mod exit;
mod fleet;
mod output;
mod root;
mod servers;
mod shown;
mod signals;
mod source;
mod view;

use std::process::ExitCode;

use clap::Parser as _;

use crate::arguments::Arguments;
use crate::exit::Exit;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() {
                Exit::Usage
            } else {
                Exit::Done
            }
            .into();
        }
    };
    logging();
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            output::note(&format!("mcp: no runtime: {error}"));
            return Exit::Failed.into();
        }
    };
    let ended = runtime.block_on(commands::run(arguments));
    // Nothing that is still blocked, as in a search, may hold the command up.
    runtime.shutdown_background();
    let exit = ended.unwrap_or_else(|failure| {
        output::note(&format!("mcp: {failure}"));
        failure.exit
    });
    match exit {
        Exit::Done if output::is_lost() => Exit::Failed.into(),
        exit => exit.into(),
    }
}

/// Log lines go to standard error, and only if `MCP_LOG` asks for them.
fn logging() {
    let Ok(filter) = std::env::var("MCP_LOG") else {
        return;
    };
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::new(filter))
        .with_writer(|| output::Log)
        .finish();
    let _ = tracing::subscriber::set_global_default(subscriber);
}
