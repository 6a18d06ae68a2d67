//! The servers of one run: those of a configuration that was named, or our own three for the
//! repository here.

mod found;
mod own;
mod seen;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use mcp::client::{PoolBuilder, ServerOptions, ServerPool};
use mcp::protocol::Implementation;
use mcp::transport::Timeouts;
use mcp::{Config, ServerConfig, StdioConnect, Transport};

use self::own::WikiTask;
use self::seen::Watched;
use crate::arguments::ServerArguments;
use crate::exit::{Failure, chain};

pub(crate) use self::found::{find, names};
pub(crate) use self::seen::Seen;

/// How long a call may take where neither the command line nor the file says.
const CALL: Duration = Duration::from_secs(60);
/// How long a server may take to start where neither the command line nor the file says.
pub(crate) const STARTUP: Duration = Duration::from_secs(5);
/// How long processes may take to end that were killed.
const LAST: Duration = Duration::from_secs(2);

/// Servers by name. Nothing but the wiki is started before it is needed.
#[derive(Debug)]
pub(crate) struct Fleet {
    pool: ServerPool,
    servers: Vec<Arc<Watched>>,
    config: Option<PathBuf>,
    wiki: Option<WikiTask>,
    notes: Vec<String>,
}

impl Fleet {
    /// The servers that the arguments name, each with so much time to start where nothing else
    /// is said.
    ///
    /// A configuration that lies here may be a stranger's, and to use it is to start what it
    /// names. So it is never used unasked; a note tells of it.
    ///
    /// # Errors
    /// When the configuration has a mistake, or our own servers cannot be started.
    pub(crate) async fn open(
        arguments: &ServerArguments,
        startup: Duration,
    ) -> Result<Self, Failure> {
        if let Some(file) = &arguments.config {
            return Self::configured(file, arguments, startup).await;
        }
        let mut fleet = Self::own(arguments, startup).await?;
        let here = std::env::current_dir().ok().filter(|_| !arguments.own);
        fleet
            .notes
            .extend(here.and_then(|here| find(&here)).map(|file| unused(&file)));
        Ok(fleet)
    }

    /// The servers.
    pub(crate) const fn pool(&self) -> &ServerPool {
        &self.pool
    }

    /// These of the servers, or all if none is named.
    ///
    /// # Errors
    /// When there is none of a name.
    pub(crate) fn only(&self, names: &[String]) -> Result<ServerPool, Failure> {
        if names.is_empty() {
            return Ok(self.pool.clone());
        }
        let names = names.iter().map(String::as_str);
        self.pool.only(names).map_err(Failure::usage)
    }

    /// What was seen of a server.
    pub(crate) fn seen(&self, server: &str) -> Option<&Arc<Seen>> {
        let of = |watched: &&Arc<Watched>| *watched.name == *server;
        self.servers.iter().find(of).map(|watched| &watched.seen)
    }

    /// The configuration file, if the servers are from one.
    pub(crate) fn config(&self) -> Option<&Path> {
        self.config.as_deref()
    }

    /// What a person should know of where the servers are from, one line each.
    pub(crate) fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Ends all servers and waits until they have ended.
    pub(crate) async fn shutdown(self) {
        self.pool.shutdown().await;
        // Of a start that was given up, the pool does not know.
        let processes = self.servers.iter().flat_map(|s| s.seen.processes());
        let ended = processes.map(|process| async move {
            let _ = process.exited().await;
        });
        let _ = tokio::time::timeout(LAST, join_all(ended)).await;
        if let Some(wiki) = self.wiki {
            wiki.end().await;
        }
    }

    async fn configured(
        file: &Path,
        arguments: &ServerArguments,
        startup: Duration,
    ) -> Result<Self, Failure> {
        let config = load(file).await?;
        if config.servers().is_empty() {
            let reason = "no server is configured, or all are disabled";
            return Err(Failure::usage(format!("{}: {reason}", file.display())));
        }
        let servers = config.servers().iter().map(|(name, server)| {
            let limit = arguments.startup_timeout.or(server.startup_timeout);
            let options = limited(server.options(), limit.unwrap_or(startup));
            let options = match (arguments.call_timeout, server.call_timeout) {
                (None, Some(_)) => options,
                (limit, _) => options.with_timeouts(within(limit)),
            };
            (watched(name, server), options)
        });
        let mut fleet = Self::of(servers);
        fleet.config = Some(file.to_owned());
        fleet.notes.extend_from_slice(config.warnings());
        Ok(fleet)
    }

    async fn own(arguments: &ServerArguments, startup: Duration) -> Result<Self, Failure> {
        let (servers, wiki) = own::servers().await?;
        let startup = arguments.startup_timeout.unwrap_or(startup);
        let options = || {
            limited(ServerOptions::new().with_trusted(true), startup)
                .with_timeouts(within(arguments.call_timeout))
        };
        let mut fleet = Self::of(servers.into_iter().map(|server| (server, options())));
        fleet.wiki = Some(wiki);
        Ok(fleet)
    }

    fn of(servers: impl Iterator<Item = (Watched, ServerOptions)>) -> Self {
        let mut pool = builder();
        let mut all = Vec::new();
        for (server, options) in servers {
            let server = Arc::new(server);
            pool = pool.server_with(Arc::clone(&server.name), Arc::clone(&server) as _, options);
            all.push(server);
        }
        Self {
            pool: pool.build(),
            servers: all,
            config: None,
            wiki: None,
            notes: Vec::new(),
        }
    }
}

/// What is said of a configuration that lies here and was not named.
fn unused(file: &Path) -> String {
    format!(
        "{file} lies here and is not used unless it is named: --config {file}",
        file = file.display()
    )
}

/// Reads a configuration where it may block, as a pipe does.
async fn load(file: &Path) -> Result<Config, Failure> {
    let file = file.to_owned();
    let loaded = tokio::task::spawn_blocking(move || Config::load(file)).await;
    let loaded = loaded.map_err(Failure::failed)?;
    loaded.map_err(|e| Failure::usage(chain(&e)))
}

fn watched(name: &str, server: &ServerConfig) -> Watched {
    match &server.transport {
        Transport::Stdio(child) => Watched::child(name, StdioConnect::new(child.clone())),
        _ => Watched::new(name, server.connector(), Arc::new(Seen::http())),
    }
}

fn builder() -> PoolBuilder {
    let client = Implementation::new("mcp", env!("CARGO_PKG_VERSION"));
    ServerPool::builder().client(client)
}

fn limited(options: ServerOptions, startup: Duration) -> ServerOptions {
    options
        .with_startup_timeout(startup)
        // A person waits: one try within the limit, not several.
        .with_attempts(1)
}

/// The limit of a call, progress or not.
fn within(limit: Option<Duration>) -> Timeouts {
    Timeouts::within(limit.unwrap_or(CALL))
}
