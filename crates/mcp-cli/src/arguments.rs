//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};

/// What the exit codes mean, for `--help`.
const EXIT_CODES: &str = "\
Exit codes:
  0    answered
  1    the run failed: nothing could be answered, or the tool reported an error
  2    wrong usage or configuration
  130  interrupted";

/// Agents, servers and clients of the Model Context Protocol.
#[derive(Debug, Parser)]
#[command(name = "mcp", version, about, after_help = EXIT_CODES, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Answer a question about the repository here, or with the servers of a configuration
    Agent(AgentArguments),
    /// List the tools of each server
    Tools(ToolsArguments),
    /// Call one tool
    Call(CallArguments),
    /// Serve files, a git repository or a wiki
    #[command(subcommand)]
    Serve(ServeArguments),
}

#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct AgentArguments {
    /// The question
    pub(crate) question: String,
    /// The model: `planner`, a rule-based demo that needs no key and is not an LLM, or
    /// `openai:NAME` (OPENAI_API_KEY, OPENAI_BASE_URL)
    #[arg(long, value_name = "MODEL", default_value = "planner")]
    pub(crate) model: String,
    #[command(flatten)]
    pub(crate) servers: ServerArguments,
    /// Print one JSON event per line instead of the answer
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct ToolsArguments {
    #[command(flatten)]
    pub(crate) servers: ServerArguments,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct CallArguments {
    /// The server's name
    pub(crate) server: String,
    /// The tool's name, as its server calls it
    pub(crate) tool: String,
    /// The arguments, a JSON object
    #[arg(default_value = "{}")]
    pub(crate) arguments: String,
    #[command(flatten)]
    pub(crate) servers: ServerArguments,
    /// Print the whole result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Which servers, and how long they may take.
#[derive(Debug, Args)]
pub(crate) struct ServerArguments {
    /// Use the servers of this `mcpServers` JSON file; without it: files, git and wiki of the
    /// repository here
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// How long a server may take to start and agree on a revision; 5, or what the file says. A
    /// server that is downloaded at its first start may need more
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) startup_timeout: Option<Duration>,
    /// How long one call of a tool may take
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub(crate) call_timeout: Duration,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ServeArguments {
    /// Serve the files below a folder over stdin and stdout
    Files {
        /// The folder; nothing outside of it can be reached
        #[arg(long, value_name = "DIR")]
        root: PathBuf,
    },
    /// Serve a git repository over stdin and stdout, by the installed git
    Git {
        /// A folder in the repository's working tree
        #[arg(long, value_name = "DIR")]
        repo: PathBuf,
    },
    /// Serve the Markdown pages below a folder over Streamable HTTP; the URL is printed on stderr
    Wiki {
        /// The folder with the pages
        #[arg(long, value_name = "DIR")]
        dir: PathBuf,
        /// The address to listen on; port 0 picks a free one
        #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
        http: String,
        /// Answer requests that name this host, besides loopback hosts
        #[arg(long, value_name = "HOST")]
        allow_host: Vec<String>,
    },
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.001..=86_400.0).contains(&seconds) {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err("must be between 0.001 and 86400".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_definition_is_sound_and_help_names_the_exit_codes() {
        Arguments::command().debug_assert();
        for arguments in [&["mcp", "--help"][..], &["mcp", "agent", "--help"]] {
            let help = Arguments::try_parse_from(arguments)
                .unwrap_err()
                .to_string();
            assert!(help.contains("130  interrupted"), "{help}");
        }
    }

    #[test]
    fn times_are_checked() {
        for bad in ["0", "-1", "x", "NaN", "1e9"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
    }
}
