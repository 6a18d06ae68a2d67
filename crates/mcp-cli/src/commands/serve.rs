//! `mcp serve`: the three servers on their own.

use std::net::{IpAddr, SocketAddr};
use std::path::Path;

use mcp::http::{HttpOptions, HttpServer, HttpService};
use mcp::server::Server;
use mcp::stdio::Stdio;
use mcp::transport::Channel as _;
use tokio_util::sync::CancellationToken;

use crate::arguments::ServeArguments;
use crate::exit::{Exit, Failure, chain};
use crate::output;
use crate::root::Root;
use crate::servers::git::Git;
use crate::servers::wiki::Wiki;
use crate::servers::{files, git, wiki};
use crate::signals::Interrupts;

pub(super) async fn run(what: ServeArguments) -> Result<Exit, Failure> {
    match what {
        ServeArguments::Files { root } => {
            let root = Root::open(&root).map_err(Failure::usage)?;
            over_stdio(&files::server(root)).await
        }
        ServeArguments::Git { repo } => {
            let git = Git::open(&repo).await.map_err(Failure::usage)?;
            over_stdio(&git::server(git)).await
        }
        ServeArguments::Wiki {
            dir,
            http,
            allow_host,
        } => wiki_over_http(&dir, &http, &allow_host).await,
    }
}

/// Serves the client at the other end of stdin and stdout until it ends the connection. A request
/// to terminate is as good: answers that are owed are still given. A second one ends that, too.
async fn over_stdio(server: &Server) -> Result<Exit, Failure> {
    let mut interrupts = Interrupts::watch()?;
    let (reader, writer) = Stdio::own();
    let end = CancellationToken::new();
    let connection = server.serve(reader.until(end.clone()), writer);
    let interrupted = async {
        interrupts.next().await;
        end.cancel();
        interrupts.next().await;
    };
    tokio::select! {
        _ = connection.closed() => Ok(Exit::Done),
        () = interrupted => Ok(Exit::Interrupted),
    }
}

async fn wiki_over_http(dir: &Path, address: &str, hosts: &[String]) -> Result<Exit, Failure> {
    let wiki = Wiki::open(dir).map_err(Failure::usage)?;
    let server = wiki::server(wiki).map_err(|e| Failure::failed(chain(&e)))?;
    let address = full_address(address);
    let listener = HttpServer::bind(&address)
        .await
        .map_err(|e| Failure::usage(format!("{address} cannot be listened on: {e}")))?;
    let mut options = HttpOptions::default();
    if let Some(host) = own_host(listener.local_addr()) {
        options = options.allow_host(host);
    }
    for host in hosts {
        options = options.allow_host(host);
    }
    let service = HttpService::new(server.identity(), server.handler(), options);
    let mut interrupts = Interrupts::watch()?;
    output::note(&format!("listening on {}", listener.local_url()));
    let shutdown = CancellationToken::new();
    let serving = listener.serve(service, shutdown.clone());
    let interrupted = async {
        interrupts.next().await;
        shutdown.cancel();
    };
    tokio::join!(interrupted, serving);
    Ok(Exit::Interrupted)
}

/// A bare port is one on the loopback interface.
fn full_address(address: &str) -> String {
    match address.parse::<u16>() {
        Ok(port) => format!("127.0.0.1:{port}"),
        Err(_) => address.to_owned(),
    }
}

/// The host that clients name which come by this very address.
fn own_host(address: SocketAddr) -> Option<String> {
    match address.ip() {
        ip if ip.is_unspecified() || ip.is_loopback() => None,
        IpAddr::V4(ip) => Some(ip.to_string()),
        IpAddr::V6(ip) => Some(format!("[{ip}]")),
    }
}
