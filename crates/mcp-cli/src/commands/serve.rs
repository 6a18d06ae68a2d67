//! `mcp serve`: the three servers on their own.

use std::error::Error as _;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;

use mcp::http::{HttpOptions, HttpServer, HttpService};
use mcp::server::Server;
use mcp::stdio::Stdio;
use mcp::transport::{Channel as _, TransportError, TransportErrorKind};
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
    let connection = server.serve(reader, writer);
    let interrupted = async {
        interrupts.next().await;
        // It ends by and by, which is waited for below.
        drop(connection.close());
        interrupts.next().await;
    };
    tokio::select! {
        reason = connection.closed() => ended(&reason),
        () = interrupted => Ok(Exit::Interrupted),
    }
}

/// How a server ends with its connection: well, if one of both has ended it.
fn ended(reason: &TransportError) -> Result<Exit, Failure> {
    let source = reason.source().and_then(|e| e.downcast_ref::<io::Error>());
    let is_gone = source.is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe);
    match reason.kind() {
        TransportErrorKind::Ended | TransportErrorKind::ClosedHere => Ok(Exit::Done),
        TransportErrorKind::Io if is_gone => Ok(Exit::Done),
        _ => Err(Failure::failed(chain(reason))),
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
