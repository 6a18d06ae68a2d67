//! The server that the official conformance suite tests: every fixture that it asks for, both
//! lifecycles on one endpoint.
//!
//! `conformance-server --port N` serves Streamable HTTP on loopback and says where on stderr;
//! `conformance-server --stdio` serves one client over stdin and stdout.

mod asks;
mod media;
mod prompts;
mod resources;
mod tasks;
mod tools;

use std::error::Error;
use std::io::{Write as _, stderr};

use mcp::http::{HttpOptions, HttpServer, HttpService};
use mcp::server::{Changes, Server};
use mcp::stdio::Stdio;
use mcp::transport::Channel as _;
use tokio_util::sync::CancellationToken;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut port = 0;
    let mut stdio = false;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--stdio" => stdio = true,
            "--port" => port = arguments.next().ok_or("--port needs a number")?.parse()?,
            other => return Err(format!("unknown argument: {other}").into()),
        }
    }
    let server = server()?;
    if stdio {
        let (reader, writer) = Stdio::own();
        server.serve(reader, writer).closed().await;
        return Ok(());
    }
    let listener = HttpServer::bind(("127.0.0.1", port)).await?;
    writeln!(stderr(), "listening on {}", listener.local_url())?;
    let options = HttpOptions::default();
    let service = HttpService::new(server.identity(), server.handler(), options);
    listener.serve(service, CancellationToken::new()).await;
    Ok(())
}

fn server() -> Result<Server, Box<dyn Error>> {
    let changes = Changes::new();
    let builder = Server::builder("conformance-server", env!("CARGO_PKG_VERSION"))
        .instructions("Has what the conformance suite asks for.")
        .logging()
        .changes(&changes);
    let builder = tools::add(builder, &changes);
    let builder = asks::add(builder);
    let builder = tasks::add(builder);
    let builder = prompts::add(builder);
    Ok(resources::add(builder)?.build())
}
