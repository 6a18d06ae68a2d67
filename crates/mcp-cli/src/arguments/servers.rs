//! Which servers, and how long they may take: what most commands have in common.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::EXIT_CODES;

/// Which servers, and how long they may take.
#[derive(Debug, Args)]
pub(crate) struct ServerArguments {
    /// Use the servers of this file: `mcpServers` JSON, or an mcp.json of VS Code. Without it:
    /// files, git and wiki of the repository here
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Use files, git and wiki of the repository here, and say nothing of a configuration
    /// that lies in it
    #[arg(long, conflicts_with = "config")]
    pub(crate) own: bool,
    /// How long a server may take to start and agree on a revision; 5 (15 for `doctor`), or
    /// what the file says. A server that is downloaded at its first start may need more
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) startup_timeout: Option<Duration>,
    /// How long one call may take; 60, or what the file says
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) call_timeout: Option<Duration>,
}

/// The arguments of the commands that ask every server.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct ListArguments {
    /// Only these servers
    #[arg(value_name = "SERVER")]
    pub(crate) only: Vec<String>,
    #[command(flatten)]
    pub(crate) servers: ServerArguments,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
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

    #[test]
    fn times_are_checked() {
        for bad in ["0", "-1", "x", "NaN", "1e9"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
    }
}
