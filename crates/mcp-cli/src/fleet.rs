//! The servers of one run: those of a configuration, or our own three for the repository here.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use mcp::client::{Connect, PoolBuilder, ServerOptions, ServerPool};
use mcp::http::{HttpOptions, HttpServer, HttpService, HttpTransport};
use mcp::protocol::Implementation;
use mcp::stdio::ChildBuilder;
use mcp::transport::Timeouts;
use mcp::{Config, HttpConnect, StdioConnect};
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::arguments::ServerArguments;
use crate::exit::{Failure, chain};
use crate::servers::git::Git;
use crate::servers::wiki::{self, Wiki};

/// How long a server may take to start where neither the command line nor the file says.
const STARTUP: Duration = Duration::from_secs(5);

/// Servers by name. Nothing but the wiki is started before it is needed.
#[derive(Debug)]
pub(crate) struct Fleet {
    pool: ServerPool,
    wiki: Option<WikiTask>,
    warnings: Vec<String>,
}

/// The wiki, served over HTTP from this process: nothing is left behind when it ends.
#[derive(Debug)]
struct WikiTask {
    url: String,
    serving: JoinHandle<()>,
    end: DropGuard,
}

impl Fleet {
    /// The servers that the arguments name.
    ///
    /// # Errors
    /// When the configuration has a mistake, or our own servers cannot be started.
    pub(crate) async fn open(arguments: &ServerArguments) -> Result<Self, Failure> {
        match &arguments.config {
            Some(file) => Self::configured(file, arguments),
            None => Self::own(arguments).await,
        }
    }

    /// The servers.
    pub(crate) const fn pool(&self) -> &ServerPool {
        &self.pool
    }

    /// What was ignored in the configuration, one line for each key.
    pub(crate) fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Ends all servers and waits until they have ended.
    pub(crate) async fn shutdown(self) {
        self.pool.shutdown().await;
        if let Some(wiki) = self.wiki {
            drop(wiki.end);
            let _ = wiki.serving.await;
        }
    }

    fn configured(file: &Path, arguments: &ServerArguments) -> Result<Self, Failure> {
        let config = Config::load(file).map_err(|e| Failure::usage(chain(&e)))?;
        let mut pool = builder();
        for (name, server) in config.servers() {
            let limit = arguments.startup_timeout.or(server.startup_timeout);
            let options = limited(server.options(), limit, arguments.call_timeout);
            pool = pool.server_with(name.as_str(), server.connector(), options);
        }
        if config.servers().is_empty() {
            let reason = "no server is configured, or all are disabled";
            return Err(Failure::usage(format!("{}: {reason}", file.display())));
        }
        Ok(Self {
            pool: pool.build(),
            wiki: None,
            warnings: config.warnings().to_vec(),
        })
    }

    async fn own(arguments: &ServerArguments) -> Result<Self, Failure> {
        let here = std::env::current_dir()
            .map_err(|e| Failure::usage(format!("the current folder cannot be used: {e}")))?;
        // Without a repository the git server says so itself; the others work all the same.
        let top = Git::open(&here)
            .await
            .map_or(here, |git| git.top().to_owned());
        let wiki = serve_wiki(&top).await?;
        let endpoint = HttpTransport::builder(&wiki.url)
            .build()
            .map_err(|e| Failure::failed(chain(&e)))?;
        let options = || {
            let options = ServerOptions::new().with_trusted(true);
            limited(options, arguments.startup_timeout, arguments.call_timeout)
        };
        let pool = builder()
            .server_with("files", own_child(&["files", "--root"], &top)?, options())
            .server_with("git", own_child(&["git", "--repo"], &top)?, options())
            .server_with("wiki", Arc::new(HttpConnect::new(endpoint)), options());
        Ok(Self {
            pool: pool.build(),
            wiki: Some(wiki),
            warnings: Vec::new(),
        })
    }
}

fn builder() -> PoolBuilder {
    let client = Implementation::new("mcp", env!("CARGO_PKG_VERSION"));
    ServerPool::builder().client(client)
}

fn limited(options: ServerOptions, startup: Option<Duration>, call: Duration) -> ServerOptions {
    options
        .with_startup_timeout(startup.unwrap_or(STARTUP))
        // A person waits: one try within the limit, not several.
        .with_attempts(1)
        .with_timeouts(Timeouts::within(call))
}

/// `mcp serve ...` of this very program as a child process.
fn own_child(arguments: &[&str], top: &Path) -> Result<Arc<dyn Connect>, Failure> {
    let program: PathBuf = std::env::current_exe()
        .map_err(|e| Failure::failed(format!("this program cannot be found: {e}")))?;
    let mut child = ChildBuilder::new(program)
        .arg("serve")
        .args(arguments)
        .arg(top)
        .cwd(top);
    // Where git finds the user's own settings.
    if let Some(folder) = std::env::var_os("XDG_CONFIG_HOME") {
        child = child.env("XDG_CONFIG_HOME", folder);
    }
    Ok(Arc::new(StdioConnect::new(child)))
}

async fn serve_wiki(top: &Path) -> Result<WikiTask, Failure> {
    let wiki = Wiki::of_tree(top).map_err(Failure::usage)?;
    let server = wiki::server(wiki).map_err(|e| Failure::failed(chain(&e)))?;
    let listener = HttpServer::bind("127.0.0.1:0")
        .await
        .map_err(|e| Failure::failed(format!("no port to serve the wiki on: {e}")))?;
    // Other users of the machine can reach the port, so the path is one that nobody guesses.
    let path = format!("/{}", secret());
    let url = format!("http://{}{path}", listener.local_addr());
    let options = HttpOptions::default().path(path);
    let service = HttpService::new(server.identity(), server.handler(), options);
    let end = CancellationToken::new();
    let serving = tokio::spawn(listener.serve(service, end.clone()));
    Ok(WikiTask {
        url,
        serving,
        end: end.drop_guard(),
    })
}

/// A name that nobody guesses, from the random keys of the standard library's hashes.
fn secret() -> String {
    use std::hash::{BuildHasher as _, RandomState};
    format!(
        "{:016x}{:016x}",
        RandomState::new().hash_one(1),
        RandomState::new().hash_one(2)
    )
}
