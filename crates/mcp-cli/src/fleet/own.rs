//! Our own three servers, for the repository here.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcp::client::Connect;
use mcp::http::{HttpOptions, HttpServer, HttpService, HttpTransport};
use mcp::stdio::ChildBuilder;
use mcp::{HttpConnect, StdioConnect};
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::seen::{Seen, Watched};
use crate::exit::{Failure, chain};
use crate::servers::git::Git;
use crate::servers::wiki::{self, Wiki};

/// The wiki, served over HTTP from this process: nothing is left behind when it ends.
#[derive(Debug)]
pub(super) struct WikiTask {
    url: String,
    serving: JoinHandle<()>,
    end: DropGuard,
}

impl WikiTask {
    /// Ends the server.
    pub(super) async fn end(self) {
        drop(self.end);
        let _ = self.serving.await;
    }
}

/// The three servers by name, and what serves the wiki.
///
/// # Errors
/// When this program or the folder cannot be used.
pub(super) async fn servers() -> Result<([Watched; 3], WikiTask), Failure> {
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
    let endpoint: Arc<dyn Connect> = Arc::new(HttpConnect::new(endpoint));
    let servers = [
        own_child("files", &["files", "--root"], &top)?,
        own_child("git", &["git", "--repo"], &top)?,
        Watched::new("wiki", endpoint, Arc::new(Seen::http())),
    ];
    Ok((servers, wiki))
}

/// `mcp serve ...` of this very program as a child process.
fn own_child(name: &str, arguments: &[&str], top: &Path) -> Result<Watched, Failure> {
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
    Ok(Watched::child(name, StdioConnect::new(child)))
}

async fn serve_wiki(top: &Path) -> Result<WikiTask, Failure> {
    let server = {
        let top = top.to_owned();
        tokio::task::spawn_blocking(move || {
            let wiki = Wiki::of_tree(&top).map_err(Failure::usage)?;
            wiki::server(wiki).map_err(|e| Failure::failed(chain(&e)))
        })
    };
    let server = server.await.map_err(Failure::failed)??;
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
