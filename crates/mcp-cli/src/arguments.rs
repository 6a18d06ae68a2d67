//! The command line.

mod servers;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use servers::{ListArguments, ServerArguments};

/// What the exit codes mean, for `--help`.
const EXIT_CODES: &str = "\
Exit codes:
  0    answered; of several servers at least one
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
    Tools(ListArguments),
    /// List the resources of each server, and the templates of resources
    Resources(ListArguments),
    /// List the prompts of each server, with their arguments
    Prompts(ListArguments),
    /// Call one tool
    Call(CallArguments),
    /// Read one resource
    Read(ReadArguments),
    /// Fill one prompt in
    Prompt(PromptArguments),
    /// Ask each server whether it is there, and how long it takes to say so
    Ping(ListArguments),
    /// Say for each server whether it starts, what it speaks and offers, and what is wrong with it
    Doctor(ListArguments),
    /// Look at a configuration without starting anything
    #[command(subcommand)]
    Config(ConfigArguments),
    /// Serve files, a git repository or a wiki
    #[command(subcommand)]
    Serve(ServeArguments),
    /// Print a script that completes this command in a shell
    #[command(after_help = COMPLETIONS)]
    Completions {
        /// The shell
        shell: Shell,
    },
}

/// Where the scripts go.
const COMPLETIONS: &str = "\
Where to put it, for example:
  mcp completions bash > ~/.local/share/bash-completion/completions/mcp
  mcp completions zsh > ~/.zfunc/_mcp       (a folder of $fpath)
  mcp completions fish > ~/.config/fish/completions/mcp.fish";

/// Shells that a script can be had for.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Shell {
    Bash,
    Zsh,
    Fish,
}

/// What the planner can be asked, for `--help`.
const QUESTIONS: &str = "\
Questions that the planner answers in any repository:
  mcp agent \"Which files changed in the working tree, and which functions do the changes add?\"
  mcp agent \"What does the wiki say about WORDS?\"
  mcp agent \"Show the last 5 commits\"
  mcp agent \"Where is NAME defined?\"
and several of them in one: \"Which files changed, and where is NAME defined?\"

";

#[derive(Debug, Args)]
#[command(after_help = format!("{QUESTIONS}{EXIT_CODES}"))]
pub(crate) struct AgentArguments {
    /// The question
    #[arg(value_parser = question)]
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
pub(crate) struct CallArguments {
    /// The server's name
    pub(crate) server: String,
    /// The tool's name, as its server calls it
    pub(crate) tool: String,
    /// The arguments, a JSON object; `-` reads them from standard input
    #[arg(default_value = "{}")]
    pub(crate) arguments: String,
    #[command(flatten)]
    pub(crate) servers: ServerArguments,
    /// Print the whole result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct ReadArguments {
    /// The server's name
    pub(crate) server: String,
    /// The resource's URI
    pub(crate) uri: String,
    #[command(flatten)]
    pub(crate) servers: ServerArguments,
    /// Print the whole result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct PromptArguments {
    /// The server's name
    pub(crate) server: String,
    /// The prompt's name
    pub(crate) name: String,
    /// What to fill in
    #[arg(value_name = "KEY=VALUE")]
    pub(crate) arguments: Vec<String>,
    #[command(flatten)]
    pub(crate) servers: ServerArguments,
    /// Print the whole result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigArguments {
    /// Report all mistakes of a configuration file
    #[command(after_help = EXIT_CODES)]
    Check {
        /// The file; without it the one that lies here: .mcp.json, .vscode/mcp.json or
        /// .cursor/mcp.json
        #[arg(long, value_name = "FILE")]
        config: Option<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
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

fn question(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("it is empty".to_owned());
    }
    Ok(text.to_owned())
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
}
